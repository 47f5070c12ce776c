#include "graze_bullet/speculative_world.h"

#include <BulletCollision/CollisionShapes/btCollisionShape.h>
#include <BulletDynamics/Dynamics/btRigidBody.h>
#include <LinearMath/btTransformUtil.h>

#include <algorithm>
#include <cmath>

#include "dispatch_batch.h"

namespace graze::bullet {

namespace {

// A step is solved with more points at most so often before contacts are looked for again, and
// these so often before the step is cut. Most steps need one of each.
constexpr int kMaxRounds = 8, kMaxLooks = 4;
// Parts of a step.
constexpr int kMaxCuts = 16;

// [rad] The most that a body which touches something turns in a step. Bullet does not turn bodies
// by more than about this anyway, but keeps their spin, and what moves by a spin that is not there
// would be kept from going through things that it never meets.
constexpr btScalar kMostTurn = SIMD_PI / 4;

// A kinematic body without mass is static too, and not among Bullet's own list of those that are
// not.
bool is_mover(const btCollisionObject& object) {
    return btRigidBody::upcast(&object) != nullptr &&
           (object.isKinematicObject() || !object.isStaticObject());
}

// Returns a pose between two, at a fraction of the way.
btTransform between(const btTransform& begin, const btTransform& end, btScalar fraction) {
    if (fraction >= 1) return end;
    btVector3 axis;
    btScalar angle = 0;
    btTransformUtil::calculateDiffAxisAngle(begin, end, axis, angle);
    if (angle > SIMD_PI) angle -= SIMD_2_PI;
    const btQuaternion turn(axis, angle * fraction);
    return btTransform((turn * begin.getRotation()).normalized(),
                       begin.getOrigin().lerp(end.getOrigin(), fraction));
}

// Widens a box by all that the body meets on its way. Its parts move on arcs, which bulge.
void box_of_motion(const btRigidBody& body, const btTransform& begin, const btTransform& end,
                   btVector3& min, btVector3& max) {
    const btCollisionShape& shape = *body.getCollisionShape();
    shape.getAabb(begin, min, max);
    btVector3 end_min, end_max, centre, axis;
    shape.getAabb(end, end_min, end_max);
    min.setMin(end_min);
    max.setMax(end_max);
    btScalar radius = 0, angle = 0;
    shape.getBoundingSphere(centre, radius);
    btTransformUtil::calculateDiffAxisAngle(begin, end, axis, angle);
    const btScalar half = std::min(angle, SIMD_2_PI - angle) / 2;
    const btScalar bulge = (radius + centre.length()) * (1 - std::cos(half));
    const btScalar more = gContactBreakingThreshold + bulge;
    min -= btVector3(more, more, more);
    max += btVector3(more, more, more);
}

}  // namespace

SpeculativeWorld::SpeculativeWorld(GrazeDispatcher* dispatcher, btBroadphaseInterface* broadphase,
                                   btConstraintSolver* solver,
                                   btCollisionConfiguration* configuration)
    : btDiscreteDynamicsWorld(dispatcher, broadphase, solver, configuration), graze_(dispatcher) {
    // Points say along which directions friction acts.
    if (is_speculative()) getSolverInfo().m_solverMode |= SOLVER_ENABLE_FRICTION_DIRECTION_CACHING;
}

bool SpeculativeWorld::is_speculative() const {
    return graze_->options().is_speculative;
}

int SpeculativeWorld::stepSimulation(btScalar time_step, int max_substeps, btScalar fixed_step) {
    report_ = {};
    if (is_speculative()) graze_->batch_->times = {};
    return btDiscreteDynamicsWorld::stepSimulation(time_step, max_substeps, fixed_step);
}

void SpeculativeWorld::updateAabbs() {
    if (movers_.empty()) {
        btDiscreteDynamicsWorld::updateAabbs();
        return;
    }
    for (int i = 0; i < m_collisionObjects.size(); ++i) {
        btCollisionObject* object = m_collisionObjects[i];
        if (!is_mover(*object) && (m_forceUpdateAllAabbs || object->isActive()))
            updateSingleAabb(object);
    }
    // Pairs of an earlier look stay, as the solver has their points.
    for (Mover& mover : movers_) {
        btVector3 min, max;
        box_of_motion(*mover.body, mover.body->getWorldTransform(),
                      mover.body->getInterpolationWorldTransform(), min, max);
        if (mover.has_box) {
            min.setMin(mover.box_min);
            max.setMax(mover.box_max);
        }
        mover.box_min = min;
        mover.box_max = max;
        mover.has_box = true;
        if (mover.body->getBroadphaseHandle() != nullptr)
            m_broadphasePairCache->setAabb(mover.body->getBroadphaseHandle(), min, max,
                                           m_dispatcher1);
    }
}

// Bullet forgets where a script begins, and has its bodies at the end of a step all along.
void SpeculativeWorld::saveKinematicState(btScalar time_step) {
    scripts_.clear();
    if (is_speculative()) {
        for (int i = 0; i < m_collisionObjects.size(); ++i) {
            btRigidBody* body = btRigidBody::upcast(m_collisionObjects[i]);
            if (body != nullptr && body->isKinematicObject() &&
                body->getActivationState() != ISLAND_SLEEPING)
                scripts_.push_back({body, body->getInterpolationWorldTransform(),
                                    body->getInterpolationWorldTransform()});
        }
    }
    btDiscreteDynamicsWorld::saveKinematicState(time_step);
    for (Script& script : scripts_)
        script.end = script.body->getWorldTransform();
    script_time_ = time_step;
    script_elapsed_ = 0;
}

btTransform SpeculativeWorld::script_at(const Script& script, btScalar elapsed) const {
    return between(script.begin, script.end, script_time_ > 0 ? elapsed / script_time_ : 1);
}

void SpeculativeWorld::internalSingleStepSimulation(btScalar time_step) {
    if (!is_speculative()) {
        btDiscreteDynamicsWorld::internalSingleStepSimulation(time_step);
        return;
    }
    if (m_internalPreTickCallback != nullptr) (*m_internalPreTickCallback)(this, time_step);
    predictUnconstraintMotion(time_step);  // which damps
    btDispatcherInfo& settings = getDispatchInfo();
    settings.m_timeStep = time_step;
    settings.m_stepCount = 0;
    settings.m_debugDraw = getDebugDrawer();
    createPredictiveContacts(time_step);
    btContactSolverInfo& solver = getSolverInfo();
    const btScalar push = solver.m_erp2;
    most_spin_ = kMostTurn / time_step;
    btScalar left = time_step;
    for (int cut = 0; left > time_step * btScalar(1e-4); ++cut) {
        solver.m_timeStep = left;
        // The fraction of an overlap that is taken away belongs to the whole step.
        solver.m_erp2 = push * left / time_step;
        const btScalar moved = advance(left, cut < kMaxCuts);
        left -= moved;
        report_.cut_count += left > time_step * btScalar(1e-4);
    }
    solver.m_erp2 = push;
    solver.m_timeStep = time_step;
    movers_.clear();
    updateActions(time_step);
    updateActivationState(time_step);
    if (m_internalTickCallback != nullptr) (*m_internalTickCallback)(this, time_step);
}

// Bodies that sleep are among them, as they may be woken.
void SpeculativeWorld::find_movers(btScalar time) {
    movers_.clear();
    for (int i = 0; i < m_collisionObjects.size(); ++i) {
        btRigidBody* body = btRigidBody::upcast(m_collisionObjects[i]);
        if (body == nullptr || !is_mover(*body)) continue;
        Mover mover;
        mover.body = body;
        mover.is_kinematic = body->isKinematicObject();
        mover.at_t0 = mover.at_t1 = body->getWorldTransform();
        mover.velocity = body->getLinearVelocity();
        mover.angular_velocity = body->getAngularVelocity();
        if (!mover.is_kinematic && body->isActive()) {
            const btVector3 velocity =
                mover.velocity + body->getTotalForce() * (body->getInvMass() * time);
            const btVector3 angular_velocity =
                mover.angular_velocity +
                body->getInvInertiaTensorWorld() * body->getTotalTorque() * time;
            btTransformUtil::integrateTransform(mover.at_t0, velocity, angular_velocity, time,
                                                mover.at_t1);
        }
        movers_.push_back(mover);
    }
    for (const Script& script : scripts_) {
        for (Mover& mover : movers_) {
            if (mover.body != script.body) continue;
            mover.at_t0 = script_at(script, script_elapsed_);
            mover.at_t1 = script_at(script, script_elapsed_ + time);
        }
    }
    for (const Mover& mover : movers_) {
        mover.body->setWorldTransform(mover.at_t0);
        mover.body->setInterpolationWorldTransform(mover.at_t1);
    }
}

void SpeculativeWorld::solve() {
    for (const Mover& mover : movers_) {
        if (mover.is_kinematic) continue;
        mover.body->setWorldTransform(mover.at_t0);
        mover.body->setLinearVelocity(mover.velocity);
        mover.body->setAngularVelocity(mover.angular_velocity);
    }
    graze_->batch_->remember_approach();
    calculateSimulationIslands();
    solveConstraints(getSolverInfo());
    graze_->batch_->limit_spin(most_spin_);
    ++report_.solve_count;
}

void SpeculativeWorld::look_along_solved(btScalar time) {
    for (Mover& mover : movers_) {
        btRigidBody& body = *mover.body;
        if (mover.is_kinematic || !body.isActive()) continue;
        // Bodies that overlap were pushed apart by now.
        btTransformUtil::integrateTransform(body.getWorldTransform(), body.getLinearVelocity(),
                                            body.getAngularVelocity(), time, mover.at_t1);
        body.setWorldTransform(mover.at_t0);
        body.setInterpolationWorldTransform(mover.at_t1);
    }
    performDiscreteCollisionDetection();
    ++report_.look_count;
}

btScalar SpeculativeWorld::advance(btScalar time, bool may_cut) {
    GrazeDispatcher::Batch& batch = *graze_->batch_;
    find_movers(time);
    batch.begin_step();
    performDiscreteCollisionDetection();
    ++report_.look_count;
    bool is_refined = false;
    for (int look = 0;; ++look) {
        for (int round = 0; round < kMaxRounds; ++round) {
            solve();
            if (!(batch.add_broken(time) > batch.slop() / 2)) break;
        }
        look_along_solved(time);
        if (look == kMaxLooks) break;
        if (batch.first_crossing > 1) {
            if (is_refined || !batch.refine(time)) break;
            is_refined = true;
        }
    }
    const bool crosses = batch.first_crossing <= 1;
    const btScalar fraction = crosses ? btScalar(batch.first_crossing) : btScalar(1);
    report_.unresolved_count += crosses && !may_cut;
    finish(time, fraction, crosses && !may_cut);
    return may_cut ? time * fraction : time;
}

// Where the step cannot be cut once more, scripts go on and all else stays where it is.
void SpeculativeWorld::finish(btScalar time, btScalar fraction, bool ends_scripts) {
    const btScalar script_part = ends_scripts ? btScalar(1) : fraction;
    for (const Mover& mover : movers_) {
        btRigidBody& body = *mover.body;
        if (mover.is_kinematic) {
            const btTransform pose = between(mover.at_t0, mover.at_t1, script_part);
            body.setWorldTransform(pose);
            body.setInterpolationWorldTransform(pose);
        } else if (body.isActive()) {
            body.proceedToTransform(between(mover.at_t0, mover.at_t1, fraction));
        }
    }
    script_elapsed_ += time * script_part;
    graze_->batch_->bounce(time, fraction, getSolverInfo().m_restitutionVelocityThreshold,
                           most_spin_);
    graze_->batch_->limit_spin(most_spin_);
    graze_->batch_->collect_contacts();
    if (!(fraction < 1) || ends_scripts) return;
    // The forces of the time that is left are those of the next part.
    const btScalar left = time * (1 - fraction);
    for (const Mover& mover : movers_) {
        btRigidBody& body = *mover.body;
        if (mover.is_kinematic || !body.isActive()) continue;
        body.setLinearVelocity(body.getLinearVelocity() -
                               body.getTotalForce() * (body.getInvMass() * left));
        body.setAngularVelocity(body.getAngularVelocity() -
                                body.getInvInertiaTensorWorld() * body.getTotalTorque() * left);
    }
}

}  // namespace graze::bullet

// The part of GrazeAlgorithm for speculative dispatchers.
#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <BulletDynamics/Dynamics/btRigidBody.h>
#include <LinearMath/btTransformUtil.h>

#include <algorithm>
#include <limits>

#include "bounce_speed.h"
#include "convert.h"
#include "dispatch_batch.h"
#include "manifold_points.h"

namespace graze::bullet {

namespace {

// Points that the solver gets at once; those that the solved motion still breaks come in later
// rounds. With 4 a nut on its bolt needs more rounds, with 32 the solver takes longer.
constexpr int kFirstPoints = 12, kMorePoints = 8;

// [m] A point that is predicted to be broken by less is left to the next round.
constexpr btScalar kBrokenFraction = btScalar(0.02);  // of the gap

// The cosine of the angle by which a normal may turn in a step and be the same.
constexpr btScalar kLoadedNormal = btScalar(0.8);

// [m/s] Slower than this, bodies do not slide in any direction that means something.
constexpr btScalar kLeastSlide = btScalar(1e-3);

const btRigidBody* moving_body(const btCollisionObject& object) {
    const btRigidBody* body = btRigidBody::upcast(&object);
    if (body == nullptr || !body->isActive()) return nullptr;
    // A body without mass that became kinematic is static too.
    return body->isKinematicObject() || !body->isStaticObject() ? body : nullptr;
}

// [m/s] Returns the velocity of a point of an object.
btVector3 velocity_at(const btCollisionObject& object, const btVector3& arm) {
    const btRigidBody* body = moving_body(object);
    return body != nullptr ? body->getVelocityInLocalPoint(arm) : btVector3(0, 0, 0);
}

// [1/kg] Returns how much an impulse at arm along normal changes the velocity there.
btScalar response_of(const btCollisionObject& object, const btVector3& arm,
                     const btVector3& normal) {
    const btRigidBody* body = moving_body(object);
    if (body == nullptr || body->isKinematicObject()) return 0;
    const btVector3 turn = body->getInvInertiaTensorWorld() * arm.cross(normal);
    return body->getInvMass() + normal.dot(turn.cross(arm));
}

void push(const btCollisionObject& object, const btVector3& arm, const btVector3& impulse) {
    btRigidBody* body = btRigidBody::upcast(const_cast<btCollisionObject*>(&object));
    if (body != nullptr && !body->isStaticOrKinematicObject() && body->isActive())
        body->applyImpulse(impulse, arm);
}

}  // namespace

const btTransform& PairSide::object_t1() const {
    return moving_body(*object) != nullptr ? object->getInterpolationWorldTransform()
                                           : object->getWorldTransform();
}

StepMove PairSide::predicted_move() const {
    const btTransform &at_t0 = object->getWorldTransform(), &at_t1 = object_t1();
    StepMove result;
    result.move = at_t1.getOrigin() - at_t0.getOrigin();
    if (moving_body(*object) != nullptr) {
        btVector3 axis;
        btScalar angle = 0;
        btTransformUtil::calculateDiffAxisAngle(at_t0, at_t1, axis, angle);
        if (angle > SIMD_PI) angle -= SIMD_2_PI;
        result.turn = axis * angle;
    }
    return result;
}

StepMove PairSide::solved_move(btScalar time) const {
    const btRigidBody* moving = moving_body(*object);
    if (moving == nullptr) return {};
    return {moving->getLinearVelocity() * time, moving->getAngularVelocity() * time};
}

int GrazeAlgorithm::capacity() const {
    return owner_->options().patches.max_patches * ContactPatch::kMaxPoints;
}

btScalar GrazeAlgorithm::link_distance() const {
    // same_point_distance_ is 0.04 of the smaller body's radius.
    return std::max(same_point_distance_ * 50 * owner_->options().patches.link_distance,
                    btScalar(1e-6));
}

// The levers are those of the time of touch, when the impulse is exchanged. Until then the bodies
// come nearer by what their motion says, and value [m] is left.
SpeculativePoint GrazeAlgorithm::speculative_point(const Contact& contact, btScalar value,
                                                   const PairSide& side_0, const PairSide& side_1,
                                                   const StepMotion& motion_a,
                                                   const StepMotion& motion_b, bool flipped) const {
    SpeculativePoint point;
    point.contact = contact;
    point.normal = to_bullet(flipped ? -contact.normal : contact.normal);
    const StepMotion &motion_0 = flipped ? motion_b : motion_a,
                     &motion_1 = flipped ? motion_a : motion_b;
    const auto arm = [&](const PairSide& side, const StepMotion& motion, btVector3& local) {
        const Transform shape_from_body =
            inverse(motion.at(0)) * to_graze(side.object->getWorldTransform());
        const btTransform world_from_body = to_bullet(motion.at(contact.time) * shape_from_body);
        const btVector3 position = to_bullet(contact.position);
        local = world_from_body.invXform(position);
        return position - world_from_body.getOrigin();
    };
    point.arm_0 = arm(side_0, motion_0, point.local_0);
    point.arm_1 = arm(side_1, motion_1, point.local_1);
    point.distance = value;
    if (contact.time > 0) {
        const btScalar nearer = -point.normal.dot(side_0.predicted_move().at(point.arm_0) -
                                                  side_1.predicted_move().at(point.arm_1));
        point.distance += std::max(nearer, btScalar(0)) * contact.time;
    }
    point.contact.distance = static_cast<float>(point.distance);
    return point;
}

// [m/s] Returns how the bodies slide along each other at a point.
btVector3 GrazeAlgorithm::sliding(const SpeculativePoint& point) const {
    const btVector3 velocity =
        velocity_at(*side_0_.object, point.arm_0) - velocity_at(*side_1_.object, point.arm_1);
    return velocity - point.normal * point.normal.dot(velocity);
}

btManifoldPoint GrazeAlgorithm::solver_point(const SpeculativePoint& point) const {
    btManifoldPoint result =
        make_manifold_point(side_0_.object->getWorldTransform().getOrigin() + point.arm_0,
                            side_1_.object->getWorldTransform().getOrigin() + point.arm_1,
                            point.normal, point.distance, side_0_, side_1_);
    result.m_localPointA = point.local_0;
    result.m_localPointB = point.local_1;
    // A body that is stopped ahead of a surface bounces when it is there (see bounce()), and is
    // only then rubbed: its levers turn as it spins up, and the solver would take them for fixed.
    if (owner_->batch_->bounces || is_ahead(point)) result.m_combinedRestitution = 0;
    if (is_ahead(point)) result.m_combinedFriction = 0;
    // Bullet would take the direction of friction from velocities to which this step's weight was
    // added, most of which the normal takes up. Each of the two directions holds as much as
    // friction may, so that one that does not lie along the way brakes by up to 1.4 times as much.
    const btVector3 slide = sliding(point);
    const btScalar speed = slide.length();
    if (speed > kLeastSlide) {
        result.m_lateralFrictionDir1 = slide / speed;
        result.m_lateralFrictionDir2 = result.m_lateralFrictionDir1.cross(point.normal);
        result.m_contactPointFlags |= BT_CONTACT_FLAG_LATERAL_FRICTION_INITIALIZED;
    }
    return result;
}

void GrazeAlgorithm::look_first(const PairSide& side_0, const PairSide& side_1,
                                std::span<const Contact> contacts, const StepMotion& motion_a,
                                const StepMotion& motion_b, bool flipped) {
    side_0_ = side_0;
    side_1_ = side_1;
    left_out_count_ = 0;
    speculative_.clear();
    const float gap = owner_->options().detector.gap;
    for (const Contact& contact : contacts) {
        if (!(length_sq(contact.normal) > 0)) continue;
        speculative_.add(speculative_point(contact, contact.time > 0 ? gap : contact.distance,
                                           side_0, side_1, motion_a, motion_b, flipped));
    }
    remember_points();
    activate_loaded();
    speculative_.measure(side_0.predicted_move(), side_1.predicted_move(), btScalar(0.1));
    speculative_.choose(kFirstPoints, gap * kBrokenFraction, link_distance());
    give_first_points();
}

// Points that carried load in the last step go on to do so, as far as they are still found.
void GrazeAlgorithm::activate_loaded() {
    for (const OldPoint& old : old_points_) {
        if (!(old.point.m_appliedImpulse > 0)) continue;
        btScalar nearest = same_point_distance_ * same_point_distance_;
        std::size_t best = speculative_.points().size();
        for (std::size_t i = 0; i < speculative_.points().size(); ++i) {
            const SpeculativePoint& point = speculative_.points()[i];
            const btScalar distance_sq = (point.local_0 - old.point.m_localPointA).length2();
            if (!(distance_sq < nearest) ||
                !(point.normal.dot(old.point.m_normalWorldOnB) > kLoadedNormal))
                continue;
            nearest = distance_sq;
            best = i;
        }
        if (best < speculative_.points().size() &&
            static_cast<int>(speculative_.active().size()) < capacity() / 2)
            speculative_.activate(best);
    }
}

void GrazeAlgorithm::give_first_points() {
    std::vector<btManifoldPoint> points;
    points.reserve(speculative_.active().size());
    for (const std::uint32_t i : speculative_.active()) {
        points.push_back(solver_point(speculative_.points()[i]));
        const int old = inherit(points.back(), -1);
        // The impulse that stopped a body is not the one that holds it.
        if (old >= 0 && old_points_[static_cast<std::size_t>(old)].point.m_distance1 >
                            owner_->options().detector.gap) {
            points.back().m_appliedImpulse = 0;
            points.back().m_appliedImpulseLateral1 = points.back().m_appliedImpulseLateral2 = 0;
        }
    }
    std::size_t filled = 0;
    const std::span<const btManifoldPoint> all(points);
    for (std::size_t begin = 0; begin < all.size(); begin += ContactPatch::kMaxPoints) {
        if (filled == manifolds_.size()) add_manifold(side_0_, side_1_);
        overwrite_points(
            *manifolds_[filled++],
            all.subspan(begin, std::min<std::size_t>(ContactPatch::kMaxPoints, all.size() - begin)),
            side_0_, side_1_);
    }
    for (OldPoint& old : old_points_) {  // users are told of points that are gone
        if (!old.is_inherited) old.manifold->clearUserCache(old.point);
    }
    while (manifolds_.size() > filled) {
        overwrite_points(*manifolds_.back(), {}, side_0_, side_1_);
        owner_->releaseManifold(manifolds_.back());
        manifolds_.pop_back();
    }
}

void GrazeAlgorithm::give_more_points(std::size_t begin) {
    const auto active = speculative_.active();
    for (std::size_t i = begin; i < active.size(); ++i) {
        if (i % ContactPatch::kMaxPoints == 0) add_manifold(side_0_, side_1_);
        btPersistentManifold& manifold = *manifolds_.back();
        const int slot = manifold.addManifoldPoint(solver_point(speculative_.points()[active[i]]));
        tell_user(manifold.getContactPoint(slot), side_0_, side_1_);
        if (slot == 0 && gContactStartedCallback != nullptr) {
            btPersistentManifold* const started = &manifold;
            gContactStartedCallback(started);
        }
    }
}

btScalar GrazeAlgorithm::add_broken(btScalar time) {
    const btScalar worst =
        speculative_.measure(side_0_.solved_move(time), side_1_.solved_move(time), 0);
    const std::size_t before = speculative_.active().size();
    const int room = capacity() - static_cast<int>(before);
    const btScalar tolerance = owner_->batch_->slop() / 2;
    const int broken = speculative_.choose(std::min(room, kMorePoints), tolerance, link_distance());
    if (room <= 0) left_out_count_ = broken;
    give_more_points(before);
    return worst;
}

void GrazeAlgorithm::look_again(const PairSide& side_0, const PairSide& side_1,
                                std::span<const Contact> contacts,
                                std::span<const Crossing> crossings, const StepMotion& motion_a,
                                const StepMotion& motion_b, bool flipped) {
    side_0_ = side_0;
    side_1_ = side_1;
    for (const Crossing& crossing : crossings) {
        if (!(length_sq(crossing.normal) > 0)) continue;
        Contact deeper = contacts[crossing.contact];
        deeper.time = crossing.time;
        deeper.position = crossing.position;
        deeper.normal = crossing.normal;
        SpeculativePoint point = speculative_point(deeper, crossing.distance, side_0, side_1,
                                                   motion_a, motion_b, flipped);
        point.distance = std::max(point.distance, static_cast<btScalar>(crossing.least));
        point.contact.distance = static_cast<float>(point.distance);
        speculative_.add(point);
    }
    if (crossings.empty()) return;
    const std::size_t before = speculative_.active().size();
    const int room = capacity() - static_cast<int>(before);
    speculative_.measure(side_0.predicted_move(), side_1.predicted_move(), 0);
    const int broken = speculative_.choose(std::min(room, kMorePoints), 0, link_distance());
    if (room <= 0) left_out_count_ = broken;
    give_more_points(before);
}

void GrazeAlgorithm::remember_approach() {
    for (SpeculativePoint& point : speculative_.points()) {
        point.bounce = 0;
        point.rub = {0, 0, 0};
        point.approach = -point.normal.dot(velocity_at(*side_0_.object, point.arm_0) -
                                           velocity_at(*side_1_.object, point.arm_1));
    }
}

// A step that is cut adds the forces of its rest once more, which bodies that bounce have not got.
void GrazeAlgorithm::find_bounces(btScalar time, btScalar part, btScalar least_speed) {
    has_bounces_ = false;
    const btScalar moved = time * part;
    const StepMove move_0 = side_0_.solved_move(moved), move_1 = side_1_.solved_move(moved);
    const btScalar restitution =
        btManifoldResult::calculateCombinedRestitution(side_0_.object, side_1_.object);
    const auto active = speculative_.active();
    for (std::size_t i = 0; i < active.size(); ++i) {
        SpeculativePoint& point = speculative_.points()[active[i]];
        const btManifoldPoint& solved = solved_point(i);
        const btScalar left =
            point.distance + point.normal.dot(move_0.at(point.arm_0) - move_1.at(point.arm_1));
        point.stop = left <= owner_->options().detector.gap / 2 ? solved.m_appliedImpulse : 0;
        Approach approach = approach_at(*side_0_.object, point.arm_0, *side_1_.object, point.arm_1,
                                        point.normal, point.distance, moved);
        approach.speed = -point.approach;
        // Without restitution they stop: until now they moved on, to where they touch.
        point.bounces = point.stop > 0 && point.approach > least_speed;
        point.parting = approach.acceleration * (time - moved);
        if (restitution > 0 && approach.may_bounce())
            point.parting += approach.bounce_speed_at(left, restitution);
        has_bounces_ = has_bounces_ || point.stop > 0;
    }
}

void GrazeAlgorithm::bounce(btScalar most_spin) {
    if (!has_bounces_) return;
    const btCollisionObject &object_0 = *side_0_.object, &object_1 = *side_1_.object;
    const btScalar friction = btManifoldResult::calculateCombinedFriction(&object_0, &object_1);
    for (const std::uint32_t i : speculative_.active()) {
        SpeculativePoint& point = speculative_.points()[i];
        if (!(point.stop > 0)) continue;
        const auto respond = [&](const btVector3& direction) {
            return response_of(object_0, point.arm_0, direction) +
                   response_of(object_1, point.arm_1, direction);
        };
        const auto push_apart = [&](const btVector3& impulse) {
            push(object_0, point.arm_0, impulse);
            push(object_1, point.arm_1, -impulse);
        };
        const auto apart = [&] {
            return velocity_at(object_0, point.arm_0) - velocity_at(object_1, point.arm_1);
        };
        const btScalar response = respond(point.normal);
        if (!(response > 0)) continue;
        if (point.bounces) {
            const btScalar wanted =
                point.bounce + (point.parting - point.normal.dot(apart())) / response;
            const btScalar impulse = std::max(wanted, btScalar(0)) - point.bounce;
            point.bounce += impulse;
            push_apart(point.normal * impulse);
        }
        // Points within the gap have their friction from the solver.
        if (!is_ahead(point)) continue;
        const btVector3 slide = sliding(point);
        const btScalar speed = slide.length();
        if (!(speed > 0)) continue;
        btVector3 rub = point.rub - slide / respond(slide / speed);
        const btScalar most = friction * (point.stop + point.bounce);
        if (rub.length() > most) rub *= most / rub.length();
        push_apart(rub - point.rub);
        point.rub = rub;
        limit_spin(most_spin);
    }
}

void GrazeAlgorithm::limit_spin(btScalar most) {
    if (speculative_.active().empty()) return;
    for (const btCollisionObject* object : {side_0_.object, side_1_.object}) {
        btRigidBody* body = btRigidBody::upcast(const_cast<btCollisionObject*>(object));
        if (body == nullptr || body->isStaticOrKinematicObject()) continue;
        const btScalar speed = body->getAngularVelocity().length();
        if (speed > most) body->setAngularVelocity(body->getAngularVelocity() * (most / speed));
    }
}

bool GrazeAlgorithm::is_ahead(const SpeculativePoint& point) const {
    return point.distance > owner_->options().detector.gap;
}

}  // namespace graze::bullet

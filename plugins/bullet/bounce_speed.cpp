#include "bounce_speed.h"

#include <BulletDynamics/Dynamics/btRigidBody.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace graze::bullet {

namespace {

// What comes slower than in so many steps from rest does not bounce, so that things come to rest.
constexpr btScalar kRestSteps = 2;

// The fraction of the speed of an impact at which an overlap that it left is pushed apart. By
// itself a solver would turn an overlap of 15 mm into 0.6 m/s in steps of 5 ms.
// It grows with the time [1/s], so that what is pressed together does not sink in for long.
constexpr btScalar kPushSpeed = btScalar(0.03), kPushGrowth = btScalar(1);

// The fraction of an overlap that a solver takes away in a step, at most (Bullet's own m_erp2).
constexpr btScalar kMostPushed = btScalar(0.2);

// The solver has no velocity of a body that never moves, whatever its user set.
const btRigidBody* body_with_velocity(const btCollisionObject& object) {
    const btRigidBody* body = btRigidBody::upcast(&object);
    if (body == nullptr) return nullptr;
    return body->isKinematicObject() || !body->isStaticObject() ? body : nullptr;
}

btVector3 velocity_at(const btCollisionObject& object, const btVector3& arm) {
    const btRigidBody* body = body_with_velocity(object);
    return body != nullptr ? body->getVelocityInLocalPoint(arm) : btVector3(0, 0, 0);
}

// Returns the larger root v of v^2 + by v = twice, or 0 where there is none above.
btScalar larger_root(btScalar by, btScalar twice) {
    const btScalar under = by * by + 4 * twice;
    return under > 0 ? (std::sqrt(under) - by) / 2 : btScalar(0);
}

// [m/s^2] Returns what the step's forces accelerate a point of an object by.
btVector3 acceleration_at(const btCollisionObject& object, const btVector3& arm) {
    const btRigidBody* body = btRigidBody::upcast(&object);
    if (body == nullptr || body->isStaticOrKinematicObject() || !body->isActive())
        return btVector3(0, 0, 0);
    return body->getTotalForce() * body->getInvMass() +
           (body->getInvInertiaTensorWorld() * body->getTotalTorque()).cross(arm);
}

}  // namespace

bool Approach::arrives() const {
    return distance + (speed + acceleration * time) * time <= 0;
}

btScalar Approach::energy() const {
    const btScalar twice =
        speed * speed + acceleration * time * speed - 2 * acceleration * distance;
    return std::max(twice, btScalar(0)) / 2;
}

// The step ends at distance + v time.
btScalar Approach::bounce_speed(btScalar restitution) const {
    const btScalar kept = restitution * restitution * energy();
    const btScalar speed_after =
        larger_root(-acceleration * time, 2 * (kept + acceleration * distance));
    return std::max(speed_after, btScalar(0));
}

btScalar Approach::bounce_speed_at(btScalar end_distance, btScalar restitution) const {
    const btScalar kept = restitution * restitution * energy();
    const btScalar speed_after =
        larger_root(acceleration * time, 2 * (kept + acceleration * end_distance));
    return std::max(speed_after, btScalar(0));
}

Approach approach_at(const btCollisionObject& object_0, const btVector3& arm_0,
                     const btCollisionObject& object_1, const btVector3& arm_1,
                     const btVector3& normal, btScalar distance, btScalar time) {
    const btScalar by_0 = normal.dot(acceleration_at(object_0, arm_0));
    const btScalar by_1 = normal.dot(acceleration_at(object_1, arm_1));
    Approach approach;
    approach.speed = normal.dot(velocity_at(object_0, arm_0) - velocity_at(object_1, arm_1));
    approach.acceleration = by_0 - by_1;
    approach.distance = distance;
    approach.time = time;
    approach.rest_speed = kRestSteps * std::max(std::fabs(by_0), std::fabs(by_1)) * time;
    return approach;
}

btScalar set_bounce(btManifoldPoint& point, const btCollisionObject& object_0,
                    const btCollisionObject& object_1, btScalar time) {
    if (!(time > 0)) return 0;
    // The velocities of links are those of their multi-body, which has a solver of its own; springs
    // have restitution by their damping.
    constexpr int kRigid =
        btCollisionObject::CO_COLLISION_OBJECT | btCollisionObject::CO_RIGID_BODY;
    for (const btCollisionObject* object : {&object_0, &object_1}) {
        if ((object->getInternalType() & ~kRigid) != 0) return 0;
    }
    if ((point.m_contactPointFlags & BT_CONTACT_FLAG_CONTACT_STIFFNESS_DAMPING) != 0) return 0;
    const Approach approach = approach_at(
        object_0, point.getPositionWorldOnA() - object_0.getWorldTransform().getOrigin(), object_1,
        point.getPositionWorldOnB() - object_1.getWorldTransform().getOrigin(),
        point.m_normalWorldOnB, point.getDistance(), time);
    const btScalar restitution = std::exchange(point.m_combinedRestitution, btScalar(0));
    if (!approach.may_bounce() || !approach.arrives()) return 0;
    const btScalar speed = restitution > 0 ? approach.bounce_speed(restitution) : btScalar(0);
    if (!(speed > 0)) return approach.is_new_overlap() ? -approach.speed : btScalar(0);
    // The solver takes away the speed that closes the distance within the step.
    const btScalar closing = std::max(approach.distance, btScalar(0)) / time;
    point.m_combinedRestitution = (speed + closing) / -approach.speed;
    point.m_contactPointFlags |= BT_CONTACT_FLAG_HAS_CONTACT_ERP;
    point.m_contactERP = 0;
    return 0;
}

void SlowPush::add_impact(btScalar speed) {
    speed_ = std::max(speed_, speed * kPushSpeed);
}

void SlowPush::grow(btScalar time) {
    speed_ *= 1 + kPushGrowth * time;
}

bool SlowPush::limit(btManifoldPoint& point, btScalar time) const {
    const btScalar overlap = -point.getDistance();
    if ((point.m_contactPointFlags & BT_CONTACT_FLAG_HAS_CONTACT_ERP) != 0 ||
        !(speed_ * time < overlap * kMostPushed))
        return false;
    point.m_contactPointFlags |= BT_CONTACT_FLAG_HAS_CONTACT_ERP;
    point.m_contactERP = speed_ * time / overlap;
    return true;
}

}  // namespace graze::bullet

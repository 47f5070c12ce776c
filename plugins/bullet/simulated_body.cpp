#include "simulated_body.h"

#include <LinearMath/btTransformUtil.h>

#include <algorithm>
#include <cmath>

#include "convert.h"
#include "graze/error.h"

namespace graze::bullet {

namespace {

MassFrame frame_of(const SceneDescription& scene, const SceneBody& body) {
    const SceneShape& shape = scene.shapes.at(body.shape);
    if (body.motion != BodyMotion::dynamic)
        return {.body_from_shape = {{0, 0, 0}, Quat::identity(), body.pose.scale}};
    if (!shape.mass)
        throw Error("body '" + body.name + "': its shape '" + shape.name +
                    "' has no end, and so no mass; make the body fixed");
    try {
        return mass_frame(*shape.mass, scene.materials.at(body.material).density, body.pose.scale);
    } catch (const Error& error) {
        throw Error("body '" + body.name + "': " + error.what());
    }
}

}  // namespace

void SteadyMotion::move(const Vec3& velocity, const Vec3& angular_velocity, btScalar time) {
    btTransform next;
    btTransformUtil::integrateTransform(world_from_body_, to_bullet(velocity),
                                        to_bullet(angular_velocity), time, next);
    world_from_body_ = next;
}

SimulatedBody::SimulatedBody(const SceneDescription& scene, std::uint32_t index, float margin)
    : description_(scene.bodies[index]) {
    const MassFrame frame = frame_of(scene, description_);
    const Material& material = scene.materials.at(description_.material);
    shape_ =
        std::make_unique<GrazeShape>(scene.shapes[description_.shape].shape, frame.body_from_shape);
    shape_->setMargin(margin);
    const Transform world_from_body = description_.pose * inverse(frame.body_from_shape);
    const bool is_dynamic = description_.motion == BodyMotion::dynamic;
    btRigidBody::btRigidBodyConstructionInfo info(frame.mass, nullptr, shape_.get(),
                                                  to_bullet(frame.inertia));
    info.m_startWorldTransform = to_bullet(world_from_body);
    // Bullet takes the product of both bodies' factors.
    info.m_friction = std::sqrt(material.friction);
    info.m_restitution = std::sqrt(material.restitution);
    info.m_linearDamping = scene.solver.linear_damping;
    info.m_angularDamping = scene.solver.angular_damping;
    // [m/s], [rad/s] Bullet's own thresholds, 0.8 and 1, would put a nut to sleep while it turns.
    // In a stack of ten, the speeds that the solver leaves are about a hundredth of these.
    const float size = length(extent(scene.shapes[description_.shape].shape.bounds()));
    info.m_linearSleepingThreshold =
        btScalar(0.05) * std::min(size * description_.pose.scale, 1.0f);
    info.m_angularSleepingThreshold = btScalar(0.1);
    if (description_.motion == BodyMotion::kinematic) {
        motion_ = std::make_unique<SteadyMotion>(info.m_startWorldTransform);
        info.m_motionState = motion_.get();
    }
    body_ = std::make_unique<btRigidBody>(info);
    body_->setUserIndex(static_cast<int>(index));
    if (is_dynamic) {
        body_->setLinearVelocity(to_bullet(description_.velocity));
        body_->setAngularVelocity(to_bullet(description_.angular_velocity));
        if (!scene.solver.sleeps) body_->setActivationState(DISABLE_DEACTIVATION);
    }
    if (motion_) {
        body_->setCollisionFlags(body_->getCollisionFlags() |
                                 btCollisionObject::CF_KINEMATIC_OBJECT);
        body_->setActivationState(DISABLE_DEACTIVATION);
    }
}

void SimulatedBody::apply_forces() {
    if (description_.motion != BodyMotion::dynamic) return;
    if (length_sq(description_.force) > 0 || length_sq(description_.torque) > 0) {
        body_->activate();
        body_->applyCentralForce(to_bullet(description_.force));
        body_->applyTorque(to_bullet(description_.torque));
    }
}

void SimulatedBody::move_kinematic(btScalar time) {
    if (motion_) motion_->move(description_.velocity, description_.angular_velocity, time);
}

BodyState SimulatedBody::state(bool is_present) const {
    BodyState state;
    state.is_present = is_present;
    state.pose = to_graze(body_->getWorldTransform()) * shape_->body_from_shape();
    state.velocity = to_graze(body_->getLinearVelocity());
    state.angular_velocity = to_graze(body_->getAngularVelocity());
    state.is_asleep =
        description_.motion == BodyMotion::dynamic && is_present && !body_->isActive();
    return state;
}

double SimulatedBody::kinetic_energy() const {
    if (description_.motion != BodyMotion::dynamic) return 0;
    const btVector3 spin =
        body_->getWorldTransform().getBasis().transpose() * body_->getAngularVelocity();
    double twice =
        length_sq(static_cast<Vec3d>(to_graze(body_->getLinearVelocity()))) * body_->getMass();
    for (int axis = 0; axis < 3; ++axis)
        twice += static_cast<double>(spin[axis]) * spin[axis] * body_->getLocalInertia()[axis];
    return twice / 2;
}

double SimulatedBody::potential_energy(const Vec3& gravity) const {
    if (description_.motion != BodyMotion::dynamic) return 0;
    return -static_cast<double>(body_->getMass()) *
           dot(static_cast<Vec3d>(gravity),
               static_cast<Vec3d>(to_graze(body_->getWorldTransform().getOrigin())));
}

}  // namespace graze::bullet

// SimulatedBody is a body of a scene in Bullet's world.
#pragma once

#include <BulletDynamics/Dynamics/btRigidBody.h>

#include <memory>

#include "graze/simulation.h"
#include "graze_bullet/graze_shape.h"

namespace graze::bullet {

// SteadyMotion moves a kinematic body by its velocities; Bullet asks it where the body is at a
// step's end.
class SteadyMotion : public btMotionState {
public:
    BT_DECLARE_ALIGNED_ALLOCATOR();

    explicit SteadyMotion(const btTransform& world_from_body) : world_from_body_(world_from_body) {}
    void move(const Vec3& velocity, const Vec3& angular_velocity, btScalar time);
    void getWorldTransform(btTransform& world_from_body) const override {
        world_from_body = world_from_body_;
    }
    void setWorldTransform(const btTransform& /*world_from_body*/) override {}

private:
    btTransform world_from_body_;
};

class SimulatedBody {
public:
    // index is that of the body in the scene, which the Bullet body carries as its user index.
    SimulatedBody(const SceneDescription& scene, std::uint32_t index, float margin);

    btRigidBody& rigid_body() { return *body_; }
    // Both functions are called before each step.
    void apply_forces();
    void move_kinematic(btScalar time);

    BodyState state(bool is_present) const;
    double kinetic_energy() const;                       // [J]
    double potential_energy(const Vec3& gravity) const;  // [J] 0 at the origin

private:
    const SceneBody& description_;
    std::unique_ptr<GrazeShape> shape_;
    std::unique_ptr<SteadyMotion> motion_;  // of a kinematic body
    std::unique_ptr<btRigidBody> body_;
};

}  // namespace graze::bullet

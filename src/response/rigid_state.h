// RigidState: where a rigid body is and how it moves, and the symplectic Euler step that takes it
// on.
//
// Only plain arithmetic and square roots are used, so that both machines give the same bits.
#pragma once

#include <cstdint>

#include "graze/transform.h"

namespace graze {

struct RigidState {
    Vec3d centre;            // [m] of mass, world
    Quatd rotation;          // world from shape, unit
    Vec3d velocity;          // [m/s] of the centre
    Vec3d angular_momentum;  // [kg m^2/s] about the centre, world; only of dynamic bodies
    Vec3d angular_velocity;  // [rad/s] world: the last step turned the body by it, all along
    std::uint32_t is_present;
    // It went beyond all bounds or turned by more than half a turn in a step, as bodies do where a
    // step is too long for a stiff contact; since then it stays where it was and touches nothing.
    std::uint32_t is_lost;
};

// What a body has from its shape, its material and the scene.
struct RigidProperties {
    double inverse_mass;     // [1/kg]; 0 where no force moves it
    Mat3d inertia;           // [kg m^2] about the centre, in the shape's axes
    Mat3d inverse_inertia;   // [1/(kg m^2)]; zero where no force moves it
    Vec3d local_centre;      // [m] of mass, in the shape's frame
    double scale;            // metres of the world per metre of the shape
    Vec3d acceleration;      // [m/s^2] by gravity and by the force that always acts on it
    Vec3d torque;            // [N m] that always acts on it, world
    double start_time;       // [s] it is not there before
    float friction;          // Coulomb's
    std::uint32_t is_fixed;  // 1: nothing ever moves it, and no one asks what acts on it
};

// What acts on a body during a step.
struct BodyForce {
    Vec3d force;   // [N]
    Vec3d torque;  // [N m] about the centre of mass
};

namespace rigid_state_detail {

// Beyond these a body is lost. One that makes more than half a turn in a step would be searched
// along the shorter arc, which is not its path.
constexpr double kFarthest = 1e7;      // [m]
constexpr double kMostTurning = 3.14;  // [rad] in a step

}  // namespace rigid_state_detail

// The rotation by a vector: around it, by its length [rad], to the last bits.
template <class T>
GRAZE_HD inline QuatT<T> rotation_by(const Vec3T<T>& turn) {
    // Halved until the series of sine and cosine below have converged.
    Vec3T<T> half = turn * T(0.5);
    int halvings = 0;
    while (length_sq(half) > T(0.0625) && halvings < 24) {
        half = half * T(0.5);
        ++halvings;
    }
    const T s = length_sq(half);
    // Taylor series; what is left out is below 1e-18 for lengths up to 1/4.
    T cosine = T(1) - s * T(1.0 / 132);
    cosine = T(1) - s * T(1.0 / 90) * cosine;
    cosine = T(1) - s * T(1.0 / 56) * cosine;
    cosine = T(1) - s * T(1.0 / 30) * cosine;
    cosine = T(1) - s * T(1.0 / 12) * cosine;
    cosine = T(1) - s * T(0.5) * cosine;
    T sine_of_one = T(1) - s * T(1.0 / 156);
    sine_of_one = T(1) - s * T(1.0 / 110) * sine_of_one;
    sine_of_one = T(1) - s * T(1.0 / 72) * sine_of_one;
    sine_of_one = T(1) - s * T(1.0 / 42) * sine_of_one;
    sine_of_one = T(1) - s * T(1.0 / 20) * sine_of_one;
    sine_of_one = T(1) - s * T(1.0 / 6) * sine_of_one;
    QuatT<T> rotation{cosine, half.x * sine_of_one, half.y * sine_of_one, half.z * sine_of_one};
    for (int i = 0; i < halvings; ++i)
        rotation = rotation * rotation;
    return rotation;
}

// World from shape, in floats.
GRAZE_HD inline Transform pose_of(const RigidState& state, const RigidProperties& body) {
    const Vec3d arm = rotate(state.rotation, body.local_centre * body.scale);
    const Quatd& q = state.rotation;
    return {static_cast<Vec3>(state.centre - arm),
            normalized(Quat{static_cast<float>(q.w), static_cast<float>(q.x),
                            static_cast<float>(q.y), static_cast<float>(q.z)}),
            static_cast<float>(body.scale)};
}

// The angular velocity that an angular momentum means at a rotation.
GRAZE_HD inline Vec3d angular_velocity_of(const RigidProperties& body, const Quatd& rotation,
                                          const Vec3d& angular_momentum) {
    const Vec3d local = rotate(conjugate(rotation), angular_momentum);
    return rotate(rotation, body.inverse_inertia * local);
}

struct RigidStep {
    double duration;  // [s]
    // What is left of velocities after a step.
    double linear_rest, angular_rest;
};

// Moves a body on: first its velocity by what acts on it, then its pose by the new velocity. It is
// the angular momentum that torques change, so that what spins freely keeps it to rounding; the
// rotation goes by the angular velocity in the middle of the step, which holds the gyroscopic term.
GRAZE_HD inline RigidState step_rigid(const RigidState& before, const RigidProperties& body,
                                      const BodyForce& acting, const RigidStep& step) {
    RigidState after = before;
    if (!before.is_present || before.is_lost) return after;
    const double h = step.duration;
    if (body.inverse_mass > 0) {
        after.velocity =
            (before.velocity + (body.acceleration + acting.force * body.inverse_mass) * h) *
            step.linear_rest;
        after.angular_momentum =
            (before.angular_momentum + (body.torque + acting.torque) * h) * step.angular_rest;
        const Vec3d first = angular_velocity_of(body, before.rotation, after.angular_momentum);
        const Quatd middle = rotation_by(first * (h / 2)) * before.rotation;
        after.angular_velocity =
            angular_velocity_of(body, normalized(middle), after.angular_momentum);
    }
    after.centre = before.centre + after.velocity * h;
    const double turning_sq = length_sq(after.angular_velocity) * h * h;
    const double most = rigid_state_detail::kMostTurning, farthest = rigid_state_detail::kFarthest;
    const bool is_sound =
        turning_sq < most * most && length_sq(after.centre) < farthest * farthest &&
        length_sq(after.velocity) * h * h < farthest * farthest;  // false where one is NaN
    if (!is_sound) {
        after = before;
        after.velocity = after.angular_velocity = after.angular_momentum = Vec3d{0, 0, 0};
        after.is_lost = 1;
        return after;
    }
    if (turning_sq > 0)
        after.rotation = normalized(rotation_by(after.angular_velocity * h) * before.rotation);
    return after;
}

}  // namespace graze

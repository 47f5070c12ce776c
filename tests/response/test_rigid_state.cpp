// A rigid body's step: rotations to the last bits, momentum that stays, and bodies that get lost.
#include "response/rigid_state.h"

#include <gtest/gtest.h>

#include <random>

namespace graze {
namespace {

RigidProperties box_of(const Vec3d& sides, double mass) {
    RigidProperties body{};
    body.inverse_mass = 1 / mass;
    const Vec3d sq{sides.x * sides.x, sides.y * sides.y, sides.z * sides.z};
    const Vec3d diagonal = Vec3d{sq.y + sq.z, sq.x + sq.z, sq.x + sq.y} * (mass / 12);
    body.inertia = Mat3d::diagonal(diagonal);
    body.inverse_inertia = inverse(body.inertia);
    body.local_centre = body.acceleration = body.torque = Vec3d{0, 0, 0};
    body.scale = 1;
    return body;
}
RigidState at_rest() {
    const Vec3d none{0, 0, 0};
    RigidState state{};
    state.rotation = Quatd::identity();
    state.centre = state.velocity = state.angular_momentum = state.angular_velocity = none;
    state.is_present = 1;
    return state;
}
const BodyForce kNoForce{{0, 0, 0}, {0, 0, 0}};

double turning_energy(const RigidState& state, const RigidProperties& body) {
    const Vec3d turn = angular_velocity_of(body, state.rotation, state.angular_momentum);
    return dot(turn, state.angular_momentum) / 2;
}

TEST(RigidState, RotationsAreThoseOfTheStandardLibrary) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (int i = 0; i < 2000; ++i) {
        const double size = i % 3 == 0 ? 1e-6 : (i % 3 == 1 ? 0.1 : 3);
        const Vec3d turn = Vec3d{unit(random), unit(random), unit(random)} * size;
        const Quatd expected = Quatd::from_axis_angle(turn, length(turn));
        const Quatd found = rotation_by(turn);
        EXPECT_NEAR(found.w, expected.w, 1e-14);
        EXPECT_NEAR(found.x, expected.x, 1e-14);
        EXPECT_NEAR(found.y, expected.y, 1e-14);
        EXPECT_NEAR(found.z, expected.z, 1e-14);
    }
    EXPECT_EQ(rotation_by(Vec3d{0, 0, 0}).w, 1);
}

TEST(RigidState, FallsBySymplecticEuler) {
    RigidProperties body = box_of({1, 1, 1}, 2);
    body.acceleration = {0, 0, -10};
    RigidState state = at_rest();
    const int steps = 100;
    const double h = 0.01;
    for (int i = 0; i < steps; ++i)
        state = step_rigid(state, body, {{2, 0, 0}, {0, 0, 0}}, {h, 1, 1});
    EXPECT_NEAR(state.velocity.z, -10, 1e-12);
    EXPECT_NEAR(state.velocity.x, 1, 1e-12) << "2 N on 2 kg for 1 s";
    // Velocities of the steps' ends: h^2 a (1 + ... + n).
    EXPECT_NEAR(state.centre.z, -10 * h * h * steps * (steps + 1) / 2, 1e-12);
}

// A brick thrown about its middle axis tumbles; nothing but the gyroscopic term makes it.
TEST(RigidState, ATumblingBrickKeepsMomentumAndEnergy) {
    const RigidProperties body = box_of({0.2, 0.1, 0.05}, 1);
    RigidState state = at_rest();
    state.angular_velocity = {0.05, 12, 0.02};
    state.angular_momentum = body.inertia * state.angular_velocity;
    const Vec3d momentum = state.angular_momentum;
    const double energy = turning_energy(state, body);
    double least = 1;
    for (int i = 0; i < 20'000; ++i) {
        state = step_rigid(state, body, kNoForce, {1e-3, 1, 1});
        const Vec3d axis = rotate(state.rotation, Vec3d{0, 1, 0});
        least = std::min(least, axis.y);
        ASSERT_NEAR(turning_energy(state, body), energy, 2e-3 * energy) << i;
    }
    EXPECT_EQ(state.angular_momentum, momentum);
    EXPECT_LT(least, -0.9) << "it turns over";
    EXPECT_EQ(state.is_lost, 0u);
}

TEST(RigidState, WhatIsNotThereOrNotMovedByForces) {
    RigidProperties body = box_of({1, 1, 1}, 1);
    body.acceleration = {0, 0, -10};
    RigidState absent = at_rest();
    absent.is_present = 0;
    EXPECT_EQ(step_rigid(absent, body, kNoForce, {0.1, 1, 1}).velocity, (Vec3d{0, 0, 0}));
    RigidProperties kinematic = body;
    kinematic.inverse_mass = 0;
    RigidState moving = at_rest();
    moving.velocity = {1, 0, 0};
    moving.angular_velocity = {0, 0, 2};
    const RigidState moved =
        step_rigid(moving, kinematic, {{100, 100, 100}, {5, 5, 5}}, {0.1, 1, 1});
    EXPECT_EQ(moved.velocity, moving.velocity);
    EXPECT_EQ(moved.angular_velocity, moving.angular_velocity);
    EXPECT_NEAR(moved.centre.x, 0.1, 1e-15);
    EXPECT_NEAR(moved.rotation.z, std::sin(0.1), 1e-15);
}

TEST(RigidState, DampingTakesAFraction) {
    RigidState state = at_rest();
    state.velocity = {1, 0, 0};
    const double rest = std::pow(1 - 0.2, 0.01);
    for (int i = 0; i < 100; ++i)
        state = step_rigid(state, box_of({1, 1, 1}, 1), kNoForce, {0.01, rest, 1});
    EXPECT_NEAR(state.velocity.x, 0.8, 1e-12);
}

TEST(RigidState, GetsLostBeyondAllBounds) {
    const RigidProperties body = box_of({1, 1, 1}, 1);
    const double infinite = std::numeric_limits<double>::infinity();
    for (const double force : {1e300, infinite, -infinite, std::nan("")}) {
        const RigidState lost =
            step_rigid(at_rest(), body, {{0, force, 0}, {0, 0, 0}}, {0.01, 1, 1});
        EXPECT_EQ(lost.is_lost, 1u);
        EXPECT_EQ(lost.centre, (Vec3d{0, 0, 0}));
        EXPECT_EQ(step_rigid(lost, body, {{1, 1, 1}, {0, 0, 0}}, {0.01, 1, 1}).centre,
                  (Vec3d{0, 0, 0}));
        EXPECT_EQ(step_rigid(at_rest(), body, {{0, 0, 0}, {force, 0, 0}}, {0.01, 1, 1}).is_lost,
                  1u);
    }
    RigidState fast = at_rest();
    fast.angular_momentum = body.inertia * Vec3d{0, 320, 0};
    EXPECT_EQ(step_rigid(fast, body, kNoForce, {0.01, 1, 1}).is_lost, 1u)
        << "more than half a turn in a step";
    EXPECT_EQ(step_rigid(fast, body, kNoForce, {0.005, 1, 1}).is_lost, 0u);
}

}  // namespace
}  // namespace graze

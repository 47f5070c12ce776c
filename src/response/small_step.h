// SmallStep: the motion of a ClothWorld in a fraction of a step, from velocities to positions and
// back.
//
// A step consists of many small ones, each of which predicts, solves every constraint once and
// takes velocities from what positions did. What one pass leaves of an error shrinks with the
// square of the time, so that this keeps edges far stiffer than as many passes over one large step
// (Macklin et al., "Small Steps in Physics Simulation", 2019).
#pragma once

#include <span>

#include "parallel/cpu_executor.h"
#include "response/cloth_world.h"

namespace graze {

struct SmallStep {
    double seconds;
    Vec3d gravity;           // [m/s^2]
    double kept, turn_kept;  // the fractions of velocities that damping leaves
};

// Moves everything on as if it met nothing; it is then at world.next, and was at world.from. The
// script's vertices go straight from before to scripted, of which this fraction is done.
void begin_small_step(CpuExecutor& executor, ClothWorld& world, const SmallStep& step,
                      std::span<const Vec3d> before, std::span<const Vec3> scripted,
                      double fraction);
// Takes velocities from what positions did.
void end_small_step(CpuExecutor& executor, ClothWorld& world, const SmallStep& step);

// Where a rigid body is, and how fast [m], [m/s], [rad/s].
struct RigidMotion {
    Vec3d centre;
    Quatd rotation;
    Vec3d velocity, angular_velocity;
};
// Moves a body that meets nothing; of body only its mass and what acts on it count.
void move_freely(const RigidBody& body, RigidMotion& motion, const SmallStep& step);
// [rad/s] That takes one rotation to the other in so many seconds.
Vec3d angular_velocity_between(const Quatd& from, const Quatd& to, double seconds);

}  // namespace graze

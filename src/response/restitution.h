// Restitution: what comes at each other too fast to rest leaves with a fraction of its speed.
//
// Position-based dynamics takes velocities from what positions did, so that whatever is stopped has
// lost its speed. After a step, this gives the contacts of bouncy materials the speed back with
// which their points are to leave each other, as impulses (as in Müller et al., "Detailed Rigid
// Body Simulation with Extended Position Based Dynamics", 2020, section 3.6). Where we differ: the
// speed is not that of the step's begin, but the one at which the points would arrive where the
// step has left them. Without that a ball would lose the height that it falls within the step of
// the bounce, 7% of a metre at 60 steps a second.
//
// Small steps of v += a h, x += v h conserve v^2 / 2 - a x + a h v / 2 for a constant acceleration
// a, exactly. With u the speed along the normal at the step's begin, d how far the points still are
// from where the step leaves them, and v that speed on the way back:
//
//     v^2 + a h v = e^2 (u^2 + a h u - 2 a d)
//
// so that with a restitution e a thing returns to e^2 of the height that it came from.
#pragma once

#include <span>

#include "response/contact_constraints.h"
#include "response/small_step.h"

namespace graze {

class Restitution {
public:
    // Does nothing from here on where no material of the world is bouncy.
    // A step has so many small ones.
    Restitution(const ClothWorld& world, const SmallStep& small_step, int small_step_count);

    // Keeps the velocities, before so many small steps, the whole step or a part of it, change any,
    // and where everything would go in them if it met nothing. before and scripted [m], by vertex,
    // are where they begin, and where the script ends.
    void begin(const ClothWorld& world, std::span<const Vec3d> before,
               std::span<const Vec3> scripted, int small_step_count);
    // Changes velocities at the step's end, where they are what positions did since before_step
    // [m], by vertex. Returns the work [J] that the script does by it.
    double apply(ClothWorld& world, std::span<const ContactConstraint> contacts,
                 std::span<const Vec3d> before_step, int iterations);

private:
    // What a rigid body does in a step.
    struct Motion {
        Vec3d centre, velocity, angular_velocity;  // at the step's begin
        Vec3d next_centre;                         // predicted
        Quatd next_rotation;
    };
    struct Bounce {
        const ContactConstraint* contact;
        double speed;    // [m/s] along the normal, that the points are to have
        double impulse;  // [kg m/s] so far, not negative
    };

    // The speed [m/s] at which a contact's points are to part; 0 where they do not bounce.
    double bounce_speed(const ClothWorld& world, const ContactConstraint& contact) const;
    Vec3d start_velocity(const ClothWorld& world, std::uint32_t vertex) const;
    Vec3d predicted(const ClothWorld& world, std::uint32_t vertex) const;
    double normal_speed(const ClothWorld& world, const ContactConstraint& contact) const;
    // [m/s] Of the script's share in the point at which a contact's others are pushed.
    Vec3d script_velocity(const ClothWorld& world, const ContactConstraint& contact) const;
    void solve(ClothWorld& world, Bounce& bounce) const;

    bool is_on_ = false;
    SmallStep small_step_;
    int whole_count_;                     // small steps in a step
    int small_step_count_;                // in the part of it
    double seconds_ = 0;                  // of the part
    double velocity_seconds_ = 0;         // [s] a velocity takes things so many of it in the part
    double acceleration_seconds_sq_ = 0;  // [s^2] and an acceleration so many of it
    std::vector<Vec3d> velocities_;       // [m/s] by vertex, of cloth, at the part's begin
    std::vector<Vec3d> predicted_;        // [m] by vertex, of cloth and the script
    std::vector<Motion> rigid_;
    std::span<const Vec3d> before_;  // [m] by vertex, at the step's begin
    std::vector<Bounce> bounces_;
};

}  // namespace graze

// StepMotion is where a body is at any time of a step, as the detector has it: its origin moves
// straight and it turns evenly, by less than half a turn.
#pragma once

#include <optional>

#include "graze/field.h"
#include "graze/transform.h"

namespace graze::bullet {

class StepMotion {
public:
    StepMotion(const Transform& pose_t0, const Transform& pose_t1);

    Transform at(float time) const;
    // [m], [rad] How far the origin moves and how far the body turns within the step.
    const Vec3& move() const { return move_; }
    Vec3 turn() const { return axis_ * angle_; }

private:
    Transform pose_t0_;
    Vec3 move_;
    Vec3 axis_{0, 0, 1};
    float angle_ = 0;
};

// A point that gets deeper into a body than it may.
struct Crossing {
    float time = 0;          // when
    float distance = 0;      // [m] to the body's surface then
    Vec3 position{0, 0, 0};  // [m] world, then
    Vec3 normal{0, 0, 0};    // unit, world: the gradient of the body's field, then
};

// Returns when a point, given in its body's frame, gets below level [m] in the other body's field,
// from begin on; nothing where it does not. The field never changes faster than the point moves, so
// the distance that is left says how long nothing can happen; level is reached within tolerance
// [m]. Where the search takes too many steps, it ends with the time up to which the point is above.
std::optional<Crossing> find_crossing(const Vec3& point, const StepMotion& of_point,
                                      const Field& field, const StepMotion& of_field, float begin,
                                      float level, float tolerance);

}  // namespace graze::bullet

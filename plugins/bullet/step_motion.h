// StepMotion is where a body is at any time of a step, as the detector has it: its origin moves
// straight and it turns evenly, by less than half a turn.
#pragma once

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

}  // namespace graze::bullet

#include "step_motion.h"

#include <cmath>

namespace graze::bullet {

StepMotion::StepMotion(const Transform& pose_t0, const Transform& pose_t1)
    : pose_t0_(pose_t0), move_(pose_t1.translation - pose_t0.translation) {
    Quat turn = pose_t1.rotation * conjugate(pose_t0.rotation);
    if (turn.w < 0) turn = {-turn.w, -turn.x, -turn.y, -turn.z};
    const Vec3 part{turn.x, turn.y, turn.z};
    const float sine = length(part);
    if (!(sine > 0)) return;
    axis_ = part * (1 / sine);
    angle_ = 2 * std::atan2(sine, turn.w);
}

Transform StepMotion::at(float time) const {
    Transform pose = pose_t0_;
    pose.translation += move_ * time;
    if (angle_ > 0)
        pose.rotation = normalized(Quat::from_axis_angle(axis_, angle_ * time) * pose.rotation);
    return pose;
}

}  // namespace graze::bullet

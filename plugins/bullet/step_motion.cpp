#include "step_motion.h"

#include <algorithm>
#include <cmath>

namespace graze::bullet {

namespace {

// Interpolated samples may rise by a little more than the distance does.
constexpr float kSteepest = 1.1f;
constexpr int kMaxSteps = 256;

}  // namespace

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

std::optional<Crossing> find_crossing(const Vec3& point, const StepMotion& of_point,
                                      const Field& field, const StepMotion& of_field, float begin,
                                      float level, float tolerance) {
    // [m] How far the point moves at most within the step, seen from the field.
    const Transform start = of_point.at(0);
    const float arm = length(point) * start.scale;
    const Vec3 between = start.translation - of_field.at(0).translation;
    const float relative = length(of_point.move() - of_field.move());
    const float reach = length(of_point.turn()) * arm +
                        length(of_field.turn()) * (length(between) + relative + arm) + relative;
    float time = begin;
    for (int i = 0; i < kMaxSteps; ++i) {
        const Vec3 position = transform_point(of_point.at(time), point);
        const Transform world_from_field = of_field.at(time);
        const FieldValue value =
            field.evaluate(transform_point(inverse(world_from_field), position));
        const float distance = value.distance * world_from_field.scale;
        const bool is_last = i + 1 == kMaxSteps;
        if (distance <= level + tolerance || is_last)
            return Crossing{time, distance, position,
                            transform_direction(world_from_field, value.gradient)};
        if (time >= 1) return std::nullopt;
        time = std::min(1.0f, time + (distance - level) / (kSteepest * std::max(reach, 1e-30f)));
    }
    return std::nullopt;
}

}  // namespace graze::bullet

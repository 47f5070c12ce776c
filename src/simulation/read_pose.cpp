#include "simulation/read_pose.h"

#include <numbers>

namespace graze {

namespace {

constexpr double kRadians = std::numbers::pi / 180;

Quatd around(const Vec3d& axis, double degrees) {
    return Quatd::from_axis_angle(axis, degrees * kRadians);
}

Quatd read_axis_angle(const JsonCursor& at) {
    at.require_members({"axis", "angle"});
    const JsonCursor axis_at = at.at("axis");
    const auto axis = static_cast<Vec3d>(axis_at.vector(kAnyLength));
    if (!(length(axis) >= kLeastSize)) axis_at.fail("has no direction; give it a length above 0");
    return around(axis, at.at("angle").number(kAnyAngle));
}

Quatd read_euler(const JsonCursor& at) {
    at.require_members({"euler"});
    const auto angles = static_cast<Vec3d>(at.at("euler").vector(kAnyAngle));
    return around({0, 0, 1}, angles.z) * around({0, 1, 0}, angles.y) * around({1, 0, 0}, angles.x);
}

Quatd read_quaternion(const JsonCursor& at) {
    at.require_members({"quaternion"});
    const JsonCursor parts_at = at.at("quaternion");
    const std::vector<float> parts = parts_at.numbers(4, 4, kAnyLength);
    const Quatd q{parts[0], parts[1], parts[2], parts[3]};
    if (!(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z >= kLeastSize * kLeastSize))
        parts_at.fail("has length 0; [1, 0, 0, 0] turns nothing");
    return q;
}

}  // namespace

Quatd read_rotation(const JsonCursor& at) {
    const std::string kind = at.require_one_of({"axis", "euler", "quaternion"});
    if (kind == "axis") return normalized(read_axis_angle(at));
    return normalized(kind == "euler" ? read_euler(at) : read_quaternion(at));
}

Transform read_pose(const JsonCursor& at) {
    at.require_members({"position", "rotation", "scale"});
    Transform pose = Transform::identity();
    at.read("position", pose.translation, kAnyLength);
    at.read("scale", pose.scale, kPositive);
    if (const auto rotation = at.find("rotation")) {
        const Quatd q = read_rotation(*rotation);
        pose.rotation = {static_cast<float>(q.w), static_cast<float>(q.x), static_cast<float>(q.y),
                         static_cast<float>(q.z)};
    }
    return pose;
}

}  // namespace graze

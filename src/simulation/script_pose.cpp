#include "simulation/script_pose.h"

#include <algorithm>
#include <cmath>

namespace graze {

namespace {

Quatd in_double(const Quat& q) {
    return normalized(Quatd{q.w, q.x, q.y, q.z});
}

// Returns the rotation at a fraction of the shortest turn from one to the other.
Quatd turned_between(const Quatd& from, Quatd to, double fraction) {
    double cosine = from.w * to.w + from.x * to.x + from.y * to.y + from.z * to.z;
    if (cosine < 0) {
        to = {-to.w, -to.x, -to.y, -to.z};
        cosine = -cosine;
    }
    const double angle = std::acos(std::min(cosine, 1.0));
    // Below this the two weights are those of a straight line to the last bit.
    const bool is_straight = angle < 1e-8;
    const double a =
        is_straight ? 1 - fraction : std::sin((1 - fraction) * angle) / std::sin(angle);
    const double b = is_straight ? fraction : std::sin(fraction * angle) / std::sin(angle);
    return normalized(Quatd{a * from.w + b * to.w, a * from.x + b * to.x, a * from.y + b * to.y,
                            a * from.z + b * to.z});
}

Transformd along_path(const SceneBody& body, double time) {
    const std::vector<PathPoint>& path = body.path;
    const auto after =
        std::upper_bound(path.begin(), path.end(), time,
                         [](double when, const PathPoint& point) { return when < point.time; });
    const PathPoint start{0, body.pose.translation, body.pose.rotation};
    const PathPoint& from = after == path.begin() ? start : *(after - 1);
    const PathPoint& to = after == path.end() ? path.back() : *after;
    const double duration = to.time - from.time;
    const double fraction = duration > 0 ? std::clamp((time - from.time) / duration, 0.0, 1.0) : 1;
    const auto a = static_cast<Vec3d>(from.position), b = static_cast<Vec3d>(to.position);
    return {a + (b - a) * fraction,
            turned_between(in_double(from.rotation), in_double(to.rotation), fraction),
            double{body.pose.scale}};
}

}  // namespace

Transformd script_pose(const SceneBody& body, const Vec3d& centre, double time) {
    if (!body.path.empty()) return along_path(body, time);
    const Transformd start{static_cast<Vec3d>(body.pose.translation), in_double(body.pose.rotation),
                           double{body.pose.scale}};
    const auto turn = static_cast<Vec3d>(body.angular_velocity);
    const double speed = length(turn);
    Transformd pose = start;
    if (speed > 0) pose.rotation = Quatd::from_axis_angle(turn, speed * time) * start.rotation;
    const Vec3d middle = transform_point(start, centre) + static_cast<Vec3d>(body.velocity) * time;
    if (speed > 0 || body.velocity != Vec3{0, 0, 0})
        pose.translation = middle - transform_vector(pose, centre);
    return pose;
}

}  // namespace graze

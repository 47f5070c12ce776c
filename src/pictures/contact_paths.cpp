#include "pictures/contact_paths.h"

#include <algorithm>

#include "geometry/rigid_motion.h"

namespace graze {

namespace {

constexpr int kTurningParts = 32;  // straight parts of the path of a body that turns

Transformd in_doubles(const Transform& pose) {
    return {static_cast<Vec3d>(pose.translation),
            normalized(Quatd{pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z}),
            pose.scale};
}

Transformd pose_at_end(const Body& body) {
    return in_doubles(body.pose_t1.value_or(body.pose));
}

bool is_turning(const Body& body) {
    if (!body.pose_t1) return false;
    const Quat &a = body.pose.rotation, &b = body.pose_t1->rotation;
    return !(a.w == b.w && a.x == b.x && a.y == b.y && a.z == b.z);
}

// The point of a body that touches at a time; where it moves straight, it is known by its index.
Vec3d touching_point(const Body& body, const Contact& contact, const Feature& feature,
                     bool is_straight) {
    if (is_straight && feature.kind == FeatureKind::vertex) {
        const std::vector<Vec3>& points = body.shape.points().positions;
        if (feature.index < points.size()) return static_cast<Vec3d>(points[feature.index]);
    }
    return transform_point(inverse(pose_within_step(body, contact.time)),
                           static_cast<Vec3d>(contact.position));
}

}  // namespace

bool is_moving(const Body& body) {
    return body.pose_t1 &&
           (is_turning(body) || !(body.pose.translation == body.pose_t1->translation));
}

Transformd pose_within_step(const Body& body, double time) {
    return pose_at(in_doubles(body.pose), pose_at_end(body), time);
}

void add_paths(const Scene& scene, const Contact& contact, std::size_t index, SweepMotion motion,
               std::vector<ContactPath>& paths) {
    const Body &a = scene[contact.body_a], &b = scene[contact.body_b];
    const bool has_turn = is_turning(a) || is_turning(b);
    for (const bool is_a : {true, false}) {
        const Body &body = is_a ? a : b, &other = is_a ? b : a;
        if (!is_moving(body) || !(contact.time > 0)) continue;
        const Feature feature = is_a ? contact.feature_a : contact.feature_b;
        const Feature other_feature = is_a ? contact.feature_b : contact.feature_a;
        // Points move straight in the frame of the body whose field they meet, which has no
        // feature.
        const bool is_straight = motion == SweepMotion::straight &&
                                 feature.kind != FeatureKind::none &&
                                 other_feature.kind == FeatureKind::none;
        const Vec3d point = touching_point(body, contact, feature, is_straight);
        const Vec3d from =
            transform_point(inverse(in_doubles(other.pose)) * in_doubles(body.pose), point);
        const Vec3d to = transform_point(inverse(pose_at_end(other)) * pose_at_end(body), point);
        ContactPath path{index, {}};
        const int count = has_turn ? kTurningParts : 1;
        path.points.reserve(static_cast<std::size_t>(count) + 1);
        for (int i = 0; i <= count; ++i) {
            const double time = static_cast<double>(contact.time) * i / count;
            path.points.push_back(
                is_straight
                    ? transform_point(pose_within_step(other, time), from + (to - from) * time)
                    : transform_point(pose_within_step(body, time), point));
        }
        paths.push_back(std::move(path));
    }
}

std::vector<LaterBody> later_bodies(const Scene& scene, std::span<const Contact> contacts) {
    std::vector<float> first(scene.size(), 1);
    for (const Contact& contact : contacts) {
        for (const std::uint32_t body : {contact.body_a, contact.body_b})
            first[body] = std::min(first[body], contact.time);
    }
    std::vector<LaterBody> later;
    for (std::uint32_t i = 0; i < scene.size(); ++i) {
        const Body& body = scene[i];
        if (!is_moving(body)) continue;
        const float time = first[i] > 0 ? first[i] : 1;
        later.push_back({i, pose_at(body.pose, *body.pose_t1, time)});
    }
    return later;
}

}  // namespace graze

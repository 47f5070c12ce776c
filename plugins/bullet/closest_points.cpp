#include "closest_points.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace graze::bullet {

namespace {

// A point of a surface that goes along it towards another one.
struct SurfaceWalker {
    SurfaceWalker(const WorldShape& walked, float rounding) : shape(walked), tolerance(rounding) {}

    // Goes to the surface from anywhere; false where that takes too long.
    bool land(const Vec3& from) {
        const auto landed = project(from);
        if (landed) point = *landed;
        return landed.has_value();
    }

    // Goes nearer to a target by the part of the way there that is along the surface, or a fraction
    // of it: how much is right depends on how the surface bends.
    void approach(const Vec3& target) {
        const Vec3 normal = shape.at(point).gradient, way = target - point;
        const Vec3 along = way - normal * dot(way, normal);
        const auto next = project(point + along * fraction);
        if (next && length_sq(target - *next) < length_sq(way)) {
            point = *next;
            fraction = std::min(2 * fraction, 1.0f);
        } else {
            fraction /= 4;
        }
    }

    std::optional<Vec3> project(Vec3 at) const {
        constexpr int kMostSteps = 64;
        for (int step = 0; step < kMostSteps; ++step) {
            const FieldValue value = shape.at(at);
            if (std::fabs(value.distance) <= tolerance) return at;
            at -= value.gradient * value.distance;
        }
        return std::nullopt;
    }

    const WorldShape& shape;
    float tolerance;  // [m]
    Vec3 point{0, 0, 0};
    float fraction = 1;
};

}  // namespace

FieldValue WorldShape::at(const Vec3& point) const {
    const FieldValue value = field.evaluate(transform_point(shape_from_world, point));
    return {value.distance * world_from_shape.scale,
            transform_direction(world_from_shape, value.gradient)};
}

bool move_to_surfaces(Contact& contact, const WorldShape& a, const WorldShape& b) {
    const Vec3 half = contact.normal * (contact.distance / 2);
    const float off = std::max(std::fabs(a.at(contact.position + half).distance),
                               std::fabs(b.at(contact.position - half).distance));
    if (off <= 1e-3f * contact.distance) return true;
    const float rounding =
        1e-5f * (contact.distance + length(contact.position - a.world_from_shape.translation));
    SurfaceWalker on_a(a, rounding), on_b(b, rounding);
    if (!on_a.land(contact.position) || !on_b.land(contact.position)) return false;
    // Each step is 4 times as short where it did not pay, so these are the last ones.
    constexpr float kLeastFraction = 1e-4f;
    constexpr int kMostRounds = 200;
    for (int round = 0; round < kMostRounds; ++round) {
        on_a.approach(on_b.point);
        on_b.approach(on_a.point);
        if (std::max(on_a.fraction, on_b.fraction) < kLeastFraction) break;
    }
    const Vec3 between = on_a.point - on_b.point;
    contact.position = (on_a.point + on_b.point) * 0.5f;
    contact.distance = length(between);
    if (contact.distance > 0) contact.normal = between / contact.distance;
    return true;
}

}  // namespace graze::bullet

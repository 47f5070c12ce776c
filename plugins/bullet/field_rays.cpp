#include "field_rays.h"

#include <algorithm>
#include <cmath>

#include "convert.h"

namespace graze::bullet {

namespace {

// The straight way of a ray through a field, by the fraction of it.
struct RayWay {
    float distance(float fraction) const { return field.distance(from + way * fraction); }

    // Returns where the surface is between two fractions, on different sides of it.
    float surface_between(float low, float high) const {
        const bool begins_inside = distance(low) < 0;
        constexpr int kHalvings = 24;  // of at most the whole way, to what a float can tell
        for (int i = 0; i < kHalvings; ++i) {
            const float middle = (low + high) / 2;
            ((distance(middle) < 0) == begins_inside ? low : high) = middle;
        }
        return (low + high) / 2;
    }

    const Field& field;
    Vec3 from, way;  // [m] in the field's frame
};

// An equilateral triangle around a point, across a normal.
void give_triangle(btTriangleRaycastCallback& ray, const btVector3& middle, const btVector3& normal,
                   btScalar size) {
    btVector3 u, v;
    btPlaneSpace1(normal, u, v);
    const btScalar half_sqrt_3 = btSqrt(btScalar(0.75));
    btVector3 corners[3] = {middle + u * size,
                            middle + (u * btScalar(-0.5) + v * half_sqrt_3) * size,
                            middle + (u * btScalar(-0.5) - v * half_sqrt_3) * size};
    if ((corners[1] - corners[0]).cross(corners[2] - corners[0]).dot(normal) < 0)
        std::swap(corners[1], corners[2]);
    ray.processTriangle(corners, 0, 0);
}

}  // namespace

// Nothing is nearer than the field says, so that much of the way is free (Hart, "Sphere Tracing",
// 1996).
void cast_ray(btTriangleRaycastCallback& ray, const Field& field,
              const Transform& body_from_field) {
    const Transform field_from_body = inverse(body_from_field);
    const Vec3 from = transform_point(field_from_body, to_graze(ray.m_from));
    const RayWay way{field, from, transform_point(field_from_body, to_graze(ray.m_to)) - from};
    const float size = length(way.way);
    if (!(size > 0) || !std::isfinite(size)) return;
    constexpr float kLeastStep = 0x1p-16f;
    float at = 0, distance = way.distance(0);
    while (at < 1 && at < static_cast<float>(ray.m_hitFraction)) {
        const float next = std::min(at + std::max(std::fabs(distance) / size, kLeastStep), 1.0f);
        const float next_distance = way.distance(next);
        if ((distance < 0) != (next_distance < 0)) {
            const Vec3 hit = way.from + way.way * way.surface_between(at, next);
            const Vec3 normal = transform_direction(body_from_field, field.evaluate(hit).gradient);
            if (length_sq(normal) > 0)
                give_triangle(ray, to_bullet(transform_point(body_from_field, hit)),
                              to_bullet(normal), body_from_field.scale * size);
        }
        at = next;
        distance = next_distance;
    }
}

}  // namespace graze::bullet

// PointCloud: points that are near each other, and a point of the mesh that is near them. Together
// they tell which triangles cannot be closest to any of the points.
//
// Let the points lie in a box of half extents h around c, and q be any point of the mesh. A
// triangle with corners v is farther than q from every point c + s where (see
// PreparedTriangle::sag_sq)
//     |c + s - v|^2 - sag^2 > |c + s - q|^2, or |c - v|^2 - 2 s (v - q) > |c - q|^2 + sag^2,
// hence where it holds with 2 sum_i h_i |v_i - q_i| for 2 s (v - q), for all its corners. |s|^2
// cancels, so the triangles left over lie within about 2 h of q, however far the surface is; by
// their distance alone, all those in a shell of thickness 2 h would be left, hundreds of them.
// Boxes are sorted out alike, by the least |c - x| and the largest |x_i - q_i| of all points x in
// them, without the sag.
//
// The sag of a triangle that is long against the cloud says nothing. Then let x be about its
// closest point to c, and m the least (c - v) (c - x) of its corners. For all y of the triangle
//     |c - y|^2 = 2 (c - y) (c - x) - |c - x|^2 + |x - y|^2 >= 2 m - |c - x|^2 + |x - y|^2,
// whatever x is, and |c - x|^2 + |x - y|^2 where x is the closest point. With |v_i - q_i| at most
// |x_i - q_i| + |y_i - x_i|, and r^2 - 2 |h| r >= -|h|^2 for r = |x - y|, the triangle is farther
// than q from every point where 2 m - |c - x|^2 - 2 sum_i h_i |x_i - q_i| > |c - q|^2 + |h|^2: the
// same with x for v, and |h| for the sag.
#pragma once

#include "core/spread.h"
#include "graze/aabb.h"

namespace graze {

struct PointCloud {
    Vec3 centre;       // [m] c
    Vec3 half;         // [m] h: no point is farther from the centre along an axis
    float slack;       // [m] see distance_slack()
    Vec3 closest;      // [m] q: the closest to the centre known
    float closest_sq;  // [m^2] from the centre
    // [m^2] closest_sq and what rounding may add to it, and to the distances that are compared in
    // the end.
    float known_sq;

    // Makes a cloud that knows no point of the mesh yet.
    GRAZE_INLINE static PointCloud around(const Vec3& centre, const Vec3& half, float slack) {
        const float infinity = std::numeric_limits<float>::infinity();
        return {centre, half, slack, centre, infinity, infinity};
    }
    // Offers a point of the mesh, with its squared distance from the centre; the mesh may be as far
    // from it as `off` [m].
    GRAZE_INLINE void offer(const Vec3& point, float point_sq, float off = 0) {
        if (!(point_sq < closest_sq)) return;
        closest = point;
        closest_sq = point_sq;
        const float reach = half.x + half.y + half.z, spare = slack + off;
        known_sq = point_sq * (1 + 0x1p-20f) + 4 * spare * (std::sqrt(point_sq) + reach + spare);
    }
    template <class S>
    GRAZE_INLINE Vec3T<S> from_centre(const Vec3T<S>& point) const {
        return point - Vec3T<S>{spread<S>(centre.x), spread<S>(centre.y), spread<S>(centre.z)};
    }
    template <class S>
    GRAZE_INLINE Vec3T<S> from_closest(const Vec3T<S>& point) const {
        return point - Vec3T<S>{spread<S>(closest.x), spread<S>(closest.y), spread<S>(closest.z)};
    }

    // Returns |c - x|^2 - 2 sum_i h_i |x_i - q_i|, from the square and the magnitudes, and no more
    // than that: x is of use only where this is at most known_sq, or known_sq + sag_sq. All
    // operations together lose less than 2^-21 of the square and of the sum.
    template <class S>
    GRAZE_INLINE S least_sq(const S& centre_sq, const Vec3T<S>& away) const {
        constexpr float kTwice = 2 * (1 + 0x1p-19f);
        return centre_sq * spread<S>(1 - 0x1p-20f) -
               (away.x * spread<S>(kTwice * half.x) + away.y * spread<S>(kTwice * half.y) +
                away.z * spread<S>(kTwice * half.z));
    }
};

}  // namespace graze

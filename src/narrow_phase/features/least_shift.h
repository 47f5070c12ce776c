// The shortest translation that takes one of two crossing triangles off the other.
//
// Idea: a shift s of triangle a separates it from b where -s leaves the Minkowski difference of b
// and a, a convex polytope whose faces are perpendicular to the normal of a triangle or to an edge
// of each. So the shortest shift is along one of these 11 axes, in one of their two directions: the
// overlap of the triangles' intervals there, of all the least (the separating axis theorem,
// Gottschalk, Lin and Manocha 1996).
#pragma once

#include <limits>

#include "graze/vec3.h"

namespace graze {

struct LeastShift {
    Vec3d direction;  // unit: a goes there; zero where no two edges span a plane
    double length;    // [m] until they only touch; 0 where they lie in one plane
};

namespace detail {

struct LeastShiftSearch {
    Vec3d a[3], b[3];  // [m] corners, relative to one of them
    double margin;     // [m] by which a shift is shorter, so that rounding errors decide nothing
    LeastShift least{{0, 0, 0}, std::numeric_limits<double>::infinity()};

    // a goes along a unit direction until all of it is beyond b.
    GRAZE_INLINE void consider(const Vec3d& direction) {
        double a_min = dot(a[0], direction), b_max = dot(b[0], direction);
        for (int i = 1; i < 3; ++i) {
            a_min = min_of(a_min, dot(a[i], direction));
            b_max = max_of(b_max, dot(b[i], direction));
        }
        const double length = max_of(b_max - a_min, 0.0);
        if (length < least.length - margin) least = {direction, length};
    }
};

// Unit and perpendicular to both; zero where they are parallel as far as rounding can tell.
GRAZE_INLINE Vec3d common_perpendicular(const Vec3d& u, const Vec3d& v) {
    constexpr double kLeastSineSq = 0x1p-80;
    const Vec3d normal = cross(u, v);
    const double norm_sq = length_sq(normal);
    if (!(norm_sq > kLeastSineSq * length_sq(u) * length_sq(v))) return {0, 0, 0};
    return normal / std::sqrt(norm_sq);
}

}  // namespace detail

// Of shifts that are equally short: out of the face of b, out of that of a, into that of b, into
// that of a, in this order, then those along edges. So where both lie in one plane, a leaves b on
// the side of b that is outside.
template <class T>
GRAZE_HD LeastShift least_shift(const Vec3T<T> (&a)[3], const Vec3T<T> (&b)[3]) {
    constexpr double kMargin = 0x1p-40;  // of the triangles' size
    detail::LeastShiftSearch search;
    const Vec3d origin = static_cast<Vec3d>(a[0]);
    double size_sq = 0;
    for (int i = 0; i < 3; ++i) {
        search.a[i] = static_cast<Vec3d>(a[i]) - origin;
        search.b[i] = static_cast<Vec3d>(b[i]) - origin;
        size_sq = max_of(size_sq, max_of(length_sq(search.a[i]), length_sq(search.b[i])));
    }
    search.margin = kMargin * std::sqrt(size_sq);
    Vec3d a_edges[3], b_edges[3];
    for (int i = 0; i < 3; ++i) {
        const int j = i == 2 ? 0 : i + 1;
        a_edges[i] = search.a[j] - search.a[i];
        b_edges[i] = search.b[j] - search.b[i];
    }
    const Vec3d a_normal = detail::common_perpendicular(a_edges[0], a_edges[1]);
    const Vec3d b_normal = detail::common_perpendicular(b_edges[0], b_edges[1]);
    const bool has_a = a_normal != Vec3d{0, 0, 0}, has_b = b_normal != Vec3d{0, 0, 0};
    if (has_b) search.consider(b_normal);
    if (has_a) search.consider(-a_normal);
    if (has_b) search.consider(-b_normal);
    if (has_a) search.consider(a_normal);
    for (int i = 0; i < 9; ++i) {
        const Vec3d axis = detail::common_perpendicular(a_edges[i / 3], b_edges[i % 3]);
        if (axis == Vec3d{0, 0, 0}) continue;
        search.consider(axis);
        search.consider(-axis);
    }
    if (!(search.least.length < std::numeric_limits<double>::infinity())) return {{0, 0, 0}, 0};
    return search.least;
}

}  // namespace graze

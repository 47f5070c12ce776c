// Where triangles meet that lie in one plane, or of which one has collapsed to a segment or point.
//
// What they have in common is convex: a polygon, a segment or a point. Its corners are corners of
// one triangle that lie in the other, points where two edges meet, and points where an edge goes
// through the other triangle.
#pragma once

#include "geometry/closest_point_triangle.h"
#include "geometry/closest_points_segment_segment.h"

namespace graze {
namespace detail {

// Points of one triangle with their distance from the other.
struct OverlapCorners {
    static constexpr int kMost = 21;  // corners, pairs of edges, and edges with a face

    double tolerance = 0;  // [m]
    Vec3d points[kMost];
    int count = 0;
    Vec3d nearest{0, 0, 0};
    double nearest_sq = std::numeric_limits<double>::infinity();  // [m^2]

    GRAZE_INLINE void add(const Vec3d& point, double distance_sq) {
        if (distance_sq <= tolerance * tolerance) points[count++] = point;
        if (!(distance_sq < nearest_sq)) return;
        nearest = point;
        nearest_sq = distance_sq;
    }
    // Corners of one triangle and the edges that begin there, with the other triangle.
    GRAZE_HD void add_sides(const Vec3d (&one)[3], const Vec3d (&other)[3]) {
        const Vec3d normal = normalized(cross(other[1] - other[0], other[2] - other[0]));
        for (int i = 0; i < 3; ++i) {
            const Vec3d &p = one[i], &q = one[i == 2 ? 0 : i + 1];
            add(p, closest_point_triangle(p, other[0], other[1], other[2]).distance_sq);
            const double p_height = dot(p - other[0], normal), q_height = dot(q - other[0], normal);
            const bool goes_through = p_height * q_height < 0 &&
                                      min_of(std::fabs(p_height), std::fabs(q_height)) > tolerance;
            if (!goes_through) continue;
            const Vec3d x = p + (q - p) * (p_height / (p_height - q_height));
            add(x, closest_point_triangle(x, other[0], other[1], other[2]).distance_sq);
        }
    }
    // The middle between the two that are farthest apart.
    GRAZE_INLINE Vec3d centre() const {
        if (count == 0) return nearest;
        Vec3d middle = points[0];
        double longest_sq = 0;
        for (int i = 0; i < count; ++i)
            for (int j = 0; j < i; ++j) {
                const double apart_sq = length_sq(points[i] - points[j]);
                if (!(apart_sq > longest_sq)) continue;
                longest_sq = apart_sq;
                middle = (points[i] + points[j]) * 0.5;
            }
        return middle;
    }
};

}  // namespace detail

// The middle of the longest segment that lies in both triangles, which meet; off by less than 2^-38
// of their size where neither is flatter than 2^-10.
template <class T>
GRAZE_NOINLINE Vec3d middle_of_flat_overlap(const Vec3T<T> (&a)[3], const Vec3T<T> (&b)[3]) {
    constexpr double kTolerance = 0x1p-40;  // of the triangles' size
    const Vec3d origin = static_cast<Vec3d>(a[0]);
    Vec3d p[3], q[3];
    double size_sq = 0;
    for (int i = 0; i < 3; ++i) {
        p[i] = static_cast<Vec3d>(a[i]) - origin;
        q[i] = static_cast<Vec3d>(b[i]) - origin;
        size_sq = max_of(size_sq, max_of(length_sq(p[i]), length_sq(q[i])));
    }
    detail::OverlapCorners corners;
    corners.tolerance = kTolerance * std::sqrt(size_sq);
    corners.add_sides(p, q);
    corners.add_sides(q, p);
    for (int i = 0; i < 9; ++i) {
        const int k = i / 3, l = i % 3;
        const auto feet = closest_points_segment_segment(p[k], p[k == 2 ? 0 : k + 1], q[l],
                                                         q[l == 2 ? 0 : l + 1]);
        corners.add(feet.point_a, feet.distance_sq);
    }
    return origin + corners.centre();
}

}  // namespace graze

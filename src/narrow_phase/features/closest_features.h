// The closest points of two moving features at one time, and the direction between them.
//
// Where the gap is small, rounding leaves the difference of the points no accurate direction. The
// direction is then computed from what it must be perpendicular to: a face, an edge, or two edges.
// So it is good to about 2^-50 of the features' size over their flatness, however small the gap.
#pragma once

#include "geometry/closest_point_triangle.h"
#include "geometry/closest_points_segment_segment.h"
#include "narrow_phase/features/relative_motion.h"

namespace graze {

struct ClosestFeatures {
    Vec3d direction;    // from the second feature to the first, of any length
    double weights[4];  // 1 | u v w, or 1 - s, s | 1 - t, t
    Vec3d offset;       // [m] from the second point to the first, up to rounding
};

namespace detail {

GRAZE_INLINE Vec3d perpendicular_component(const Vec3d& v, const Vec3d& edge) {
    const double edge_sq = length_sq(edge);
    return edge_sq > 0 ? v - edge * (dot(v, edge) / edge_sq) : v;
}
// Returns the normal or its opposite, whichever points to the side on which v is.
GRAZE_INLINE Vec3d turned_to(const Vec3d& normal, const Vec3d& v) {
    return dot(normal, v) < 0 ? -normal : normal;
}

GRAZE_INLINE ClosestFeatures closest_vertex_face(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const ClosestPointTriangle<double> foot = closest_point_triangle(c, Vec3d{0, 0, 0}, a, b);
    const Vec3d offset = c - foot.point;
    Vec3d direction = offset;
    if (foot.feature == TriangleFeature::face)
        direction = turned_to(cross(a, b), c);
    else if (foot.feature == TriangleFeature::edge0)
        direction = perpendicular_component(offset, a);
    else if (foot.feature == TriangleFeature::edge1)
        direction = perpendicular_component(offset, b - a);
    else if (foot.feature == TriangleFeature::edge2)
        direction = perpendicular_component(offset, b);
    return {direction, {1, foot.barycentric.x, foot.barycentric.y, foot.barycentric.z}, offset};
}

// True where a segment's parameter belongs to a point between its ends, false where to an end.
GRAZE_INLINE bool is_between(double parameter) {
    return parameter > 0 && parameter < 1;
}

// The closest points of edges that are far from parallel are the feet of the common perpendicular,
// clamped to the ends (Ericson, "Real-Time Collision Detection", 2005, section 5.1.9).
struct EdgeFeet {
    double s, t;
};
GRAZE_INLINE EdgeFeet feet_of_crossing(double a_sq, double b_sq, double a_b, double a_c, double b_c,
                                       double determinant) {
    double s = clamp((a_b * b_c - a_c * b_sq) / determinant, 0.0, 1.0);
    const double t = clamp((a_b * s + b_c) / b_sq, 0.0, 1.0);
    if (!is_between(t)) s = clamp((a_b * t - a_c) / a_sq, 0.0, 1.0);
    return {s, t};
}

GRAZE_INLINE ClosestFeatures closest_edge_edge(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    constexpr double kMinSineSq = 1e-4;
    const double a_sq = length_sq(a), b_sq = length_sq(b), a_b = dot(a, b);
    const double determinant = a_sq * b_sq - a_b * a_b;
    const bool is_crossing = determinant > kMinSineSq * a_sq * b_sq;
    EdgeFeet feet;
    if (is_crossing) {
        feet = feet_of_crossing(a_sq, b_sq, a_b, dot(a, c), dot(b, c), determinant);
    } else {
        const auto careful = closest_points_segment_segment(c, c + a, Vec3d{0, 0, 0}, b);
        feet = {careful.s, careful.t};
    }
    const Vec3d offset = c + a * feet.s - b * feet.t;
    const bool is_inside_a = is_between(feet.s), is_inside_b = is_between(feet.t);
    Vec3d direction = offset;
    if (is_inside_a && is_inside_b)
        direction = is_crossing ? turned_to(cross(a, b), c)
                                : perpendicular_component(offset, a_sq > b_sq ? a : b);
    else if (is_inside_a)
        direction = perpendicular_component(offset, a);
    else if (is_inside_b)
        direction = perpendicular_component(offset, b);
    return {direction, {1 - feet.s, feet.s, 1 - feet.t, feet.t}, offset};
}

}  // namespace detail

template <FeaturePair kPair>
GRAZE_INLINE ClosestFeatures closest_features(const RelativeMotion<double>& motion, double t) {
    const Vec3d a = detail::mix(motion.a[0], motion.a[1], t),
                b = detail::mix(motion.b[0], motion.b[1], t);
    const Vec3d c = detail::mix(motion.c[0], motion.c[1], t);
    if constexpr (kPair == FeaturePair::vertex_face)
        return detail::closest_vertex_face(a, b, c);
    else
        return detail::closest_edge_edge(a, b, c);
}

}  // namespace graze

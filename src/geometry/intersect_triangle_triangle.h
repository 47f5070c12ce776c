// Do two closed triangles share a point? Exact for float and double (domain: predicates.h), for
// every input: touching, coplanar, collapsed to segments or points.
//
// Idea: Guigue and Devillers, "Fast and Robust Triangle-Triangle Overlap Test Using Orientation
// Predicates" (2003). Most pairs end after three signs: one triangle is strictly on one side of the
// other's plane. Where both cross the other's plane, each cuts the common line in an interval, and
// two more signs compare the intervals' ends. Where we differ: a pair in one plane, or with a
// collapsed triangle, is decided by its six edge-triangle pairs, which covers all of them at once
// (two convex sets of dimension two or less in one plane or less meet iff an edge of one meets the
// other).
#pragma once

#include "geometry/intersect_segment_triangle.h"

namespace graze {

namespace detail {

enum class PlaneRelation {
    apart,     // one triangle lies strictly on one side of the other's plane
    crossing,  // both planes exist, differ, and each triangle reaches the other's
    flat,      // one plane holds both, or a triangle has collapsed and has no plane
};

template <class T>
GRAZE_INLINE void swap_points(Vec3T<T>& a, Vec3T<T>& b) {
    const Vec3T<T> old_a = a;
    a = b;
    b = old_a;
}

// Rotates the corners so that the first is alone on its side: the others are on the other side or
// on the plane; or it is on the plane and the others are strictly on one side, and then its side is
// taken as the opposite of theirs. Returns its side. Sides are neither all zero nor all equal.
template <class T>
GRAZE_INLINE int bring_lone_corner_first(Vec3T<T> (&corners)[3], int side0, int side1, int side2) {
    const bool first = side0 * side1 <= 0 && side0 * side2 <= 0 && (side0 != 0 || side1 == side2);
    if (first) return side0 != 0 ? side0 : -side1;
    const bool second = side1 * side0 <= 0 && side1 * side2 <= 0 && (side1 != 0 || side0 == side2);
    const Vec3T<T> c0 = corners[0], c1 = corners[1], c2 = corners[2];
    corners[0] = second ? c1 : c2;
    corners[1] = second ? c2 : c0;
    corners[2] = second ? c0 : c1;
    if (second) return side1 != 0 ? side1 : -side2;
    return side2 != 0 ? side2 : -side0;
}

// Reorders crossing triangles, given the sides of their corners, so that a[0] is alone on the
// positive side of b's plane and b[0] on that of a's. Along the direction normal(a) x normal(b), a
// then cuts the common line from edge a0 a2 to edge a0 a1, and b from edge b0 b1 to edge b0 b2.
template <class T>
GRAZE_INLINE void arrange_crossing(Vec3T<T> (&a)[3], Vec3T<T> (&b)[3], int a0, int a1, int a2,
                                   int b0, int b1, int b2) {
    const bool flip_b = bring_lone_corner_first(a, a0, a1, a2) < 0;
    const bool flip_a = bring_lone_corner_first(b, b0, b1, b2) < 0;
    if (flip_b) swap_points(b[1], b[2]);
    if (flip_a) swap_points(a[1], a[2]);
}

// Says how the planes lie; triangles that cross are reordered.
template <class T>
GRAZE_INLINE PlaneRelation arrange(Vec3T<T> (&a)[3], Vec3T<T> (&b)[3]) {
    const int b0 = orient3d(a[0], a[1], a[2], b[0]);
    const int b1 = orient3d(a[0], a[1], a[2], b[1]);
    const int b2 = orient3d(a[0], a[1], a[2], b[2]);
    if (b0 != 0 && b0 == b1 && b1 == b2) return PlaneRelation::apart;
    const int a0 = orient3d(b[0], b[1], b[2], a[0]);
    const int a1 = orient3d(b[0], b[1], b[2], a[1]);
    const int a2 = orient3d(b[0], b[1], b[2], a[2]);
    if (a0 != 0 && a0 == a1 && a1 == a2) return PlaneRelation::apart;
    if ((b0 == 0 && b1 == 0 && b2 == 0) || (a0 == 0 && a1 == 0 && a2 == 0))
        return PlaneRelation::flat;
    arrange_crossing(a, b, a0, a1, a2, b0, b1, b2);
    return PlaneRelation::crossing;
}

template <class T>
GRAZE_NOINLINE bool intersect_triangle_triangle_flat(const Vec3T<T> (&a)[3],
                                                     const Vec3T<T> (&b)[3]) {
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        if (intersect_segment_triangle(a[i], a[j], b[0], b[1], b[2])) return true;
        if (intersect_segment_triangle(b[i], b[j], a[0], a[1], a[2])) return true;
    }
    return false;
}

GRAZE_INLINE double largest_component(const Vec3d& v) {
    return max_of(max_of(std::fabs(v.x), std::fabs(v.y)), std::fabs(v.z));
}

// The point of edge p q that lies on a plane; its ends, on either side of that, have these heights.
// The step starts at the nearer end, so that it goes no farther than half of the edge.
GRAZE_INLINE Vec3d point_between(const Vec3d& p, const Vec3d& q, double p_height, double q_height) {
    const double drop = p_height - q_height;
    const Vec3d edge = q - p;
    return std::fabs(p_height) < std::fabs(q_height) ? p + edge * (p_height / drop)
                                                     : q + edge * (q_height / drop);
}

// The same point from heights that are accurate to 2^-51.
GRAZE_NOINLINE inline Vec3d crossing_point_exact(const Vec3d& p, const Vec3d& q, const Vec3d& c0,
                                                 const Vec3d& c1, const Vec3d& c2) {
    return point_between(p, q, orient3d_exact(c0, c1, c2, p), orient3d_exact(c0, c1, c2, q));
}

// The point where edge p q crosses the plane of c, off by at most 16 * 2^-53 of the largest
// coordinate L. With u = 2^-53 the step rounds by 4 u L; exact heights add 8 u L, since they change
// the fraction of the edge by 8 u / 2 and the edge is no longer than 2 L. Plain ones, off by e,
// change the fraction by e / (|drop| - 2 e): they suffice where that is 7 u L or less along each
// axis.
template <class T>
GRAZE_HD Vec3d crossing_point(const Vec3T<T>& p_end, const Vec3T<T>& q_end,
                              const Vec3T<T> (&c)[3]) {
    const Vec3d p = widen(p_end), q = widen(q_end);
    const Vec3d c0 = widen(c[0]), c1 = widen(c[1]), c2 = widen(c[2]);
    const EstimatedVolume p_height = estimate_volume(c0, c1, c2, p);
    const EstimatedVolume q_height = estimate_volume(c0, c1, c2, q);
    const double error = max_of(p_height.bound, q_height.bound);
    const double drop = std::fabs(p_height.value - q_height.value) - 3 * error;
    const double reach = largest_component(q - p);
    const double largest = max_of(largest_component(p), largest_component(q));
    if (reach * error <= 0x1.8p-51 * largest * drop)
        return point_between(p, q, p_height.value, q_height.value);
    return crossing_point_exact(p, q, c0, c1, c2);
}

}  // namespace detail

// True where triangle a0 a1 a2 and triangle b0 b1 b2 have at least one point in common.
template <class T>
GRAZE_HD bool intersect_triangle_triangle(const Vec3T<T>& a0, const Vec3T<T>& a1,
                                          const Vec3T<T>& a2, const Vec3T<T>& b0,
                                          const Vec3T<T>& b1, const Vec3T<T>& b2) {
    Vec3T<T> a[3] = {a0, a1, a2}, b[3] = {b0, b1, b2};
    const detail::PlaneRelation relation = detail::arrange(a, b);
    if (relation == detail::PlaneRelation::apart) return false;
    if (relation == detail::PlaneRelation::flat)
        return detail::intersect_triangle_triangle_flat(a, b);
    // Each interval must start before the other ends.
    return orient3d(a[0], a[1], b[0], b[1]) <= 0 && orient3d(a[0], a[2], b[0], b[2]) >= 0;
}

// What two triangles have in common, as intersection_segment() tells it.
struct TriangleTriangleSegment {
    enum class Kind {
        none,      // no common point
        segment,   // the triangles cross and meet from start to end, which may be the same point
        coplanar,  // one plane holds both, or one has collapsed: no segment is computed, and
                   // whether they meet only intersect_triangle_triangle() tells
    };
    Kind kind;
    Vec3d start, end;  // within 16 * 2^-53 of the largest coordinate; zero unless kind is segment
};

// The segment in which two triangles that cross meet. Which kind is exact, the ends are rounded.
template <class T>
GRAZE_HD TriangleTriangleSegment intersection_segment(const Vec3T<T>& a0, const Vec3T<T>& a1,
                                                      const Vec3T<T>& a2, const Vec3T<T>& b0,
                                                      const Vec3T<T>& b1, const Vec3T<T>& b2) {
    using Kind = TriangleTriangleSegment::Kind;
    Vec3T<T> a[3] = {a0, a1, a2}, b[3] = {b0, b1, b2};
    const detail::PlaneRelation relation = detail::arrange(a, b);
    if (relation == detail::PlaneRelation::flat) return {Kind::coplanar, {0, 0, 0}, {0, 0, 0}};
    if (relation == detail::PlaneRelation::apart || orient3d(a[0], a[1], b[0], b[1]) > 0 ||
        orient3d(a[0], a[2], b[0], b[2]) < 0)
        return {Kind::none, {0, 0, 0}, {0, 0, 0}};
    // The later of the two starts and the earlier of the two ends.
    const bool start_on_a = orient3d(a[0], a[2], b[0], b[1]) <= 0;
    const bool end_on_a = orient3d(a[0], a[1], b[0], b[2]) >= 0;
    return {
        Kind::segment,
        start_on_a ? detail::crossing_point(a[0], a[2], b) : detail::crossing_point(b[0], b[1], a),
        end_on_a ? detail::crossing_point(a[0], a[1], b) : detail::crossing_point(b[0], b[2], a)};
}

}  // namespace graze

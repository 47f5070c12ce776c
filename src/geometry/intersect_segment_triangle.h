// Do a closed segment and a closed triangle share a point? Exact for float and double (domain:
// predicates.h), whatever has collapsed: the segment to a point, the triangle to a segment or a
// point, both into one plane or line.
#pragma once

#include "geometry/intersect_segment_segment.h"

namespace graze {

namespace detail {

// Decides where everything lies in one plane that is seen without collapse along axis.
template <class T>
GRAZE_HD bool intersect_segment_triangle_along(int axis, const Vec3T<T>& p, const Vec3T<T>& q,
                                               const Vec3T<T>& a, const Vec3T<T>& b,
                                               const Vec3T<T>& c) {
    const int ab = orient2d_along(axis, a, b, p), bc = orient2d_along(axis, b, c, p),
              ca = orient2d_along(axis, c, a, p);
    if ((ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0)) return true;
    // p is outside: the segment meets the triangle only through its boundary.
    return intersect_segment_segment_along(axis, p, q, a, b) ||
           intersect_segment_segment_along(axis, p, q, b, c) ||
           intersect_segment_segment_along(axis, p, q, c, a);
}

// Decides where the segment lies in the triangle's plane, or the triangle has none.
template <class T>
GRAZE_NOINLINE bool intersect_segment_triangle_flat(const Vec3T<T>& p, const Vec3T<T>& q,
                                                    const Vec3T<T>& a, const Vec3T<T>& b,
                                                    const Vec3T<T>& c) {
    const int axis = projection_axis(a, b, c);
    if (axis < 3) return intersect_segment_triangle_along(axis, p, q, a, b, c);
    // A collapsed triangle is the segment between its extreme corners.
    const Vec3T<T>& ab_min = is_before(a, b) ? a : b;
    const Vec3T<T>& ab_max = is_before(a, b) ? b : a;
    return intersect_segment_segment(p, q, is_before(c, ab_min) ? c : ab_min,
                                     is_before(ab_max, c) ? c : ab_max);
}

}  // namespace detail

// True where segment p q and triangle a b c have at least one point in common.
template <class T>
GRAZE_HD bool intersect_segment_triangle(const Vec3T<T>& p, const Vec3T<T>& q, const Vec3T<T>& a,
                                         const Vec3T<T>& b, const Vec3T<T>& c) {
    const int p_side = orient3d(a, b, c, p), q_side = orient3d(a, b, c, q);
    if (p_side * q_side > 0) return false;
    if (p_side == 0 && q_side == 0) return detail::intersect_segment_triangle_flat(p, q, a, b, c);
    // The line p q pierces the plane in one point, which is inside where it passes the three edges
    // on the same side or touches them.
    const int ab = orient3d(p, q, a, b), bc = orient3d(p, q, b, c);
    if (ab * bc < 0) return false;
    const int ca = orient3d(p, q, c, a);
    return ab * ca >= 0 && bc * ca >= 0;
}

}  // namespace graze

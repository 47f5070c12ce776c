// Do two closed segments share a point? Exact for float and double (domain: predicates.h), with
// segments that are single points, parallel or collinear.
#pragma once

#include "geometry/predicates.h"

namespace graze {

namespace detail {

// The first axis along which the projection keeps a, b, c off one line; 3 where they are collinear.
// For points of the plane a, b, c that projection is one-to-one.
template <class T>
GRAZE_INLINE int projection_axis(const Vec3T<T>& a, const Vec3T<T>& b, const Vec3T<T>& c) {
    int axis = 0;
    while (axis < 3 && orient2d_along(axis, a, b, c) == 0)
        ++axis;
    return axis;
}

// True where p, which lies on the line a b, is between them.
template <class T>
GRAZE_INLINE bool is_between(const Vec3T<T>& a, const Vec3T<T>& b, const Vec3T<T>& p) {
    return is_before(a, b) ? !is_before(p, a) && !is_before(b, p)
                           : !is_before(p, b) && !is_before(a, p);
}

// Decides about four points of one plane that is seen without collapse along axis.
template <class T>
GRAZE_HD bool intersect_segment_segment_along(int axis, const Vec3T<T>& p, const Vec3T<T>& q,
                                              const Vec3T<T>& r, const Vec3T<T>& s) {
    const int r_side = orient2d_along(axis, p, q, r), s_side = orient2d_along(axis, p, q, s);
    if (r_side * s_side > 0) return false;
    const int p_side = orient2d_along(axis, r, s, p), q_side = orient2d_along(axis, r, s, q);
    if (p_side * q_side > 0) return false;
    if (r_side * s_side < 0 && p_side * q_side < 0) return true;
    // Else they meet only where an end of one lies on the other. A side of 0 against a segment that
    // is one point says nothing, but then "between" means equal.
    return (r_side == 0 && is_between(p, q, r)) || (s_side == 0 && is_between(p, q, s)) ||
           (p_side == 0 && is_between(r, s, p)) || (q_side == 0 && is_between(r, s, q));
}

}  // namespace detail

// True where segment p q and segment r s have at least one point in common.
template <class T>
GRAZE_HD bool intersect_segment_segment(const Vec3T<T>& p, const Vec3T<T>& q, const Vec3T<T>& r,
                                        const Vec3T<T>& s) {
    if (orient3d(p, q, r, s) != 0) return false;
    int axis = detail::projection_axis(p, q, r);
    if (axis == 3) axis = detail::projection_axis(p, q, s);
    if (axis == 3) axis = detail::projection_axis(r, s, p);
    if (axis == 3) axis = detail::projection_axis(r, s, q);
    if (axis < 3) return detail::intersect_segment_segment_along(axis, p, q, r, s);
    // All four lie on one line, as any three of them do: the segments are two intervals.
    return detail::is_between(p, q, r) || detail::is_between(p, q, s) ||
           detail::is_between(r, s, p) || detail::is_between(r, s, q);
}

}  // namespace graze

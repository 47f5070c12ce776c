// The two points, one on each of two segments, that are closest to each other, for float or double.
//
// Idea: the common perpendicular of the two lines gives one candidate, each of the four ends with
// its closest point on the other segment the rest; the nearest wins. Where we differ from the usual
// solution (Ericson, "Real-Time Collision Detection", 2005, section 5.1.9): the perpendicular comes
// from the cross product instead of a difference of dot products, and its two feet are projected
// onto each other's segment. With an angle A between the lines the first foot is off by
// epsilon R / sin(A); projecting leaves a gap that is sin(A) times as long, so nearly parallel
// segments lose nothing.
//
// Either segment, or both, may be a single point. Bound: |distance - exact| <= 16 epsilon R, R the
// largest distance between an end of one and an end of the other, epsilon that of T. Differences of
// coordinates should stay between 2^-31 and 2^31 (float; 2^-250 and 2^250 for double) so that
// fourth powers are ordinary numbers.
#pragma once

#include <limits>

#include "graze/vec3.h"

namespace graze {

template <class T>
struct ClosestPointsSegmentSegment {
    Vec3T<T> point_a, point_b;  // rounded to T
    T s, t;                     // in [0, 1]; point_a = a0 + s (a1 - a0), point_b = b0 + t (b1 - b0)
    T distance_sq;              // from the unrounded points
};

namespace detail {

template <class T>
struct SegmentPair {
    Vec3T<T> a, b;  // edge vectors
    Vec3T<T> a0_to_b0;
    T inverse_a, inverse_b;  // 1 / squared length; 0 for a point

    // The parameter on a of the point closest to the one at t on b, and the other way round.
    GRAZE_INLINE T project_on_a(T t) const {
        return clamp(dot(a0_to_b0 + b * t, a) * inverse_a, T(0), T(1));
    }
    GRAZE_INLINE T project_on_b(T s) const {
        return clamp(dot(a * s - a0_to_b0, b) * inverse_b, T(0), T(1));
    }
};

template <class T>
struct SegmentPairFeet {
    T s, t, distance_sq;

    GRAZE_INLINE void consider(const SegmentPair<T>& pair, T other_s, T other_t) {
        const T other_sq = length_sq(pair.a0_to_b0 + pair.b * other_t - pair.a * other_s);
        if (!(other_sq < distance_sq)) return;
        s = other_s;
        t = other_t;
        distance_sq = other_sq;
    }
};

}  // namespace detail

template <class T>
GRAZE_INLINE ClosestPointsSegmentSegment<T> closest_points_segment_segment(const Vec3T<T>& a0,
                                                                           const Vec3T<T>& a1,
                                                                           const Vec3T<T>& b0,
                                                                           const Vec3T<T>& b1) {
    const Vec3T<T> a = a1 - a0, b = b1 - b0;
    const T a_sq = length_sq(a), b_sq = length_sq(b);
    const detail::SegmentPair<T> pair{a, b, b0 - a0, a_sq > T(0) ? T(1) / a_sq : T(0),
                                      b_sq > T(0) ? T(1) / b_sq : T(0)};

    detail::SegmentPairFeet<T> best{T(0), pair.project_on_b(T(0)),
                                    std::numeric_limits<T>::infinity()};
    best.consider(pair, T(0), pair.project_on_b(T(0)));
    best.consider(pair, T(1), pair.project_on_b(T(1)));
    best.consider(pair, pair.project_on_a(T(0)), T(0));
    best.consider(pair, pair.project_on_a(T(1)), T(1));
    const Vec3T<T> normal = cross(a, b);
    const T normal_sq = length_sq(normal);
    if (normal_sq > T(0)) {
        const T foot = dot(cross(pair.a0_to_b0, b), normal) / normal_sq;
        const T t = pair.project_on_b(clamp(foot, T(0), T(1)));
        best.consider(pair, pair.project_on_a(t), t);
    }
    return {best.s == T(1) ? a1 : a0 + a * best.s, best.t == T(1) ? b1 : b0 + b * best.t, best.s,
            best.t, best.distance_sq};
}

}  // namespace graze

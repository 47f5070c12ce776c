// The point of a segment that is closest to a given point, for float or double.
//
// The segment may be a single point. Differences of coordinates should stay between 2^-60 and 2^60
// (float; 2^-500 and 2^500 for double) so that their squares are ordinary numbers; below, the
// answer is still a point of the segment. The distance is within 8 epsilon of
// max(|point - a|, |point - b|), epsilon being std::numeric_limits<T>::epsilon().
#pragma once

#include "graze/vec3.h"

namespace graze {

template <class T>
struct ClosestPointSegment {
    Vec3T<T> point;  // rounded to T
    T t;             // in [0, 1]; point is a + t (b - a), and exactly a or b at the ends
    T distance_sq;   // from the unrounded point, so more accurate than |point - query|^2
};

template <class T>
GRAZE_INLINE ClosestPointSegment<T> closest_point_segment(const Vec3T<T>& query, const Vec3T<T>& a,
                                                          const Vec3T<T>& b) {
    const Vec3T<T> edge = b - a;
    const Vec3T<T> to_a = a - query;
    const T edge_sq = length_sq(edge);
    const T t = edge_sq > T(0) ? clamp(-dot(to_a, edge) / edge_sq, T(0), T(1)) : T(0);
    const bool at_b = t == T(1);
    const Vec3T<T> offset = at_b ? b - query : to_a + edge * t;
    return {at_b ? b : a + edge * t, t, length_sq(offset)};
}

}  // namespace graze

// The times at which a given direction separates two moving features, certainly.
//
// Idea: the features are the convex hulls of their corners. A direction n has them further apart
// than d where n.(p - q) > d |n| for every corner p of the first and q of the second, three pairs
// or four. Of points that move straight each of these heights is linear in time: known at both ends
// of the step, it is known at all times, and where the line through two ends that were lowered by
// what rounding may have added is above zero, so is the height. The direction may come from
// anywhere; a bad one separates nothing, and none gives a wrong answer.
//
// Bound, u = 2^-53, N = |n.x| + |n.y| + |n.z|, S the sum of the motion's extents. A dot product
// n.v carries the subtraction that v is, a multiplication and two additions: four roundings, error
// below ((1+u)^4 - 1) N extent(v). A height is the sum of at most three of them, with two more
// roundings, and lowering it is one more: below 7u N S (1 + 20u) in all, so 8u N S, which is
// computed with fewer roundings than its slack, covers it. Products that underflow add less than
// 2^-1060. The minimum separation enters as d |n|, raised by 8u of itself for its own roundings and
// those of subtracting it.
#pragma once

#include "narrow_phase/relative_motion.h"

namespace graze {

// Apart at every t in [0, 1] with from < t < to; where to is above 1, at t = 1 as well.
struct SeparatedTimes {
    double from, to;

    GRAZE_INLINE bool contain(double t) const { return from < t && t < to; }
};

namespace detail {

constexpr double kNeverJoined = 2;

// Keeps the times at which the line from (0, at_t0) to (1, at_t1) is above zero. Its zero comes
// from a subtraction and a division, two roundings; 8u move it to the safe side of the true one.
// Quotients so small that they may be denormal are taken for zero.
GRAZE_INLINE void keep_above(double at_t0, double at_t1, SeparatedTimes& times) {
    constexpr double kDown = 1 - 0x1p-50, kUp = 1 + 0x1p-50, kSmallest = 0x1p-500;
    if (at_t0 > 0 && at_t1 > 0) return;
    if (at_t0 > 0) {
        const double zero = at_t0 / (at_t0 - at_t1) * kDown;
        times.to = min_of(times.to, zero > kSmallest ? zero : 0.0);
    } else if (at_t1 > 0) {
        const double zero = at_t0 / (at_t0 - at_t1) * kUp;
        times.from = max_of(times.from, max_of(zero, kSmallest));
    } else {
        times.to = -1;  // also where one of them is not a number
    }
}

}  // namespace detail

// The direction n need not have unit length.
template <FeaturePair kPair>
GRAZE_INLINE SeparatedTimes separated_times(const RelativeMotion<double>& motion, double extent_sum,
                                            const Vec3d& n, double min_separation) {
    const double magnitude = std::fabs(n.x) + std::fabs(n.y) + std::fabs(n.z);
    double lost = 0x1p-50 * extent_sum * magnitude + 0x1p-1060;
    if (min_separation > 0) lost += min_separation * (length(n) * (1 + 0x1p-50));
    double a[2], b[2], c[2];
    for (int end = 0; end < 2; ++end) {
        a[end] = dot(n, motion.a[end]);
        b[end] = dot(n, motion.b[end]);
        c[end] = dot(n, motion.c[end]);
    }
    SeparatedTimes times{-1, detail::kNeverJoined};
    detail::keep_above(c[0] - lost, c[1] - lost, times);
    if constexpr (kPair == FeaturePair::vertex_face) {
        detail::keep_above((c[0] - a[0]) - lost, (c[1] - a[1]) - lost, times);
        detail::keep_above((c[0] - b[0]) - lost, (c[1] - b[1]) - lost, times);
    } else {
        detail::keep_above((c[0] - b[0]) - lost, (c[1] - b[1]) - lost, times);
        detail::keep_above((c[0] + a[0]) - lost, (c[1] + a[1]) - lost, times);
        detail::keep_above((c[0] + a[0] - b[0]) - lost, (c[1] + a[1] - b[1]) - lost, times);
    }
    return times;
}

}  // namespace graze

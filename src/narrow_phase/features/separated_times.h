// Times at which a given direction certainly separates two moving features.
//
// Idea: the features are the convex hulls of their corners. They are further apart than d along
// a direction n where n.(p - q) > d |n| for every corner p of the first and q of the second, which
// are three pairs or four. For points that move straight each of these heights is linear in time,
// so it is known at all times from both ends of the step. The ends are lowered by what rounding may
// have added; where the line through the lowered ends is above zero, so is the height. The
// direction may come from anywhere: a bad one separates nothing, and none gives a wrong answer.
//
// Bound: let u = 2^-53, N = |n.x| + |n.y| + |n.z|, and let S be the sum of the motion's extents.
// A dot product n.v carries the subtraction that makes v, a multiplication and two additions: four
// roundings, whose error is below ((1+u)^4 - 1) N extent(v). A height is the sum of at most three
// of them, with two more roundings, and lowering it is one more: the error is below 7u N S (1 +
// 20u) in all. So 8u N S, which is computed with fewer roundings than its slack, covers it.
// Products that underflow add less than 2^-1060. The minimum separation enters as d |n|, raised by
// 8u of itself for its own roundings and those of subtracting it, and by 2^-500 d for squares that
// underflow.
#pragma once

#include "narrow_phase/features/relative_motion.h"

namespace graze {

// The features are apart at every t in [0, 1] with from < t < to, and at t = 1 as well where to is
// above 1.
struct SeparatedTimes {
    double from, to;

    GRAZE_INLINE bool contain(double t) const { return from < t && t < to; }
};

namespace detail {

constexpr double kNeverJoined = 2;

// Keeps the times at which the line from (0, at_t0) to (1, at_t1) is above zero. Its zero comes
// from a subtraction and a division, which are two roundings; 8u move it to the safe side of the
// true one. A quotient so small that it may be denormal is taken for zero.
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
        times.to = -1;  // also where one of them is NaN
    }
}

}  // namespace detail

// The direction n need not have unit length.
template <FeaturePair kPair>
GRAZE_INLINE SeparatedTimes separated_times(const RelativeMotion<double>& motion, double extent_sum,
                                            const Vec3d& n, double min_separation) {
    const double magnitude = std::fabs(n.x) + std::fabs(n.y) + std::fabs(n.z);
    if (!(magnitude < 0x1p500)) return {detail::kNeverJoined, -1};  // also where it is NaN
    double lost = 0x1p-50 * extent_sum * magnitude + 0x1p-1060;
    if (min_separation > 0) lost += min_separation * ((length(n) + 0x1p-500) * (1 + 0x1p-50));
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

namespace detail {

// Returns a height that is one subtraction of given coordinates, less the separation, rounded down;
// the rounding error of the subtraction is below u of the height.
GRAZE_INLINE double lowered_difference(double high, double low, double min_separation) {
    const double difference = high - low;
    return (difference - 0x1p-52 * std::fabs(difference)) - min_separation * (1 + 0x1p-50);
}

}  // namespace detail

// The same along an axis, or against it. Here a height is one subtraction, whose sign is exact and
// whose error is relative, so that the smallest gaps count. The points are as in relative_motion.h.
template <FeaturePair kPair>
GRAZE_HD SeparatedTimes separated_times_along(int axis, bool is_reversed, const Vec3d (&p0)[4],
                                              const Vec3d (&p1)[4], double min_separation) {
    constexpr int kFirstCount = kPair == FeaturePair::vertex_face ? 1 : 2;
    SeparatedTimes times{-1, detail::kNeverJoined};
    for (int i = 0; i < kFirstCount; ++i)
        for (int j = kFirstCount; j < 4; ++j) {
            const int high = is_reversed ? j : i, low = is_reversed ? i : j;
            detail::keep_above(
                detail::lowered_difference(p0[high][axis], p0[low][axis], min_separation),
                detail::lowered_difference(p1[high][axis], p1[low][axis], min_separation), times);
        }
    return times;
}

}  // namespace graze

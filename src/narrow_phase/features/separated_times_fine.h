// The counterpart of separated_times.h for gaps that doubles do not resolve, of 2^-53 of the
// features' size and less: in double-double arithmetic, the time until which the best of all
// directions separates the features.
//
// Idea: where two convex features are disjoint, the direction between their closest points
// separates them. Rounding may hide on which corners, edges or faces those points lie, but there
// are few, so all are tried: the normal a x b, the directions from every corner or edge of one
// feature to those of the other, and the directions within the plane. Wherever there is a gap of
// more than about 2^-90, one of them proves it. Those that are also perpendicular to the motion
// keep proving it while one feature passes the other.
//
// Bound: the vectors between the points are exact. The direction may be any, scaled so that
// N = |x| + |y| + |z| is about one. Six operations lead to a lowered height, each with an error
// below 2^-102 of N S, where S is the sum of the motion's extents; 2^-98 N S covers them. Products
// that underflow add less than 2^-1000. The lines go through the leading doubles of the lowered
// heights, each of which is off by u of itself; the 8u of keep_above cover that as well.
#pragma once

#include "core/double_double.h"
#include "narrow_phase/features/separated_times.h"

namespace graze {

struct FineMotion {
    Vec3dd a[2], b[2], c[2];  // [m] as in RelativeMotion, without error
    double extent_sum;        // [m]
};

namespace detail {

GRAZE_INLINE Vec3dd exact_vector(const Vec3d& p, const Vec3d& q) {
    return {exact_sub(p.x, q.x), exact_sub(p.y, q.y), exact_sub(p.z, q.z)};
}

template <FeaturePair kPair>
GRAZE_HD FineMotion fine_motion(const Vec3d (&p0)[4], const Vec3d (&p1)[4], double extent_sum) {
    constexpr bool kIsFace = kPair == FeaturePair::vertex_face;
    FineMotion motion;
    motion.extent_sum = extent_sum;
    for (int end = 0; end < 2; ++end) {
        const Vec3d(&p)[4] = end == 0 ? p0 : p1;
        motion.a[end] = kIsFace ? exact_vector(p[2], p[1]) : exact_vector(p[1], p[0]);
        motion.b[end] = kIsFace ? exact_vector(p[3], p[1]) : exact_vector(p[3], p[2]);
        motion.c[end] = kIsFace ? exact_vector(p[0], p[1]) : exact_vector(p[0], p[2]);
    }
    return motion;
}

GRAZE_INLINE double scaled_by(double value, int exponent) {
    return std::ldexp(value, exponent);
}

// Scales a direction by a power of two, so that its largest component is about one; returns zero
// where that is not possible.
GRAZE_HD inline Vec3dd with_unit_size(const Vec3dd& n) {
    const double size =
        max_of(max_of(std::fabs(n.x.high), std::fabs(n.y.high)), std::fabs(n.z.high));
    const Vec3dd zero{{0, 0}, {0, 0}, {0, 0}};
    if (!(size > 0x1p-900 && size < 0x1p900)) return zero;
    const int exponent = -std::ilogb(size);
    return {{scaled_by(n.x.high, exponent), scaled_by(n.x.low, exponent)},
            {scaled_by(n.y.high, exponent), scaled_by(n.y.low, exponent)},
            {scaled_by(n.z.high, exponent), scaled_by(n.z.low, exponent)}};
}

// Returns the time until which n, or -n, separates the features from t on; t where neither does.
template <FeaturePair kPair>
GRAZE_NOINLINE double apart_until(const FineMotion& motion, const Vec3dd& direction, double t) {
    const Vec3dd n = with_unit_size(direction);
    const double magnitude = std::fabs(n.x.high) + std::fabs(n.y.high) + std::fabs(n.z.high);
    if (!(magnitude > 0)) return t;
    const DoubleDouble lost{0x1p-98 * motion.extent_sum * magnitude + 0x1p-1000, 0};
    DoubleDouble heights[4][2];
    for (int end = 0; end < 2; ++end) {
        const DoubleDouble a = dot(n, motion.a[end]), b = dot(n, motion.b[end]);
        const DoubleDouble c = dot(n, motion.c[end]);
        heights[0][end] = c;
        heights[1][end] = c - b;
        heights[2][end] = kPair == FeaturePair::vertex_face ? c - a : c + a;
        heights[3][end] = kPair == FeaturePair::vertex_face ? c : c + a - b;
    }
    for (int side = 0; side < 2; ++side) {
        SeparatedTimes times{-1, kNeverJoined};
        for (const DoubleDouble(&height)[2] : heights) {
            const DoubleDouble at_t0 = side == 0 ? height[0] : -height[0];
            const DoubleDouble at_t1 = side == 0 ? height[1] : -height[1];
            keep_above(double(at_t0 - lost), double(at_t1 - lost), times);
        }
        if (times.contain(t)) return times.to;
    }
    return t;
}

GRAZE_INLINE Vec3dd mix_fine(const Vec3dd (&ends)[2], double t) {
    const DoubleDouble to{t, 0}, from = exact_sub(1, t);
    return ends[0] * from + ends[1] * to;
}

}  // namespace detail

// Returns the time until which the best direction separates the features from t on; it is t where
// none does, and above 1 where they are apart until the end. The extents must be between 2^-100 and
// 2^100.
template <FeaturePair kPair>
GRAZE_NOINLINE double apart_until_fine(const Vec3d (&p0)[4], const Vec3d (&p1)[4],
                                       double extent_sum, double t) {
    const FineMotion motion = detail::fine_motion<kPair>(p0, p1, extent_sum);
    const Vec3dd a = detail::mix_fine(motion.a, t), b = detail::mix_fine(motion.b, t);
    const Vec3dd c = detail::mix_fine(motion.c, t), normal = cross(a, b);
    constexpr bool kIsFace = kPair == FeaturePair::vertex_face;
    const Vec3dd edges[3] = {a, b, b - a};
    // The vectors between the corners; the first edge has its corners at c and c + a.
    const Vec3dd offsets[4] = {c, c - b, kIsFace ? c - a : c + a, kIsFace ? c : c + a - b};
    const Vec3dd velocity = motion.c[1] - motion.c[0];
    double until = detail::apart_until<kPair>(motion, normal, t);
    for (int i = 0; i < (kIsFace ? 3 : 2); ++i) {
        until = max_of(until, detail::apart_until<kPair>(motion, cross(edges[i], normal), t));
        until = max_of(until, detail::apart_until<kPair>(motion, cross(edges[i], velocity), t));
        for (int k = 0; k < 4; ++k) {
            const Vec3dd across = cross(edges[i], cross(offsets[k], edges[i]));
            until = max_of(until, detail::apart_until<kPair>(motion, across, t));
        }
    }
    for (const Vec3dd& offset : offsets) {
        const Vec3dd beside = cross(velocity, cross(offset, velocity));
        until = max_of(until, detail::apart_until<kPair>(motion, offset, t));
        until = max_of(until, detail::apart_until<kPair>(motion, beside, t));
    }
    return until;
}

}  // namespace graze

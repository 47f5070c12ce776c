// Times at which four moving points certainly make no contact, by the signs of polynomials in time,
// in double-double arithmetic. It decides on features that pass each other at a distance of
// rounding errors, for which separated_times_fine.h finds no direction that lasts.
//
// Idea: where a vertex p and a face share a point, the four points lie in one plane, and the vertex
// is on the inner side of each of the face's edges u v, or on it: with the normal n, none of
// n.((u - p) x (v - p)) is negative. Where two edges share a point, the ends of each are on
// different sides of the other, or on it: (a x (q0 - p0)).((q1 - p0) x a) is not negative for an
// edge a from p0 and the other's ends q0 and q1. Both hold however degenerate the features are. All
// of these are polynomials in time, of degree 3 and 4. So there is no contact while the volume of
// coplanarity.h has one sign, and none while one of the others is negative. Each proof moves a time
// on as in coplanarity.h, by the hull of Bernstein coefficients, and where one ends another may go
// on. At a root of the volume a vertex that misses the face by 2^-53 of its size is as certainly
// outside as any other, for numbers of 106 bits.
//
// Bound: let S be the sum of the motion's extents, which no component of a vector between two of
// the points exceeds, and e = 2^-102, above the relative error of any operation. A component of
// such a vector carries at most two operations. One of a cross product is at most 2 S^2, with an
// error of less than 4 e of that. A product of two of these vectors is at most 12 S^4, with less
// than 12 e of that. The coefficients are six times those of the polynomial, which saves divisions:
// at most 72 S^4, each with fewer than 20 e of that. Over an interval, a coefficient goes through
// four means, each with less than 3 e more. So 32 e 72 S^4 < 2^-90 S^4 covers all. The volumes,
// three times 6 S^3 at most, are covered by 2^-90 S^3 likewise. Where S is between 2^-100 and
// 2^100, what underflows is far below. Coefficients are lowered by the bound in double-double and
// then rounded, by u of themselves; the zero of a hull has at most ten roundings more, and 16u
// cover both.
#pragma once

#include "narrow_phase/features/coplanarity.h"
#include "narrow_phase/features/separated_times_fine.h"

namespace graze {

namespace detail {

// Bernstein coefficients over the whole step.
template <int kDegree>
struct FinePolynomial {
    DoubleDouble at[kDegree + 1];
};

GRAZE_INLINE DoubleDouble mix_fine(const DoubleDouble& from, const DoubleDouble& to,
                                   const DoubleDouble& t) {
    return from * (DoubleDouble{1, 0} - t) + to * t;
}

// The coefficients over [from, to], which are the values of the polar form (Ramshaw).
template <int kDegree>
GRAZE_HD void polar_values(const FinePolynomial<kDegree>& p, const DoubleDouble& from,
                           const DoubleDouble& to, DoubleDouble (&values)[kDegree + 1]) {
    DoubleDouble row[kDegree + 1];
    for (int i = 0; i <= kDegree; ++i)
        row[i] = p.at[i];
    for (int k = 0; k <= kDegree; ++k) {
        DoubleDouble column[kDegree + 1];
        for (int i = 0; i <= kDegree - k; ++i)
            column[i] = row[i];
        for (int count = kDegree - k; count > 0; --count)
            for (int i = 0; i < count; ++i)
                column[i] = mix_fine(column[i], column[i + 1], from);
        values[k] = column[0];
        for (int i = 0; i < kDegree - k; ++i)
            row[i] = mix_fine(row[i], row[i + 1], to);
    }
}

// The earliest and the latest time at which a line from one of the points (i / kDegree, heights[i])
// down to a later one crosses zero, as in zeros_of_hull.
template <int kDegree>
GRAZE_INLINE HullZeros zeros_of_fine_hull(const double (&heights)[kDegree + 1]) {
    HullZeros zeros;
    for (int k = 1; k <= kDegree; ++k) {
        if (heights[k] > 0) continue;
        for (int i = 0; i < k; ++i) {
            if (!(heights[i] > 0)) continue;
            const double zero =
                (i + (k - i) * (heights[i] / (heights[i] - heights[k]))) * (1.0 / kDegree);
            zeros.first = min_of(zeros.first, zero);
            zeros.last = max_of(zeros.last, zero);
        }
    }
    return zeros;
}

GRAZE_INLINE bool is_less(const DoubleDouble& a, const DoubleDouble& b) {
    return (b - a).high > 0;
}

// Returns a time s' >= s such that sign p is above zero in [s, s'); above 1 where it is until the
// end of the step.
template <int kDegree>
GRAZE_NOINLINE DoubleDouble above_zero_until(const FinePolynomial<kDegree>& p, double sign,
                                             double bound, DoubleDouble s) {
    constexpr int kMaxSteps = 24;
    const DoubleDouble one{1, 0};
    DoubleDouble end = one;
    for (int step = 0; step < kMaxSteps; ++step) {
        DoubleDouble values[kDegree + 1];
        polar_values(p, s, end, values);
        double heights[kDegree + 1];
        for (int i = 0; i <= kDegree; ++i)
            heights[i] = double(values[i] * DoubleDouble{sign, 0} - DoubleDouble{bound, 0});
        if (!(heights[0] > 0)) return s;
        const HullZeros zeros = zeros_of_fine_hull<kDegree>(heights);
        if (!zeros.exist()) {
            if (!is_less(end, one)) return {2, 0};
            s = end;
            end = one;
            continue;
        }
        const DoubleDouble length = end - s;
        const DoubleDouble advance = length * DoubleDouble{zeros.first * (1 - 0x1p-49), 0};
        const DoubleDouble last = s + length * DoubleDouble{zeros.last * (1 + 0x1p-20), 0};
        if (!(advance.high > 0x1p-100)) return s;
        if (is_less(last, end)) end = last;
        s = s + advance;
    }
    return s;
}

struct FineSides {
    FinePolynomial<3> volume;
    FinePolynomial<4> sides[3];  // not negative where there is contact
    int count;
};

// A vector that is quadratic in time, by its Bernstein coefficients.
struct FineVector {
    Vec3dd at[3];
};
GRAZE_INLINE DoubleDouble times_fine(double factor, const DoubleDouble& value) {
    return DoubleDouble{factor, 0} * value;
}
GRAZE_HD inline FineVector cross_fine(const Vec3dd (&a)[2], const Vec3dd (&b)[2]) {
    const DoubleDouble half{0.5, 0};
    return {{cross(a[0], b[0]), (cross(a[0], b[1]) + cross(a[1], b[0])) * half, cross(a[1], b[1])}};
}
// Three times, and six times, the product of two vectors.
GRAZE_HD inline FinePolynomial<3> dot_fine(const FineVector& v, const Vec3dd (&w)[2]) {
    return {{times_fine(3, dot(v.at[0], w[0])),
             times_fine(2, dot(v.at[1], w[0])) + dot(v.at[0], w[1]),
             dot(v.at[2], w[0]) + times_fine(2, dot(v.at[1], w[1])),
             times_fine(3, dot(v.at[2], w[1]))}};
}
GRAZE_HD inline FinePolynomial<4> dot_fine(const FineVector& v, const FineVector& w) {
    const DoubleDouble middle = dot(v.at[0], w.at[2]) + dot(v.at[2], w.at[0]);
    return {{times_fine(6, dot(v.at[0], w.at[0])),
             times_fine(3, dot(v.at[0], w.at[1]) + dot(v.at[1], w.at[0])),
             middle + times_fine(4, dot(v.at[1], w.at[1])),
             times_fine(3, dot(v.at[1], w.at[2]) + dot(v.at[2], w.at[1])),
             times_fine(6, dot(v.at[2], w.at[2]))}};
}

struct MovingFineVector {
    Vec3dd at[2];
};
GRAZE_INLINE MovingFineVector difference(const Vec3dd (&v)[2], const Vec3dd (&w)[2]) {
    return {{v[0] - w[0], v[1] - w[1]}};
}

template <FeaturePair kPair>
GRAZE_HD FineSides fine_sides(const FineMotion& motion) {
    const FineVector normal = cross_fine(motion.a, motion.b);
    FineSides result;
    result.volume = dot_fine(normal, motion.c);
    const Vec3dd(&a)[2] = motion.a, (&b)[2] = motion.b, (&c)[2] = motion.c;
    if constexpr (kPair == FeaturePair::vertex_face) {
        // From the vertex to the corners, all of them turned round, which changes no product.
        const MovingFineVector to_a = difference(c, a), to_b = difference(c, b);
        result.sides[0] = dot_fine(normal, cross_fine(c, to_a.at));
        result.sides[1] = dot_fine(normal, cross_fine(to_a.at, to_b.at));
        result.sides[2] = dot_fine(normal, cross_fine(to_b.at, c));
        result.count = 3;
    } else {
        // The first edge runs from c to c + a, the second from 0 to b. The products are those of
        // the file's comment for both ends turned round.
        const MovingFineVector to_b = difference(c, b);
        const Vec3dd end[2] = {c[0] + a[0], c[1] + a[1]};
        result.sides[0] = dot_fine(cross_fine(a, c), cross_fine(to_b.at, a));
        result.sides[1] = dot_fine(cross_fine(b, c), cross_fine(end, b));
        result.count = 2;
    }
    return result;
}

}  // namespace detail

// Returns the time until which the points make no contact from t on, as far as the polynomials
// tell; it is t where they do not, and above 1 where there is none until the end. The extents must
// be between 2^-100 and 2^100.
template <FeaturePair kPair>
GRAZE_NOINLINE double contact_free_until(const Vec3d (&p0)[4], const Vec3d (&p1)[4],
                                         double extent_sum, double t) {
    constexpr int kMaxAdvances = 16;
    const detail::FineSides sides =
        detail::fine_sides<kPair>(detail::fine_motion<kPair>(p0, p1, extent_sum));
    const double volume_bound = 0x1p-90 * extent_sum * extent_sum * extent_sum;
    const double side_bound = volume_bound * extent_sum;
    DoubleDouble s{t, 0};
    for (int advance = 0; advance < kMaxAdvances; ++advance) {
        DoubleDouble next = s;
        for (int sign = -1; sign <= 1; sign += 2) {
            const DoubleDouble until =
                detail::above_zero_until(sides.volume, double(sign), volume_bound, s);
            if (detail::is_less(next, until)) next = until;
        }
        for (int i = 0; i < sides.count; ++i) {
            const DoubleDouble until =
                detail::above_zero_until(sides.sides[i], -1.0, side_bound, s);
            if (detail::is_less(next, until)) next = until;
        }
        if (next.high > 1) return 2;
        if (!detail::is_less(s, next)) break;
        s = next;
    }
    // Rounded down; t is a bound already.
    return max_of(t, s.high * (1 - 0x1p-52));
}

}  // namespace graze

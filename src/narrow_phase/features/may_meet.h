// A filter that rules out, cheaply and with certainty, that two features come within a distance of
// each other during a step. It does so for most pairs of a broad phase, in float, in double, or for
// eight pairs at once in float.
//
// Idea: the heights along a direction of points that move straight are linear in time. So features
// that a direction separates at both ends of the step, with the same one above, are apart all the
// time. The motion that all points have in common has been subtracted, so that the axes rule out
// more than boxes around the whole motion do. Besides directions there is the coplanarity of the
// four points (Tang et al. 2010, see coplanarity.h): no contact is possible where the Bernstein
// coefficients of the cubic all have one sign.
//
// The choice and the order of the tests were measured on all pairs with overlapping boxes of two
// real sequences, 6.9 and 31.8 million. The axes and the direction between the centres leave 17%
// and 7% of them; coplanarity and the normals leave 6.5% of the first; the directions across the
// edges leave 5.2% and 4%, of which 1.7% and 0.2% are contacts. The diagonals of the axes and the
// centres at t0 and t1 do not pay.
//
// Bounds: let u be half the distance from one to the next number of the scalar type, and d the
// error of a coordinate as given. By what separated_times.h and coplanarity.h derive, the error of
// a height along n is at most (8u S + 2d) N. The error of a coefficient is at most 160u V plus,
// where every component of a, b and c may be off by 2d, 6 ((A + 2d) (B + 2d) (C + 2d) - A B C) for
// the extents A, B, C. That difference is computed with an error of at most 6u of its first term,
// which another 40u V cover, since the difference is at least half of the first term where 2d is
// larger than an extent. Products that underflow are covered by an absolute term. Where something
// overflows, nothing is ruled out.
//
// In float the three versions, for one pair on either machine and for eight on the host, agree on
// every pair whose coordinates are at most kLargestForFilter: no NaN arises, which the machines
// compare differently. The square of a length may overflow, which rules nothing out.
#pragma once

#include "narrow_phase/features/relative_motion.h"

namespace graze {

// [m] With it edges are at most 2^23 long, the directions across them are below 2^77, and 256 times
// a height along one of those is below 2^110.
constexpr double kLargestForFilter = 0x1p22;

namespace detail {

template <class S>
struct Precision {  // float, alone or in lanes
    static constexpr float kUnit = 0x1p-24f;
    static constexpr float kThird = 1.0f / 3;
    static constexpr float kUnderflow = 0x1p-140f;
    static constexpr float kRootUnderflow = 0x1p-72f;  // for a root of sums that underflow
    static constexpr float kSmallest = 0x1p-126f;      // the smallest that is not denormal
};
template <>
struct Precision<double> {
    static constexpr double kUnit = 0x1p-53;
    static constexpr double kThird = 1.0 / 3;
    static constexpr double kUnderflow = 0x1p-1060;
    static constexpr double kRootUnderflow = 0x1p-530;
    static constexpr double kSmallest = 0x1p-1022;
};

// Returns how far a direction separates the features at both ends of the step, in the better of the
// two orders; it is negative where it does not. The heights of a, b and c along the direction are
// given at both ends.
template <FeaturePair kPair, class S>
GRAZE_INLINE S gap_between(const S (&a)[2], const S (&b)[2], const S (&c)[2]) {
    S first_above[2], second_above[2];
    for (int end = 0; end < 2; ++end) {
        const S zero = a[end] - a[end];
        if constexpr (kPair == FeaturePair::vertex_face) {
            first_above[end] = c[end] - max_of(max_of(a[end], b[end]), zero);
            second_above[end] = min_of(min_of(a[end], b[end]), zero) - c[end];
        } else {
            first_above[end] = c[end] + min_of(a[end], zero) - max_of(b[end], zero);
            second_above[end] = min_of(b[end], zero) - (c[end] + max_of(a[end], zero));
        }
    }
    return max_of(min_of(first_above[0], first_above[1]), min_of(second_above[0], second_above[1]));
}

template <class S>
GRAZE_INLINE S root_of(S value) {
    return std::sqrt(value);
}

}  // namespace detail

// The tests for one motion. Each returns a gap, which is above zero only where the features are
// certainly further apart than the minimum separation during the whole step.
template <FeaturePair kPair, class S>
class NonContactTests {
public:
    // min_separation [m] is zero in all lanes where has_separation is false. A coordinate differs
    // from the true one by at most coordinate_error [m].
    GRAZE_INLINE NonContactTests(const RelativeMotion<S>& motion, S min_separation,
                                 bool has_separation, S coordinate_error)
        : motion_(motion),
          extents_(motion_extents(motion)),
          height_error_(extents_.sum() * (8 * kUnit) + coordinate_error * 2 + kUnderflow),
          component_error_(coordinate_error * 2),
          min_separation_(min_separation * (1 + 16 * kUnit)),
          has_separation_(has_separation) {}

    // The tests are in three groups, in the order of what they rule out for their time.
    GRAZE_INLINE S first_gap() const { return max_of(axes_gap(), direction_gap(centre_offset())); }
    GRAZE_INLINE S normals_gap(const Vec3T<S> (&n)[3]) const {
        return max_of(plane_gap(n), max_of(direction_gap(n[0]), direction_gap(n[2])));
    }
    GRAZE_INLINE S edges_gap(const Vec3T<S> (&n)[3]) const {
        const Vec3T<S> a = motion_.a[0] + motion_.a[1], b = motion_.b[0] + motion_.b[1];
        const Vec3T<S> normal = n[0] + n[1] + n[2];  // a x b
        const S gap = max_of(direction_gap(cross(a, normal)), direction_gap(cross(b, normal)));
        if constexpr (kPair == FeaturePair::edge_edge)
            return gap;
        else
            return max_of(gap, direction_gap(cross(b - a, normal)));
    }

    // The gap along the best of the three axes.
    GRAZE_INLINE S axes_gap() const {
        S gaps[3];
        for (int axis = 0; axis < 3; ++axis) {
            const S a[2] = {motion_.a[0][axis], motion_.a[1][axis]};
            const S b[2] = {motion_.b[0][axis], motion_.b[1][axis]};
            const S c[2] = {motion_.c[0][axis], motion_.c[1][axis]};
            gaps[axis] = detail::gap_between<kPair>(a, b, c);
        }
        return max_of(max_of(gaps[0], gaps[1]), gaps[2]) - (height_error_ + min_separation_);
    }

    // The gap along a direction of any length.
    GRAZE_INLINE S direction_gap(const Vec3T<S>& n) const {
        const S magnitude = max_of(n.x, -n.x) + max_of(n.y, -n.y) + max_of(n.z, -n.z);
        S lost = height_error_ * magnitude + kUnderflow + nan_if_large(extents_.sum() * magnitude);
        if (has_separation_)
            lost += min_separation_ * (detail::root_of(length_sq(n)) + kRootUnderflow);
        const S a[2] = {dot(n, motion_.a[0]), dot(n, motion_.a[1])};
        const S b[2] = {dot(n, motion_.b[0]), dot(n, motion_.b[1])};
        const S c[2] = {dot(n, motion_.c[0]), dot(n, motion_.c[1])};
        return detail::gap_between<kPair>(a, b, c) - lost;
    }

    // Returns a multiple of the vector from the middle of the second feature to that of the first,
    // half-way through the step.
    GRAZE_INLINE Vec3T<S> centre_offset() const {
        const Vec3T<S> a = motion_.a[0] + motion_.a[1], b = motion_.b[0] + motion_.b[1];
        const Vec3T<S> c = motion_.c[0] + motion_.c[1];
        if constexpr (kPair == FeaturePair::vertex_face)
            return c + c + c - a - b;
        else
            return c + c + a - b;
    }

    // Computes the Bernstein coefficients of the normal a x b, the middle one doubled.
    GRAZE_INLINE void normals(Vec3T<S> (&n)[3]) const {
        n[0] = cross(motion_.a[0], motion_.b[0]);
        n[1] = cross(motion_.a[0], motion_.b[1]) + cross(motion_.a[1], motion_.b[0]);
        n[2] = cross(motion_.a[1], motion_.b[1]);
    }

    // The gap by coplanarity, for n of normals(). v1 and v2 are three times the middle
    // coefficients, and so are their limits.
    GRAZE_INLINE S plane_gap(const Vec3T<S> (&n)[3]) const {
        const S v0 = dot(n[0], motion_.c[0]), v3 = dot(n[2], motion_.c[1]);
        const S v1 = dot(n[1], motion_.c[0]) + dot(n[0], motion_.c[1]);
        const S v2 = dot(n[2], motion_.c[0]) + dot(n[1], motion_.c[1]);
        const S error = volume_error();
        if (!has_separation_) {
            const S lowest = min_of(min_of(v0, v3), min_of(v1, v2) * detail::Precision<S>::kThird);
            const S highest = max_of(max_of(v0, v3), max_of(v1, v2) * detail::Precision<S>::kThird);
            return max_of(lowest, -highest) - error;
        }
        const S n0 = lost_by_normal(n[0]), n1 = lost_by_normal(n[1]), n2 = lost_by_normal(n[2]);
        const S l0 = n0 + error, l1 = n0 + n1 + error * 3, l2 = n1 + n2 + error * 3,
                l3 = n2 + error;
        const S above = min_of(min_of(v0 - l0, v3 - l3), min_of(v1 - l1, v2 - l2));
        const S below = min_of(min_of(-v0 - l0, -v3 - l3), min_of(-v1 - l1, -v2 - l2));
        return max_of(above, below);
    }

private:
    static constexpr auto kUnit = detail::Precision<S>::kUnit;
    static constexpr auto kUnderflow = detail::Precision<S>::kUnderflow;
    static constexpr auto kRootUnderflow = detail::Precision<S>::kRootUnderflow;

    GRAZE_INLINE S volume_error() const {
        const S volume = extents_.a * extents_.b * extents_.c;
        const S enlarged = (extents_.a + component_error_) * (extents_.b + component_error_) *
                           (extents_.c + component_error_);
        return volume * (200 * kUnit) + (enlarged - volume) * 6 +
               (extents_.c + 1) * (kUnderflow * 16) +
               nan_if_large(volume + extents_.a * extents_.b);
    }
    // Returns NaN where a small multiple of the size given may overflow, and zero otherwise: the
    // comparisons within the tests drop a NaN, but their results must not.
    GRAZE_INLINE static S nan_if_large(S size) {
        const S larger = size * 256;
        return larger - larger;
    }
    // The middle normal is twice a coefficient, and so is what it subtracts from three times
    // a volume.
    GRAZE_INLINE S lost_by_normal(const Vec3T<S>& n) const {
        const S enlarged = (extents_.a + component_error_) * (extents_.b + component_error_);
        const S normal_error =
            enlarged * (128 * kUnit) + (enlarged - extents_.a * extents_.b) * 8 + kRootUnderflow;
        return min_separation_ * (detail::root_of(length_sq(n)) + normal_error);
    }

    RelativeMotion<S> motion_;
    MotionExtents<S> extents_;
    S height_error_;     // [m] bounds that of a height along a direction with |x| + |y| + |z| = 1
    S component_error_;  // [m] bounds that of a difference of coordinates
    S min_separation_;   // [m] raised by its roundings
    bool has_separation_;
};

namespace detail {

template <FeaturePair kPair, class T>
GRAZE_INLINE bool may_meet(const Vec3T<T> (&p0)[4], const Vec3T<T> (&p1)[4], T min_separation,
                           T coordinate_error) {
    const NonContactTests<kPair, T> tests(relative_motion<kPair, T>(p0, p1), min_separation,
                                          min_separation > 0, coordinate_error);
    constexpr T kSmallest = Precision<T>::kSmallest;
    if (tests.first_gap() >= kSmallest) return false;
    Vec3T<T> normals[3];
    tests.normals(normals);
    return !(tests.normals_gap(normals) >= kSmallest) && !(tests.edges_gap(normals) >= kSmallest);
}

}  // namespace detail

// False where the features certainly do not come within min_separation [m] during the step. The
// points are as in impact_time.h. Where they are rounded, coordinate_error [m] bounds the error of
// a coordinate. min_separation must be at least the true one; the nearest float will not do.
template <class T>
GRAZE_HD bool may_meet_vertex_face(const Vec3T<T> (&p0)[4], const Vec3T<T> (&p1)[4],
                                   T min_separation, T coordinate_error = 0) {
    return detail::may_meet<FeaturePair::vertex_face>(p0, p1, min_separation, coordinate_error);
}
template <class T>
GRAZE_HD bool may_meet_edge_edge(const Vec3T<T> (&p0)[4], const Vec3T<T> (&p1)[4], T min_separation,
                                 T coordinate_error = 0) {
    return detail::may_meet<FeaturePair::edge_edge>(p0, p1, min_separation, coordinate_error);
}

}  // namespace graze

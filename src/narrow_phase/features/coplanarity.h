// A certain lower bound of the times at which four moving points lie in one plane.
//
// Idea: when features meet, their four points lie in one plane, however degenerate the features
// are. Six times the volume that the points span, (a x b).c, is a cubic in time. A polynomial in
// Bernstein form lies above the lower hull of its coefficients (Farin), so coefficients of one sign
// rule a contact out (Tang, Manocha, Tong, "Fast continuous collision detection using deforming
// non-penetration filters", 2010). Where graze differs: the first zero of the hull is also a time
// before which there is no contact, and the same step over the remaining time moves that time on.
// At a simple zero this converges quadratically, without a formula for roots and with certainty at
// every step.
//
// With a minimum separation d > 0, features that are at most d apart have |(a x b).c| <= d |a x b|,
// since c differs from a point of the plane by at most d. The normal a x b is quadratic in time;
// where v0, v1, v2 are its coefficients, its length is at most the polynomial with the coefficients
// |v0|, |v1|, |v2| (by the triangle inequality). That polynomial, times d, is subtracted from the
// cubic.
//
// Bound: let u = 2^-53 and let V be the product of the three extents. A coefficient is a mean of
// volumes of six products each, and every product carries three subtractions, two multiplications
// and at most seven roundings more; de Casteljau's three levels add three roundings each, and
// lowering the result adds one. Every quantity is a mean of quantities of at most 6V, so the error
// stays below 22u 6V. 160u V covers it, its own roundings and terms of second order included.
#pragma once

#include "narrow_phase/features/relative_motion.h"

namespace graze {

struct Coplanarity {
    double volumes[4];      // [m^3] Bernstein coefficients of (a x b).c over the step
    double volume_error;    // [m^3] bounds their rounding errors, over any interval of the step
    Vec3d normals[3];       // [m^2] Bernstein coefficients of a x b
    double normal_error;    // [m^2] bounds the error of the length of one of them
    double min_separation;  // [m]
};

GRAZE_INLINE Coplanarity coplanarity(const RelativeMotion<double>& motion,
                                     const MotionExtents<double>& extents, double min_separation) {
    constexpr double kThird = 1.0 / 3;
    const Vec3d(&a)[2] = motion.a, (&b)[2] = motion.b, (&c)[2] = motion.c;
    const Vec3d n0 = cross(a[0], b[0]), n2 = cross(a[1], b[1]);
    const Vec3d n1_twice = cross(a[0], b[1]) + cross(a[1], b[0]);
    return {{dot(n0, c[0]), (dot(n1_twice, c[0]) + dot(n0, c[1])) * kThird,
             (dot(n2, c[0]) + dot(n1_twice, c[1])) * kThird, dot(n2, c[1])},
            160 * 0x1p-53 * extents.a * extents.b * extents.c + 0x1p-900,
            {n0, n1_twice * 0.5, n2},
            64 * 0x1p-53 * extents.a * extents.b + 0x1p-500,
            min_separation};
}

namespace detail {

// Subtracts from the volumes over [from, to] what the minimum separation takes. The normals'
// components carry at most eleven roundings of quantities of at most 2 A B, where A and B are the
// extents of a and b, so the error of their lengths is less than the 64u A B of normal_error.
GRAZE_HD inline void subtract_separation(const Coplanarity& plane, double from, double to,
                                         double (&heights)[4]) {
    const Vec3d(&n)[3] = plane.normals;
    const Vec3d first = mix(n[0], n[1], from), second = mix(n[1], n[2], from);
    const double scale = plane.min_separation * (1 + 0x1p-48);
    const double n0 = (length(mix(first, second, from)) + plane.normal_error) * scale;
    const double n1 = (length(mix(first, second, to)) + plane.normal_error) * scale;
    const double n2 =
        (length(mix(mix(n[0], n[1], to), mix(n[1], n[2], to), to)) + plane.normal_error) * scale;
    heights[0] -= n0;
    heights[1] -= (n0 + 2 * n1) / 3;
    heights[2] -= (2 * n1 + n2) / 3;
    heights[3] -= n2;
}

// Computes the Bernstein coefficients of the volume over [from, to], which are the values of its
// polar form (Ramshaw), takes them with the sign that the volume has at `from`, and lowers them by
// their error bound.
GRAZE_INLINE void lowered_volumes(const Coplanarity& plane, double from, double to,
                                  double (&heights)[4]) {
    const double(&v)[4] = plane.volumes;
    const double f0 = mix(v[0], v[1], from), f1 = mix(v[1], v[2], from), f2 = mix(v[2], v[3], from);
    const double t0 = mix(v[0], v[1], to), t1 = mix(v[1], v[2], to), t2 = mix(v[2], v[3], to);
    const double ff0 = mix(f0, f1, from), ff1 = mix(f1, f2, from);
    const double ft0 = mix(f0, f1, to), ft1 = mix(f1, f2, to);
    const double tt0 = mix(t0, t1, to), tt1 = mix(t1, t2, to);
    const double at_from = mix(ff0, ff1, from);
    const double sign = at_from < 0 ? -1 : 1;
    heights[0] = sign * at_from - plane.volume_error;
    heights[1] = sign * mix(ff0, ff1, to) - plane.volume_error;
    heights[2] = sign * mix(ft0, ft1, to) - plane.volume_error;
    heights[3] = sign * mix(tt0, tt1, to) - plane.volume_error;
    if (plane.min_separation > 0) subtract_separation(plane, from, to, heights);
}

// The first time in [0, 1] at which the lower hull of the points (i / 3, heights[i]) comes down to
// zero, and the last time at which the upper hull does. The first point is above zero; where all
// are, there are no such times. They are the earliest and the latest crossing of zero among all
// lines that come down from one point to a later one.
struct HullZeros {
    double first = 2, last = -1;
    GRAZE_INLINE bool exist() const { return last >= 0; }
};
GRAZE_INLINE HullZeros zeros_of_hull(const double (&heights)[4]) {
    constexpr double kThird = 1.0 / 3;
    HullZeros zeros;
    for (int k = 1; k < 4; ++k) {
        if (heights[k] > 0) continue;
        for (int i = 0; i < k; ++i) {
            if (!(heights[i] > 0)) continue;
            const double zero = (i + (k - i) * (heights[i] / (heights[i] - heights[k]))) * kThird;
            zeros.first = min_of(zeros.first, zero);
            zeros.last = max_of(zeros.last, zero);
        }
    }
    return zeros;
}

}  // namespace detail

// Returns a time t' >= t such that in [t, t') the points lie in no common plane (are not within the
// minimum separation of one); it is above 1 where that holds until the end of the step. The search
// steps on until a step is shorter than `tolerance`. Each step works on [t, end] with an end near
// the zero. Any end is right, since only the beginning moves by proof. A step's zero has at most
// ten roundings, of positive terms, and is taken 16u of itself earlier. The search goes no further
// once t' is at the limit.
GRAZE_HD inline double not_coplanar_before(const Coplanarity& plane, double t, double tolerance,
                                           double limit) {
    constexpr int kMaxSteps = 32;
    double end = 1;
    for (int step = 0; step < kMaxSteps; ++step) {
        double heights[4];
        detail::lowered_volumes(plane, t, end, heights);
        if (!(heights[0] > 0)) return t;
        const detail::HullZeros zeros = detail::zeros_of_hull(heights);
        if (!zeros.exist()) {
            if (end == 1) return 2;
            t = end;
            end = 1;
            continue;
        }
        const double next = (t + (end - t) * zeros.first) * (1 - 0x1p-49);
        if (!(next > t)) return t;
        end = min_of(end, t + (end - t) * zeros.last * (1 + 0x1p-20));
        const bool is_done = next - t < tolerance || next >= limit;
        t = next;
        if (is_done) return t;
    }
    return t;
}

}  // namespace graze

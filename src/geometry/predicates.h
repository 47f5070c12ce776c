// Exact orientation signs: orient2d, orient3d and are_collinear, for float and double coordinates.
//
// Idea: evaluate the determinant in double with a forward error bound; where the bound cannot tell
// the sign, evaluate it again without error as a floating-point expansion, a sum of doubles that do
// not overlap (Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
// Predicates", 1997). Where we differ: one exact stage instead of four, built from a single
// operation, "add a double to an expansion", in one fixed array, which keeps the stack of a GPU
// thread small. Terms that are zero are dropped, so the usual case, exact coordinate differences,
// stays short.
//
// Both halves of the build must compute in IEEE double arithmetic without contraction: the host
// compiles with -ffp-contract=off, nvcc with -fmad=false. Only the std::fma calls below fuse.
//
// Exact for every finite float, denormal or not: coordinates are multiples of 2^-149 below 2^128,
// so products of three are multiples of 2^-447 below 2^390, and nothing under- or overflows.
// Exact for doubles that are zero or of magnitude 2^-306 to 2^339 (1e-92 to 1e102): those are
// multiples of 2^-358, hence products of three multiples of 2^-1074.
#pragma once

#include <cmath>

#include "graze/vec3.h"

namespace graze {

namespace detail {

// A sum of up to N doubles, nonoverlapping, of growing magnitude, none of them zero.
template <int N>
struct Expansion {
    double terms[N];
    int count = 0;

    // Grow-expansion with zero elimination: Shewchuk's theorem 10, in place. Put into its callers,
    // nvcc 13.0 makes a tenth of the degenerate orient2d_exact() wrong, at every level of
    // optimisation of ptxas; test_predicates_cuda holds it to the host's answers.
    GRAZE_APART_ON_DEVICE void add(double value) {
        double sum = value;
        int kept = 0;
        for (int i = 0; i < count; ++i) {
            const double term = terms[i];
            const double next = sum + term;
            // By Knuth's two_sum, next + error == sum + term, exactly.
            const double rounded_term = next - sum;
            const double error = (sum - (next - rounded_term)) + (term - rounded_term);
            if (error != 0) terms[kept++] = error;
            sum = next;
        }
        if (sum != 0) terms[kept++] = sum;
        count = kept;
    }
    GRAZE_HD void add_product(double a, double b) {
        const double product = a * b;
        add(std::fma(a, b, -product));  // the rounding error of product, itself a double
        add(product);
    }
    // Adds a * b * factor for expansions a, b; N must hold 2 * (terms of a) * (terms of b) more.
    template <int A, int B>
    GRAZE_HD void add_product(const Expansion<A>& a, const Expansion<B>& b, double factor) {
        for (int i = 0; i < a.count; ++i)
            for (int j = 0; j < b.count; ++j)
                add_product(a.terms[i], b.terms[j] * factor);
    }

    // The value with a relative error of at most 2^-51, hence with its exact sign: adding in this
    // way keeps the terms nonadjacent, so each is more than twice the sum of those before it.
    GRAZE_HD double rounded() const {
        double sum = 0;
        for (int i = 0; i < count; ++i)
            sum += terms[i];
        return sum;
    }
};

// a - b without error.
GRAZE_HD inline Expansion<2> exact_difference(double a, double b) {
    Expansion<2> result;
    result.add(a);
    result.add(-b);
    return result;
}

// ax * by - ay * bx without error: 2x2 products of two terms each, twice.
GRAZE_HD inline Expansion<16> exact_determinant(const Expansion<2>& ax, const Expansion<2>& ay,
                                                const Expansion<2>& bx, const Expansion<2>& by) {
    Expansion<16> result;
    result.add_product(ax, by, 1);
    result.add_product(ay, bx, -1);
    return result;
}

GRAZE_INLINE int sign_of(double value) {
    return (value > 0) - (value < 0);
}

template <class T>
GRAZE_INLINE Vec3d widen(const Vec3T<T>& v) {
    return {double(v.x), double(v.y), double(v.z)};
}

GRAZE_NOINLINE inline double orient2d_exact(double ax, double ay, double bx, double by, double cx,
                                            double cy) {
    return exact_determinant(exact_difference(bx, ax), exact_difference(by, ay),
                             exact_difference(cx, ax), exact_difference(cy, ay))
        .rounded();
}

// The determinant of b-a, c-a, d-a: three minors of 16 terms times a difference of 2.
GRAZE_NOINLINE inline double orient3d_exact(const Vec3d& a, const Vec3d& b, const Vec3d& c,
                                            const Vec3d& d) {
    Expansion<192> result;
    for (int axis = 0; axis < 3; ++axis) {
        const int y = (axis + 1) % 3, z = (axis + 2) % 3;
        const Expansion<16> minor_of_axis =
            exact_determinant(exact_difference(b[y], a[y]), exact_difference(b[z], a[z]),
                              exact_difference(c[y], a[y]), exact_difference(c[z], a[z]));
        result.add_product(minor_of_axis, exact_difference(d[axis], a[axis]), 1);
    }
    return result.rounded();
}

}  // namespace detail

// The value of a filtered sign where only exact arithmetic can tell. No product of two signs of
// which one is unsure is 1 or -1.
constexpr int kUnsureSign = 2;

// orient2d where double arithmetic can tell it, else kUnsureSign.
//
// Bound: with u = 2^-53 each product carries two differences and one multiplication, and one
// subtraction follows: four roundings, |error| <= ((1+u)^4 - 1) * S for S the sum of the products'
// magnitudes. S itself is rounded four times and its product with the constant once, so
// ((1+u)^4 - 1) / (1-u)^5 < 4u (1 + 8u) covers it.
GRAZE_INLINE int orient2d_filtered(double ax, double ay, double bx, double by, double cx,
                                   double cy) {
    constexpr double kBound = 0x1p-51 * (1 + 0x1p-50);
    const double left = (bx - ax) * (cy - ay);
    const double right = (by - ay) * (cx - ax);
    const double determinant = left - right;
    const double magnitude = std::fabs(left) + std::fabs(right);
    const double bound = kBound * magnitude;
    if (determinant > bound) return 1;
    if (-determinant > bound) return -1;
    return magnitude == 0 ? 0 : kUnsureSign;  // 0: every product has a zero factor
}

// +1 where a, b, c turn counter-clockwise, -1 clockwise, 0 where they lie on one line.
GRAZE_INLINE int orient2d(double ax, double ay, double bx, double by, double cx, double cy) {
    const int sign = orient2d_filtered(ax, ay, bx, by, cx, cy);
    if (sign != kUnsureSign) return sign;
    return detail::sign_of(detail::orient2d_exact(ax, ay, bx, by, cx, cy));
}
GRAZE_INLINE int orient2d(float ax, float ay, float bx, float by, float cx, float cy) {
    return orient2d(double(ax), double(ay), double(bx), double(by), double(cx), double(cy));
}

// A determinant in double arithmetic, and the most that it is off.
struct EstimatedVolume {
    double value, bound;
};

// Six times the signed volume of the tetrahedron a, b, c, d, positive where orient3d is.
//
// Bound: a product carries three differences, two multiplications, the minor's subtraction and two
// additions: eight roundings, |error| <= ((1+u)^8 - 1) * S, and S is rounded as often, so
// ((1+u)^8 - 1) / (1-u)^9 < 8u (1 + 16u) covers it. It is 0 where every product has a zero factor.
GRAZE_INLINE EstimatedVolume estimate_volume(const Vec3d& a, const Vec3d& b, const Vec3d& c,
                                             const Vec3d& d) {
    constexpr double kBound = 0x1p-50 * (1 + 0x1p-49);
    const Vec3d p = b - a, q = c - a, r = d - a;
    const double x1 = p.y * q.z, x2 = p.z * q.y;
    const double y1 = p.z * q.x, y2 = p.x * q.z;
    const double z1 = p.x * q.y, z2 = p.y * q.x;
    const double determinant = (x1 - x2) * r.x + (y1 - y2) * r.y + (z1 - z2) * r.z;
    const double magnitude = (std::fabs(x1) + std::fabs(x2)) * std::fabs(r.x) +
                             (std::fabs(y1) + std::fabs(y2)) * std::fabs(r.y) +
                             (std::fabs(z1) + std::fabs(z2)) * std::fabs(r.z);
    return {determinant, kBound * magnitude};
}

// orient3d where double arithmetic can tell it, else kUnsureSign.
GRAZE_INLINE int orient3d_filtered(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
    const EstimatedVolume volume = estimate_volume(a, b, c, d);
    if (volume.value > volume.bound) return 1;
    if (-volume.value > volume.bound) return -1;
    return volume.bound == 0 ? 0 : kUnsureSign;
}

// The side of the plane through a, b, c on which d lies: +1 where the normal (b-a) x (c-a) points,
// -1 on the other side, 0 on the plane, and 0 for every d where a, b, c lie on one line.
GRAZE_INLINE int orient3d(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
    const int sign = orient3d_filtered(a, b, c, d);
    if (sign != kUnsureSign) return sign;
    return detail::sign_of(detail::orient3d_exact(a, b, c, d));
}
GRAZE_INLINE int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return orient3d(detail::widen(a), detail::widen(b), detail::widen(c), detail::widen(d));
}

// Six times the signed volume of the tetrahedron a, b, c, d, positive where orient3d is, with a
// relative error of at most 2^-51. It always takes the exact path, so it is for constructions, not
// for inner loops.
template <class T>
GRAZE_HD double orient3d_value(const Vec3T<T>& a, const Vec3T<T>& b, const Vec3T<T>& c,
                               const Vec3T<T>& d) {
    return detail::orient3d_exact(detail::widen(a), detail::widen(b), detail::widen(c),
                                  detail::widen(d));
}

// orient2d of the points projected along an axis (0, 1, 2), so that axis, its successor and the one
// after that stay right-handed.
template <class T>
GRAZE_INLINE int orient2d_along(int axis, const Vec3T<T>& a, const Vec3T<T>& b, const Vec3T<T>& c) {
    const int x = (axis + 1) % 3, y = (axis + 2) % 3;
    return orient2d(a[x], a[y], b[x], b[y], c[x], c[y]);
}

// True where the three points lie exactly on one line, or two or all of them coincide.
template <class T>
GRAZE_HD bool are_collinear(const Vec3T<T>& a, const Vec3T<T>& b, const Vec3T<T>& c) {
    return orient2d_along(0, a, b, c) == 0 && orient2d_along(1, a, b, c) == 0 &&
           orient2d_along(2, a, b, c) == 0;
}

// Orders points by x, then y, then z; along any line this is the order of its points.
template <class T>
GRAZE_INLINE bool is_before(const Vec3T<T>& a, const Vec3T<T>& b) {
    if (a.x != b.x) return a.x < b.x;
    if (a.y != b.y) return a.y < b.y;
    return a.z < b.z;
}

}  // namespace graze

// Distances by trying every candidate in quadruple precision, which has 113 bits.
#pragma once

#include <algorithm>
#include <cmath>

#include "graze/vec3.h"

namespace graze::oracle {

__extension__ typedef __float128 Quad;
using Vec3q = Vec3T<Quad>;

inline double root(Quad square) {
    return double(std::sqrt(static_cast<long double>(square)));
}

// T is Quad, or double where that is enough.
template <class T>
T point_segment_sq(const Vec3T<T>& p, const Vec3T<T>& a, const Vec3T<T>& b) {
    const Vec3T<T> ab = b - a;
    T best = std::min(length_sq(p - a), length_sq(p - b));
    if (length_sq(ab) > 0) {
        const T t = dot(p - a, ab) / length_sq(ab);
        if (t > 0 && t < 1) best = std::min(best, length_sq(a + ab * t - p));
    }
    return best;
}

template <class T>
T point_triangle_sq(const Vec3T<T>& p, const Vec3T<T>& a, const Vec3T<T>& b, const Vec3T<T>& c) {
    const T best =
        std::min({point_segment_sq(p, a, b), point_segment_sq(p, b, c), point_segment_sq(p, c, a)});
    const Vec3T<T> n = cross(b - a, c - a);
    const bool is_inside = dot(n, cross(b - a, p - a)) > 0 && dot(n, cross(c - b, p - b)) > 0 &&
                           dot(n, cross(a - c, p - c)) > 0;
    if (!is_inside) return best;
    const T height = dot(n, p - a);
    return height * height / length_sq(n);
}

inline Quad segment_segment_sq(const Vec3q& a0, const Vec3q& a1, const Vec3q& b0, const Vec3q& b1) {
    const Quad best = std::min({point_segment_sq(a0, b0, b1), point_segment_sq(a1, b0, b1),
                                point_segment_sq(b0, a0, a1), point_segment_sq(b1, a0, a1)});
    const Vec3q a = a1 - a0, b = b1 - b0, n = cross(a, b);
    if (!(length_sq(n) > 0)) return best;
    const Quad s = dot(cross(b0 - a0, b), n) / length_sq(n);
    const Quad t = dot(cross(b0 - a0, a), n) / length_sq(n);
    if (!(s > 0 && s < 1 && t > 0 && t < 1)) return best;
    return std::min(best, length_sq(b0 + b * t - a0 - a * s));
}

}  // namespace graze::oracle

// DoubleDouble: a number as the unevaluated sum of two doubles, about 106 bits, for the few
// decisions that 53 bits cannot take.
//
// Algorithms and bounds of Joldes, Muller, Popescu, "Tight and rigorous error bounds for basic
// building blocks of double-word arithmetic" (2017): relative error of a sum below 2^-104, of a
// product below 2^-103, where nothing under- or overflows. Differences of doubles are exact.
#pragma once

#include <cmath>

#include "graze/vec3.h"

namespace graze {

struct DoubleDouble {
    double high, low;  // |low| is at most half a unit in the last place of high

    GRAZE_INLINE explicit operator double() const { return high; }
};

namespace detail {

GRAZE_INLINE DoubleDouble two_sum(double a, double b) {
    const double sum = a + b, rounded_b = sum - a;
    return {sum, (a - (sum - rounded_b)) + (b - rounded_b)};
}
// two_sum where |a| is not less than |b|.
GRAZE_INLINE DoubleDouble fast_two_sum(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
}

}  // namespace detail

GRAZE_INLINE DoubleDouble exact_sub(double a, double b) {
    return detail::two_sum(a, -b);
}

GRAZE_INLINE DoubleDouble operator-(const DoubleDouble& a) {
    return {-a.high, -a.low};
}
GRAZE_INLINE DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble high = detail::two_sum(a.high, b.high);
    const DoubleDouble low = detail::two_sum(a.low, b.low);
    const DoubleDouble sum = detail::fast_two_sum(high.high, high.low + low.high);
    return detail::fast_two_sum(sum.high, low.low + sum.low);
}
GRAZE_INLINE DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) {
    return a + -b;
}
GRAZE_INLINE DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
    const double product = a.high * b.high;
    const double error = std::fma(a.high, b.high, -product);
    const double cross_terms = std::fma(a.low, b.high, a.high * b.low);
    return detail::fast_two_sum(product, error + cross_terms);
}

// Vec3T gives it dot, cross and the rest.
using Vec3dd = Vec3T<DoubleDouble>;

}  // namespace graze

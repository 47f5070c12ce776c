// Vec3: three components. Vec3 holds floats, Vec3d doubles; the template also takes SIMD lanes.
#pragma once

#include <cmath>
#include <cstdint>

#include "graze/hd.h"

namespace graze {

template <class T>
struct Vec3T {
    T x, y, z;

    GRAZE_INLINE constexpr T operator[](int axis) const {
        return axis == 0 ? x : (axis == 1 ? y : z);
    }
    GRAZE_INLINE constexpr T& operator[](int axis) { return axis == 0 ? x : (axis == 1 ? y : z); }

    // Component-wise conversion; narrowing is the caller's explicit wish.
    template <class U>
    GRAZE_INLINE constexpr explicit operator Vec3T<U>() const {
        return {static_cast<U>(x), static_cast<U>(y), static_cast<U>(z)};
    }
};

using Vec3 = Vec3T<float>;
using Vec3d = Vec3T<double>;
using Vec3i = Vec3T<std::int32_t>;

template <class T>
GRAZE_INLINE constexpr Vec3T<T> operator+(const Vec3T<T>& a, const Vec3T<T>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
GRAZE_INLINE constexpr Vec3T<T> operator-(const Vec3T<T>& a, const Vec3T<T>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
GRAZE_INLINE constexpr Vec3T<T> operator-(const Vec3T<T>& a) {
    return {-a.x, -a.y, -a.z};
}
template <class T>
GRAZE_INLINE constexpr Vec3T<T> operator*(const Vec3T<T>& a, T s) {
    return {a.x * s, a.y * s, a.z * s};
}
template <class T>
GRAZE_INLINE constexpr Vec3T<T> operator*(T s, const Vec3T<T>& a) {
    return a * s;
}
template <class T>
GRAZE_INLINE constexpr Vec3T<T> operator/(const Vec3T<T>& a, T s) {
    return {a.x / s, a.y / s, a.z / s};
}
template <class T>
GRAZE_INLINE constexpr Vec3T<T>& operator+=(Vec3T<T>& a, const Vec3T<T>& b) {
    return a = a + b;
}
template <class T>
GRAZE_INLINE constexpr Vec3T<T>& operator-=(Vec3T<T>& a, const Vec3T<T>& b) {
    return a = a - b;
}
template <class T>
GRAZE_INLINE constexpr Vec3T<T>& operator*=(Vec3T<T>& a, T s) {
    return a = a * s;
}
template <class T>
GRAZE_INLINE constexpr bool operator==(const Vec3T<T>& a, const Vec3T<T>& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}
template <class T>
GRAZE_INLINE constexpr bool operator!=(const Vec3T<T>& a, const Vec3T<T>& b) {
    return !(a == b);
}

template <class T>
GRAZE_INLINE constexpr T dot(const Vec3T<T>& a, const Vec3T<T>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
GRAZE_INLINE constexpr Vec3T<T> cross(const Vec3T<T>& a, const Vec3T<T>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// Component-wise product.
template <class T>
GRAZE_INLINE constexpr Vec3T<T> scale(const Vec3T<T>& a, const Vec3T<T>& b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z};
}
template <class T>
GRAZE_INLINE constexpr T length_sq(const Vec3T<T>& a) {
    return dot(a, a);
}
template <class T>
GRAZE_INLINE T length(const Vec3T<T>& a) {
    return std::sqrt(length_sq(a));
}
template <class T>
GRAZE_INLINE T distance(const Vec3T<T>& a, const Vec3T<T>& b) {
    return length(a - b);
}

// Unit vector along a, or the zero vector where a has no direction.
template <class T>
GRAZE_INLINE Vec3T<T> normalized(const Vec3T<T>& a) {
    const T norm = length(a);
    return norm > T(0) ? a / norm : Vec3T<T>{T(0), T(0), T(0)};
}

// Smaller and larger of two numbers. Where the first is NaN, the second; where the second is NaN or
// both are zeros of different sign, the machines may differ.
template <class T>
GRAZE_INLINE constexpr T min_of(T a, T b) {
    return a < b ? a : b;
}
template <class T>
GRAZE_INLINE constexpr T max_of(T a, T b) {
    return a > b ? a : b;
}
#if GRAZE_ON_DEVICE
// One instruction on the device, where the comparison above would be two.
GRAZE_INLINE float min_of(float a, float b) {
    return fminf(a, b);
}
GRAZE_INLINE float max_of(float a, float b) {
    return fmaxf(a, b);
}
#endif
template <class T>
GRAZE_INLINE constexpr Vec3T<T> min_of(const Vec3T<T>& a, const Vec3T<T>& b) {
    return {min_of(a.x, b.x), min_of(a.y, b.y), min_of(a.z, b.z)};
}
template <class T>
GRAZE_INLINE constexpr Vec3T<T> max_of(const Vec3T<T>& a, const Vec3T<T>& b) {
    return {max_of(a.x, b.x), max_of(a.y, b.y), max_of(a.z, b.z)};
}
template <class T>
GRAZE_INLINE constexpr T clamp(T value, T low, T high) {
    return min_of(max_of(value, low), high);
}

// True where every component is a number (neither infinite nor NaN).
template <class T>
GRAZE_INLINE bool is_finite(const Vec3T<T>& a) {
    // x - x is zero for every number, and NaN for infinities and NaN.
    return (a.x - a.x) + (a.y - a.y) + (a.z - a.z) == T(0);
}

}  // namespace graze

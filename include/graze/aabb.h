// Aabb: an axis-aligned box, closed: touching boxes overlap. The empty box has min > max.
#pragma once

#include <limits>

#include "graze/vec3.h"

namespace graze {

template <class T>
struct AabbT {
    Vec3T<T> min, max;

    // The neutral element of merge: contains nothing, overlaps nothing.
    GRAZE_INLINE static constexpr AabbT empty() {
        constexpr T inf = std::numeric_limits<T>::infinity();
        return {{inf, inf, inf}, {-inf, -inf, -inf}};
    }
    GRAZE_INLINE constexpr bool is_empty() const {
        return !(min.x <= max.x && min.y <= max.y && min.z <= max.z);
    }
};

using Aabb = AabbT<float>;
using Aabbd = AabbT<double>;

template <class T>
GRAZE_INLINE constexpr AabbT<T> merge(const AabbT<T>& a, const AabbT<T>& b) {
    return {min_of(a.min, b.min), max_of(a.max, b.max)};
}
template <class T>
GRAZE_INLINE constexpr AabbT<T> merge(const AabbT<T>& a, const Vec3T<T>& point) {
    return {min_of(a.min, point), max_of(a.max, point)};
}
template <class T>
GRAZE_INLINE constexpr AabbT<T> intersect(const AabbT<T>& a, const AabbT<T>& b) {
    return {max_of(a.min, b.min), min_of(a.max, b.max)};
}
template <class T>
GRAZE_INLINE constexpr AabbT<T> box_of(const Vec3T<T>& a, const Vec3T<T>& b, const Vec3T<T>& c) {
    return {min_of(min_of(a, b), c), max_of(max_of(a, b), c)};
}
// The box grown by margin on every side.
template <class T>
GRAZE_INLINE constexpr AabbT<T> inflate(const AabbT<T>& a, T margin) {
    const Vec3T<T> m{margin, margin, margin};
    return {a.min - m, a.max + m};
}

template <class T>
GRAZE_INLINE constexpr bool overlap(const AabbT<T>& a, const AabbT<T>& b) {
    return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y &&
           a.min.z <= b.max.z && b.min.z <= a.max.z;
}
template <class T>
GRAZE_INLINE constexpr bool contains(const AabbT<T>& box, const Vec3T<T>& p) {
    return box.min.x <= p.x && p.x <= box.max.x && box.min.y <= p.y && p.y <= box.max.y &&
           box.min.z <= p.z && p.z <= box.max.z;
}

template <class T>
GRAZE_INLINE constexpr Vec3T<T> centre(const AabbT<T>& a) {
    return (a.min + a.max) * T(0.5);
}
template <class T>
GRAZE_INLINE constexpr Vec3T<T> extent(const AabbT<T>& a) {
    return a.max - a.min;
}
// Half of the box's surface, the cost measure of bounding volume hierarchies.
template <class T>
GRAZE_INLINE constexpr T half_area(const AabbT<T>& a) {
    const Vec3T<T> e = extent(a);
    return e.x * e.y + e.y * e.z + e.z * e.x;
}

// Squared distance from point to the box, zero inside.
template <class T>
GRAZE_INLINE constexpr T distance_sq(const AabbT<T>& box, const Vec3T<T>& point) {
    const Vec3T<T> zero{};
    const Vec3T<T> d = max_of(max_of(box.min - point, point - box.max), zero);
    return length_sq(d);
}

}  // namespace graze

// Transform: a rigid motion with uniform scale. Name values a_from_b: it takes points of frame b to
// frame a.
#pragma once

#include "graze/aabb.h"
#include "graze/quat.h"

namespace graze {

template <class T>
struct TransformT {
    Vec3T<T> translation;  // [m] in the target frame
    QuatT<T> rotation;     // unit
    T scale;               // > 0

    GRAZE_INLINE static constexpr TransformT identity() {
        return {{T(0), T(0), T(0)}, QuatT<T>::identity(), T(1)};
    }
};

using Transform = TransformT<float>;
using Transformd = TransformT<double>;

template <class T>
GRAZE_INLINE constexpr Vec3T<T> transform_point(const TransformT<T>& a_from_b,
                                                const Vec3T<T>& point) {
    return a_from_b.translation + rotate(a_from_b.rotation, point * a_from_b.scale);
}
// A displacement: rotated and scaled, not moved.
template <class T>
GRAZE_INLINE constexpr Vec3T<T> transform_vector(const TransformT<T>& a_from_b, const Vec3T<T>& v) {
    return rotate(a_from_b.rotation, v * a_from_b.scale);
}
// A unit direction or normal: rotated only.
template <class T>
GRAZE_INLINE constexpr Vec3T<T> transform_direction(const TransformT<T>& a_from_b,
                                                    const Vec3T<T>& v) {
    return rotate(a_from_b.rotation, v);
}

// a_from_c = a_from_b * b_from_c.
template <class T>
GRAZE_INLINE constexpr TransformT<T> operator*(const TransformT<T>& a_from_b,
                                               const TransformT<T>& b_from_c) {
    return {transform_point(a_from_b, b_from_c.translation), a_from_b.rotation * b_from_c.rotation,
            a_from_b.scale * b_from_c.scale};
}
template <class T>
GRAZE_INLINE constexpr TransformT<T> inverse(const TransformT<T>& a_from_b) {
    const QuatT<T> rotation = conjugate(a_from_b.rotation);
    const T scale = T(1) / a_from_b.scale;
    return {rotate(rotation, a_from_b.translation * -scale), rotation, scale};
}

// The smallest box in frame a around the box of frame b, up to rounding.
template <class T>
GRAZE_INLINE constexpr AabbT<T> transform_box(const TransformT<T>& a_from_b, const AabbT<T>& box) {
    if (box.is_empty()) return box;
    const Mat3T<T> m = to_matrix(a_from_b.rotation) * a_from_b.scale;
    const Vec3T<T> mid = transform_point(a_from_b, centre(box));
    const Vec3T<T> half = extent(box) * T(0.5);
    Vec3T<T> reach{T(0), T(0), T(0)};
    for (int axis = 0; axis < 3; ++axis) {
        const Vec3T<T> c = m.columns[axis];
        reach +=
            Vec3T<T>{c.x < T(0) ? -c.x : c.x, c.y < T(0) ? -c.y : c.y, c.z < T(0) ? -c.z : c.z} *
            half[axis];
    }
    return {mid - reach, mid + reach};
}

}  // namespace graze

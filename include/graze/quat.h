// Quat: a rotation as a unit quaternion w + xi + yj + zk.
#pragma once

#include "graze/mat3.h"

namespace graze {

template <class T>
struct QuatT {
    T w, x, y, z;

    GRAZE_INLINE static constexpr QuatT identity() { return {T(1), T(0), T(0), T(0)}; }

    // Rotation by angle [rad] around axis (any length but zero).
    GRAZE_INLINE static QuatT from_axis_angle(const Vec3T<T>& axis, T angle) {
        const Vec3T<T> v = normalized(axis) * std::sin(angle / T(2));
        return {std::cos(angle / T(2)), v.x, v.y, v.z};
    }
};

using Quat = QuatT<float>;
using Quatd = QuatT<double>;

// The rotation b followed by the rotation a.
template <class T>
GRAZE_INLINE constexpr QuatT<T> operator*(const QuatT<T>& a, const QuatT<T>& b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
template <class T>
GRAZE_INLINE constexpr QuatT<T> conjugate(const QuatT<T>& q) {
    return {q.w, -q.x, -q.y, -q.z};
}

// The unit quaternion along q; identity where q is zero.
template <class T>
GRAZE_INLINE QuatT<T> normalized(const QuatT<T>& q) {
    const T norm = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return norm > T(0) ? QuatT<T>{q.w / norm, q.x / norm, q.y / norm, q.z / norm}
                       : QuatT<T>::identity();
}

template <class T>
GRAZE_INLINE constexpr Vec3T<T> rotate(const QuatT<T>& q, const Vec3T<T>& v) {
    const Vec3T<T> u{q.x, q.y, q.z};
    const Vec3T<T> t = cross(u, v) * T(2);
    return v + t * q.w + cross(u, t);
}

template <class T>
GRAZE_INLINE constexpr Mat3T<T> to_matrix(const QuatT<T>& q) {
    return {{rotate(q, Vec3T<T>{T(1), T(0), T(0)}), rotate(q, Vec3T<T>{T(0), T(1), T(0)}),
             rotate(q, Vec3T<T>{T(0), T(0), T(1)})}};
}

}  // namespace graze

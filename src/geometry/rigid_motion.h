// Where a rigid body is inside a step: its translation goes straight, its rotation along the
// shorter arc, both at constant speed.
#pragma once

#include "graze/transform.h"

namespace graze {

// The pose at t, from 0 to 1; at 0 and 1 it is pose_t0 and pose_t1 to the last bit, but for the
// sign of the rotation.
template <class T>
GRAZE_HD TransformT<T> pose_at(const TransformT<T>& pose_t0, const TransformT<T>& pose_t1, T t) {
    if (t == T(0)) return pose_t0;
    if (t == T(1)) return pose_t1;
    const QuatT<T>& a = pose_t0.rotation;
    QuatT<T> b = pose_t1.rotation;
    T cosine = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    if (cosine < T(0)) {
        b = {-b.w, -b.x, -b.y, -b.z};
        cosine = -cosine;
    }
    // sin(s angle) / sin(angle) by the sine of half the chord where the angle is small.
    const QuatT<T> chord{b.w - a.w, b.x - a.x, b.y - a.y, b.z - a.z};
    const T half_chord = T(0.5) * std::sqrt(chord.w * chord.w + chord.x * chord.x +
                                            chord.y * chord.y + chord.z * chord.z);
    const T angle = T(2) * std::asin(half_chord < T(1) ? half_chord : T(1));
    T from = T(1) - t, to = t;
    if (angle > T(1e-4)) {
        const T sine = std::sin(angle);
        from = std::sin((T(1) - t) * angle) / sine;
        to = std::sin(t * angle) / sine;
    }
    const QuatT<T> rotation{a.w * from + b.w * to, a.x * from + b.x * to, a.y * from + b.y * to,
                            a.z * from + b.z * to};
    return {pose_t0.translation + (pose_t1.translation - pose_t0.translation) * t,
            normalized(rotation), pose_t0.scale + (pose_t1.scale - pose_t0.scale) * t};
}

}  // namespace graze

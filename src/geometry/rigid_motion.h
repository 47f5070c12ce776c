// Where a rigid body is inside a step: its translation goes straight, its rotation along the
// shorter arc, both at constant speed.
//
// Sines and arcs are plain arithmetic in double precision, the same bits on both machines.
#pragma once

#include "graze/transform.h"

namespace graze {
namespace rigid_motion_detail {

// Taylor series for x in [0, pi / 2]: what is left out is below 2^-55.
GRAZE_INLINE double sine(double x) {
    const double y = x * x;
    double sum = 1 - y * (1.0 / 420);
    sum = 1 - y * (1.0 / 342) * sum;
    sum = 1 - y * (1.0 / 272) * sum;
    sum = 1 - y * (1.0 / 210) * sum;
    sum = 1 - y * (1.0 / 156) * sum;
    sum = 1 - y * (1.0 / 110) * sum;
    sum = 1 - y * (1.0 / 72) * sum;
    sum = 1 - y * (1.0 / 42) * sum;
    sum = 1 - y * (1.0 / 20) * sum;
    sum = 1 - y * (1.0 / 6) * sum;
    return x * sum;
}
GRAZE_INLINE double cosine(double x) {
    const double y = x * x;
    double sum = 1 - y * (1.0 / 462);
    sum = 1 - y * (1.0 / 380) * sum;
    sum = 1 - y * (1.0 / 306) * sum;
    sum = 1 - y * (1.0 / 240) * sum;
    sum = 1 - y * (1.0 / 182) * sum;
    sum = 1 - y * (1.0 / 132) * sum;
    sum = 1 - y * (1.0 / 90) * sum;
    sum = 1 - y * (1.0 / 56) * sum;
    sum = 1 - y * (1.0 / 30) * sum;
    sum = 1 - y * (1.0 / 12) * sum;
    return 1 - y * 0.5 * sum;
}

// The arc of a sine up to sqrt(1/2) and a little: it is halved twice, then the series is short.
GRAZE_INLINE double arc_sine(double sine) {
    double x = sine;
    for (int halving = 0; halving < 2; ++halving)
        x = x / std::sqrt(2 * (1 + std::sqrt(1 - x * x)));
    double term = x, sum = x;
    for (int n = 1; n < 13; ++n) {
        term *= x * x * ((2 * n - 1) * (2 * n - 1)) / (2 * n * (2 * n + 1));
        // The coefficient of x^(2 n + 1) is the product of (2 k - 1) / (2 k), over 2 n + 1.
        sum += term;
    }
    return 4 * sum;
}

}  // namespace rigid_motion_detail

// The shorter arc between two rotations: at t the rotation is start cos(t angle) + across sin(t
// angle).
struct RotationArc {
    Quatd start, across;  // unit, and across is perpendicular to start
    double angle;         // [rad] half of the angle that a body turns by; 0 to pi / 2
};

GRAZE_INLINE Quatd unit_in_double(const Quatd& q) {
    const double norm = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return {q.w / norm, q.x / norm, q.y / norm, q.z / norm};
}

// Both are of unit length but for rounding.
template <class T>
GRAZE_INLINE RotationArc make_rotation_arc(const QuatT<T>& rotation_t0,
                                           const QuatT<T>& rotation_t1) {
    const Quatd a =
        unit_in_double({static_cast<double>(rotation_t0.w), static_cast<double>(rotation_t0.x),
                        static_cast<double>(rotation_t0.y), static_cast<double>(rotation_t0.z)});
    Quatd b =
        unit_in_double({static_cast<double>(rotation_t1.w), static_cast<double>(rotation_t1.x),
                        static_cast<double>(rotation_t1.y), static_cast<double>(rotation_t1.z)});
    if (a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0) b = {-b.w, -b.x, -b.y, -b.z};
    const Quatd chord{b.w - a.w, b.x - a.x, b.y - a.y, b.z - a.z};
    const double chord_sq =
        chord.w * chord.w + chord.x * chord.x + chord.y * chord.y + chord.z * chord.z;
    if (!(chord_sq > 0)) return {a, a, 0};
    // b - a cos(angle), where 1 - cos(angle) is half the chord's square.
    const double rest = 0.5 * chord_sq;
    const Quatd across{chord.w + a.w * rest, chord.x + a.x * rest, chord.y + a.y * rest,
                       chord.z + a.z * rest};
    const double half_chord = min_of(0.5 * std::sqrt(chord_sq), 0.70711);
    return {a, unit_in_double(across), 2 * rigid_motion_detail::arc_sine(half_chord)};
}

GRAZE_INLINE Quatd rotation_at(const RotationArc& arc, double t) {
    if (arc.angle == 0) return arc.start;
    const double c = rigid_motion_detail::cosine(arc.angle * t);
    const double s = rigid_motion_detail::sine(arc.angle * t);
    const Quatd &a = arc.start, &b = arc.across;
    return {a.w * c + b.w * s, a.x * c + b.x * s, a.y * c + b.y * s, a.z * c + b.z * s};
}

// The pose at t, from 0 to 1; at 0 and 1 it is pose_t0 and pose_t1 to the last bit.
template <class T>
GRAZE_HD TransformT<T> pose_at(const TransformT<T>& pose_t0, const TransformT<T>& pose_t1, T t) {
    if (t == T(0)) return pose_t0;
    if (t == T(1)) return pose_t1;
    const Quatd q =
        rotation_at(make_rotation_arc(pose_t0.rotation, pose_t1.rotation), static_cast<double>(t));
    return {pose_t0.translation + (pose_t1.translation - pose_t0.translation) * t,
            {static_cast<T>(q.w), static_cast<T>(q.x), static_cast<T>(q.y), static_cast<T>(q.z)},
            pose_t0.scale + (pose_t1.scale - pose_t0.scale) * t};
}

}  // namespace graze

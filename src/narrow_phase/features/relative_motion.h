// RelativeMotion: four points that move straight and evenly, as three vectors between them at the
// two ends of the step. A vertex and a face, and two edges, then are the same kind of thing:
//
//     vertex | face      first feature {c},         second feature {0, a, b}
//     edge   | edge      first feature {c, c + a},  second feature {0, b}
//
// The position and the motion that all four have in common are gone, and with them their share of
// the rounding: a component is one subtraction of given coordinates, hence exact up to a relative
// 2^-53, and often exact altogether.
#pragma once

#include <cstdint>

#include "graze/vec3.h"

namespace graze {

enum class FeaturePair : std::uint8_t { vertex_face, edge_edge };

template <class S>
struct RelativeMotion {
    Vec3T<S> a[2], b[2], c[2];  // [m] at t0 and at t1
};

// The points are vertex | corners of the face, or a0 a1 | b0 b1. S is at least as wide as T.
template <FeaturePair kPair, class S, class T>
GRAZE_INLINE RelativeMotion<S> relative_motion(const Vec3T<T> (&p0)[4], const Vec3T<T> (&p1)[4]) {
    RelativeMotion<S> motion;
    for (int end = 0; end < 2; ++end) {
        const Vec3T<T>(&given)[4] = end == 0 ? p0 : p1;
        Vec3T<S> p[4];
        for (int i = 0; i < 4; ++i)
            p[i] = static_cast<Vec3T<S>>(given[i]);
        if constexpr (kPair == FeaturePair::vertex_face) {
            motion.a[end] = p[2] - p[1];
            motion.b[end] = p[3] - p[1];
            motion.c[end] = p[0] - p[1];
        } else {
            motion.a[end] = p[1] - p[0];
            motion.b[end] = p[3] - p[2];
            motion.c[end] = p[0] - p[2];
        }
    }
    return motion;
}

// The largest magnitude of a component of each vector, over both ends and so over the whole step.
template <class S>
struct MotionExtents {
    S a, b, c;  // [m]
    GRAZE_INLINE S sum() const { return a + b + c; }
};

namespace detail {

// Interpolates between the ends, at t in [0, 1].
GRAZE_INLINE double mix(double from, double to, double t) {
    return (1 - t) * from + t * to;
}
GRAZE_INLINE Vec3d mix(const Vec3d& from, const Vec3d& to, double t) {
    return from * (1 - t) + to * t;
}

template <class S>
GRAZE_INLINE S largest_component(const Vec3T<S>& v, const Vec3T<S>& w) {
    const Vec3T<S> larger = max_of(max_of(v, -v), max_of(w, -w));
    return max_of(max_of(larger.x, larger.y), larger.z);
}

}  // namespace detail

template <class S>
GRAZE_INLINE MotionExtents<S> motion_extents(const RelativeMotion<S>& motion) {
    return {detail::largest_component(motion.a[0], motion.a[1]),
            detail::largest_component(motion.b[0], motion.b[1]),
            detail::largest_component(motion.c[0], motion.c[1])};
}

}  // namespace graze

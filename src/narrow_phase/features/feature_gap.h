// The gap between two features at an instant: the shortest vector from one to the other.
#pragma once

#include "narrow_phase/features/closest_features.h"

namespace graze {

struct FeatureGap {
    Vec3d vector;       // [m] from the closest point of the second feature to that of the first
    double weights[4];  // of these points, as in Impact
};

template <FeaturePair kPair, class S>
GRAZE_INLINE FeatureGap gap_of(const Vec3T<S>* points, const std::uint32_t (&vertices)[4]) {
    Vec3T<S> p[4];
    for (int i = 0; i < 4; ++i)
        p[i] = points[vertices[i]];
    const RelativeMotion<double> motion = relative_motion<kPair, double>(p, p);
    const ClosestFeatures closest = closest_features<kPair>(motion, 0);
    const double(&w)[4] = closest.weights;
    const Vec3d vector = kPair == FeaturePair::vertex_face
                             ? motion.c[0] - motion.a[0] * w[2] - motion.b[0] * w[3]
                             : motion.c[0] + motion.a[0] * w[1] - motion.b[0] * w[3];
    return {vector, {w[0], w[1], w[2], w[3]}};
}

}  // namespace graze

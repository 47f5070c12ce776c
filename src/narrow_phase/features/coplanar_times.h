// The paper's time of impact (Fan et al. 2011, after Provot 1997): the first time at which the four
// points lie in one plane and the features meet, up to a tolerance. It is computed in floating
// point and has no guarantee: points that stay in one plane are missed, and features that only
// touch may be. impact_time.h has the guarantee; this one is there to compare with.
//
// The roots of the cubic are found between its turning points, by bisection that Newton's steps
// shorten. A formula would need trigonometry, in which the two machines do not agree.
#pragma once

#include "narrow_phase/features/impact_time.h"

namespace graze {

// The times in [0, 1], ascending, at which the four points lie in one plane; there are at most
// three.
struct CoplanarTimes {
    double times[3];
    int count = 0;
};

namespace detail {

// The polynomial c[0] + c[1] t + c[2] t^2 + c[3] t^3.
struct Cubic {
    double c[4];

    GRAZE_INLINE double at(double t) const { return c[0] + t * (c[1] + t * (c[2] + t * c[3])); }
    GRAZE_INLINE double slope_at(double t) const { return c[1] + t * (2 * c[2] + t * (3 * c[3])); }
};

GRAZE_INLINE Cubic cubic_of(const Coplanarity& plane) {
    const double(&v)[4] = plane.volumes;
    return {
        {v[0], 3 * (v[1] - v[0]), 3 * (v[2] - 2 * v[1] + v[0]), v[3] - 3 * v[2] + 3 * v[1] - v[0]}};
}

// Returns the zero between low and high, between which the cubic is monotone and changes its sign.
GRAZE_HD inline double zero_between(const Cubic& cubic, double low, double high) {
    constexpr int kMaxSteps = 64;
    const bool rises = cubic.at(low) < cubic.at(high);
    double t = (low + high) / 2;
    for (int step = 0; step < kMaxSteps && high - low > 1e-15; ++step) {
        const double value = cubic.at(t);
        if (value == 0) return t;
        ((value < 0) == rises ? low : high) = t;
        const double newton = t - value / cubic.slope_at(t);
        const double next = newton > low && newton < high ? newton : (low + high) / 2;
        if (std::fabs(next - t) < 1e-16) return next;
        t = next;
    }
    return t;
}

// Finds the times in (0, 1) at which the cubic turns, ascending, and returns their count.
GRAZE_HD inline int turning_points(const Cubic& cubic, double (&turns)[2]) {
    const double a = 3 * cubic.c[3], half_b = cubic.c[2], c = cubic.c[1];
    const double discriminant = half_b * half_b - a * c;
    if (!(discriminant > 0)) return 0;
    const double q = -(half_b + (half_b < 0 ? -1 : 1) * std::sqrt(discriminant));
    double roots[2] = {c / q, a == 0 ? -1 : q / a};
    if (roots[0] > roots[1]) {
        const double larger = roots[0];
        roots[0] = roots[1];
        roots[1] = larger;
    }
    int count = 0;
    for (const double root : roots)
        if (root > 0 && root < 1) turns[count++] = root;
    return count;
}

}  // namespace detail

GRAZE_HD inline CoplanarTimes coplanar_times(const Coplanarity& plane) {
    const detail::Cubic cubic = detail::cubic_of(plane);
    double turns[2];
    const int turn_count = detail::turning_points(cubic, turns);
    CoplanarTimes result;
    double low = 0;
    for (int i = 0; i <= turn_count; ++i) {
        const double high = i < turn_count ? turns[i] : 1;
        const double at_low = cubic.at(low), at_high = cubic.at(high);
        if (at_low == 0 && at_high == 0) return {};  // the points stay in one plane
        if ((at_low <= 0) != (at_high <= 0) || at_low == 0)
            result.times[result.count++] =
                at_low == 0 ? low : detail::zero_between(cubic, low, high);
        low = high;
    }
    return result;
}

namespace detail {

template <FeaturePair kPair, class T>
GRAZE_HD ImpactTime cubic_time(const Vec3T<T> (&p0)[4], const Vec3T<T> (&p1)[4],
                               double min_separation) {
    constexpr double kInside = 1e-6;  // of the features' size
    const RelativeMotion<double> motion = relative_motion<kPair, double>(p0, p1);
    const MotionExtents<double> extents = motion_extents(motion);
    const Coplanarity plane = coplanarity(motion, extents, 0);
    const CoplanarTimes roots = coplanar_times(plane);
    const double tolerance = max_of(min_separation, kInside * extents.sum());
    for (int i = 0; i < roots.count; ++i) {
        const ClosestFeatures closest = closest_features<kPair>(motion, roots.times[i]);
        if (!(length_sq(closest.offset) <= tolerance * tolerance)) continue;
        ImpactTime impact;
        impact.collides = true;
        impact.time = roots.times[i];
        // The side is taken from a time before the root: at the root itself there is none.
        const double before = i == 0 ? 0 : (roots.times[i - 1] + impact.time) / 2;
        const Vec3d normal = cross(mix(motion.a[0], motion.a[1], impact.time),
                                   mix(motion.b[0], motion.b[1], impact.time));
        impact.normal = normalized(cubic_of(plane).at(before) < 0 ? -normal : normal);
        for (int k = 0; k < 4; ++k)
            impact.weights[k] = closest.weights[k];
        return impact;
    }
    return {};
}

}  // namespace detail

// They take what impact_time_vertex_face and impact_time_edge_edge take. The minimum separation
// only widens the tolerance: features that come near without crossing a plane are not found.
template <class T>
GRAZE_HD ImpactTime cubic_time_vertex_face(const Vec3T<T> (&p0)[4], const Vec3T<T> (&p1)[4],
                                           double min_separation) {
    return detail::cubic_time<FeaturePair::vertex_face>(p0, p1, min_separation);
}
template <class T>
GRAZE_HD ImpactTime cubic_time_edge_edge(const Vec3T<T> (&p0)[4], const Vec3T<T> (&p1)[4],
                                         double min_separation) {
    return detail::cubic_time<FeaturePair::edge_edge>(p0, p1, min_separation);
}

}  // namespace graze

// The first time inside a step at which a vertex and a face meet, or two edges do. The answer is
// certain: a contact is never missed, and its time is never later than the true one.
//
// Idea: the search advances a time t before which it is proven that there is no contact. Two kinds
// of proof move t on, each with its rounding bound: the points lie in no common plane until a later
// time (coplanarity.h), or a direction separates the features until a later time
// (separated_times.h). The first arrives at a contact in few steps, since it converges
// quadratically, but stops at every time at which the points are coplanar, with or without
// a contact. The second tells these apart: where there is a gap, the direction between the closest
// points of the features, taken at that time, separates them for a while. Where neither proof moves
// t on, the features meet, as far as double arithmetic can tell.
//
// Proof. Let t* be the exact first time in [0, 1], for the coordinates as given, at which the
// features are at most min_separation apart. Claim: t <= t* throughout the search. It holds for
// t = 0. A step replaces t by t' only where there is no contact in [t, t'), so t* >= t implies
// t* >= t'. The search answers "no contact" only where one of the proofs covers all of [t, 1].
// Rounding errors of the closest points do no harm, since only the speed of the search depends on
// them. The scaling by powers of two, below, is exact, except for numbers that underflow beside
// others of magnitude one; that error is less than the slack of the bounds. Every end of the search
// that is not a proof reports a contact at t.
//
// Where there is contact at t0, no proof can move t on, and the time is 0. A gap of less than about
// 2^-48 of the features' size is taken for contact.
#pragma once

#include "narrow_phase/features/closest_features.h"
#include "narrow_phase/features/coplanarity.h"
#include "narrow_phase/features/separated_times.h"
#include "narrow_phase/features/separated_times_fine.h"

namespace graze {

struct ImpactTime {
    bool collides = false;
    // True where the search was cut short: the contact is not certain, but its time still is a
    // bound.
    bool ran_out = false;
    // [0, 1] in the step. It is at most the exact first time, and in general less than 1e-6 before
    // it; it is 1 where there is no collision.
    double time = 1;
    // The unit vector from the second feature to the first at that time; zero where there is none.
    Vec3d normal = {0, 0, 0};
    // The point of contact on the features: 1 | u v w, or 1 - s, s | 1 - t, t.
    double weights[4] = {0, 0, 0, 0};
};

namespace detail {

// The search has arrived where a step is shorter than this. [time steps]
constexpr double kArrivalTime = 1e-10;
constexpr int kMaxAdvances = 64;
// The tolerance of the first step. The first time at which the points are coplanar need not be
// known well to find a direction that separates the features there, as there is for most pairs.
// 1e-2 took the least time on two real sequences, of 1e-10, 1e-3 and 1e-2. [time steps]
constexpr double kCoarseTime = 1e-2;

// Four points as given, and their motion in units in which its extents are far from under- and
// overflow.
struct MeetingFeatures {
    const Vec3d (&p0)[4];
    const Vec3d (&p1)[4];
    double min_separation;
    RelativeMotion<double> motion;
    MotionExtents<double> extents;
    double motion_separation;  // the minimum separation in the motion's units
    bool is_scaled;            // the motion's units are not those of the points
};

// Returns the time until which an axis separates the features from t on; t where none does.
template <FeaturePair kPair>
GRAZE_NOINLINE double apart_along_axes_until(const MeetingFeatures& features, double t) {
    double until = t;
    for (int i = 0; i < 6; ++i) {
        const SeparatedTimes times = separated_times_along<kPair>(
            i / 2, i % 2 != 0, features.p0, features.p1, features.min_separation);
        if (times.contain(t)) until = max_of(until, times.to);
    }
    return until;
}

// True where the point of contact is within the features, far from their ends: features that meet
// there cross without doubt.
template <FeaturePair kPair>
GRAZE_INLINE bool is_well_inside(const double (&weights)[4]) {
    constexpr double kMargin = 1e-6;
    double least = min_of(weights[1], min_of(weights[2], weights[3]));
    if (kPair == FeaturePair::edge_edge) least = min_of(least, weights[0]);
    return least > kMargin;
}

// Runs the finer proofs, which are needed where the others stop close to the features' ends: gaps
// of the size of rounding errors are common where meshes lie on each other's planes and edges.
template <FeaturePair kPair>
GRAZE_NOINLINE double apart_until_last(const MeetingFeatures& features, double t) {
    const double until = apart_along_axes_until<kPair>(features, t);
    if (until - t >= kArrivalTime || features.min_separation > 0 || features.is_scaled)
        return until;
    return max_of(until,
                  apart_until_fine<kPair>(features.p0, features.p1, features.extents.sum(), t));
}

template <FeaturePair kPair>
GRAZE_HD ImpactTime advance_to_impact(const MeetingFeatures& features) {
    const RelativeMotion<double>& motion = features.motion;
    const Coplanarity plane = coplanarity(motion, features.extents, features.motion_separation);
    const double extent_sum = features.extents.sum();
    ImpactTime impact;
    ClosestFeatures closest{};
    Vec3d normal{0, 0, 0};
    double t = 0;
    for (int advance = 0; advance < kMaxAdvances; ++advance) {
        const bool is_coarse = advance == 0;
        t = not_coplanar_before(plane, t, is_coarse ? kCoarseTime : kArrivalTime);
        if (t > 1) return {};
        closest = closest_features<kPair>(motion, t);
        const SeparatedTimes times = separated_times<kPair>(motion, extent_sum, closest.direction,
                                                            features.motion_separation);
        const bool is_apart = times.contain(t);
        // At t0, a direction that separates nothing is no normal; later it still is one.
        if (is_apart || t > 0) normal = closest.direction;
        double next = is_apart ? times.to : t;
        const bool is_stuck = next - t < kArrivalTime && !is_coarse;
        if (is_stuck && !is_well_inside<kPair>(closest.weights))
            next = max_of(next, apart_until_last<kPair>(features, next));
        if (next > 1) return {};
        impact.ran_out = next - t >= kArrivalTime || is_coarse;
        t = next;
        if (!impact.ran_out) break;
    }
    impact.collides = true;
    impact.time = t;
    impact.normal = normalized(normal);
    for (int i = 0; i < 4; ++i)
        impact.weights[i] = closest.weights[i];
    return impact;
}

// Returns the same motion with 2^exponent as the unit of length.
GRAZE_HD inline RelativeMotion<double> scaled(const RelativeMotion<double>& motion, int exponent) {
    RelativeMotion<double> result = motion;
    for (int end = 0; end < 2; ++end)
        for (int axis = 0; axis < 3; ++axis) {
            result.a[end][axis] = std::ldexp(motion.a[end][axis], -exponent);
            result.b[end][axis] = std::ldexp(motion.b[end][axis], -exponent);
            result.c[end][axis] = std::ldexp(motion.c[end][axis], -exponent);
        }
    return result;
}

// Handles motions of a size whose cube under- or overflows, or whose differences do.
template <FeaturePair kPair>
GRAZE_NOINLINE ImpactTime advance_scaled(Vec3d (&p0)[4], Vec3d (&p1)[4], double min_separation) {
    RelativeMotion<double> motion = relative_motion<kPair, double>(p0, p1);
    if (!(motion_extents(motion).sum() < 0x1p1000)) {  // some difference may have overflowed
        for (int i = 0; i < 4; ++i) {
            p0[i] *= 0x1p-10;
            p1[i] *= 0x1p-10;
        }
        min_separation *= 0x1p-10;
        motion = relative_motion<kPair, double>(p0, p1);
    }
    const double size = motion_extents(motion).sum();
    if (!(size > 0)) {  // the four points coincide throughout the step
        constexpr bool kIsFace = kPair == FeaturePair::vertex_face;
        return {true, false, 0, {0, 0, 0}, {1, kIsFace ? 1.0 : 0.0, kIsFace ? 0.0 : 1.0, 0}};
    }
    const int exponent = std::ilogb(size);
    motion = scaled(motion, exponent);
    return advance_to_impact<kPair>({p0, p1, min_separation, motion, motion_extents(motion),
                                     std::ldexp(min_separation, -exponent), true});
}

template <FeaturePair kPair, class T>
GRAZE_INLINE ImpactTime impact_time(const Vec3T<T> (&p0)[4], const Vec3T<T> (&p1)[4],
                                    double min_separation) {
    constexpr double kSmall = 0x1p-100, kLarge = 0x1p100;
    Vec3d q0[4], q1[4];
    for (int i = 0; i < 4; ++i) {
        q0[i] = static_cast<Vec3d>(p0[i]);
        q1[i] = static_cast<Vec3d>(p1[i]);
    }
    const RelativeMotion<double> motion = relative_motion<kPair, double>(q0, q1);
    const MotionExtents<double> extents = motion_extents(motion);
    const double size = extents.sum();
    if (size > kSmall && size < kLarge)
        return advance_to_impact<kPair>(
            {q0, q1, min_separation, motion, extents, min_separation, false});
    return advance_scaled<kPair>(q0, q1, min_separation);
}

}  // namespace detail

// The points are the vertex, then the corners of the face, at t0 and at t1 [m]. Features that are
// at most min_separation [m] apart count as touching; it is not negative.
template <class T>
GRAZE_HD ImpactTime impact_time_vertex_face(const Vec3T<T> (&p0)[4], const Vec3T<T> (&p1)[4],
                                            double min_separation) {
    return detail::impact_time<FeaturePair::vertex_face>(p0, p1, min_separation);
}

// The points are the ends of the first edge, then those of the second.
template <class T>
GRAZE_HD ImpactTime impact_time_edge_edge(const Vec3T<T> (&p0)[4], const Vec3T<T> (&p1)[4],
                                          double min_separation) {
    return detail::impact_time<FeaturePair::edge_edge>(p0, p1, min_separation);
}

}  // namespace graze

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
// features are at most min_separation apart (see below for those that begin so). Claim: t <= t*
// throughout the search. It holds for t = 0. A step replaces t by t' only where there is no contact
// in [t, t'), so t* >= t implies t* >= t'. The search answers "no contact" only where one of the
// proofs covers all of [t, 1]. Rounding errors of the closest points do no harm, since only the
// speed of the search depends on them. The scaling by powers of two, below, is exact, except for
// numbers that underflow beside others of magnitude one; that error is less than the slack of the
// bounds. Every end of the search that is not a proof reports a contact at t.
//
// Where there is contact at t0, no proof can move t on, and the time is 0. Where the other proofs
// stop, contact_free_times.h tells gaps from contacts down to about 2^-80 of the features' size;
// with a minimum separation, 2^-48 is all that is told. What is left: features that shrink to
// rounding errors, in a step of half a turn, and numbers whose exponents differ by dozens.
// test_impact_time holds against exact arithmetic how many pairs without contact count as impacts,
// at most 3 % of those that miss by a rounding error and 20 % of half turns, and how early times
// are: of degenerate motions, exponents apart, 95 % and more are less than 1e-6 early, and of
// random ones all.
//
// Features that are within min_separation at t0 already count as meeting where they come closer,
// not because of where they are: what moves away must not hold a line search back. Let D be their
// distance at t0. They meet where their distance is at most min(min_separation, (1 - 2^-24) D); all
// of the above holds for that distance. It is computed no smaller than that: the closest points are
// points of the features up to their rounding, which is below 2^-48 of the motion's extents and is
// added. Where features that meet come closer from t0 on, their time is 0.
#pragma once

#include "narrow_phase/features/closest_features.h"
#include "narrow_phase/features/contact_free_times.h"
#include "narrow_phase/features/coplanarity.h"
#include "narrow_phase/features/separated_times.h"
#include "narrow_phase/features/separated_times_fine.h"

namespace graze {

struct ImpactTime {
    bool collides = false;
    // True where the search was cut short: the contact is not certain, but its time still is a
    // bound.
    bool ran_out = false;
    // True where there is none before the limit, and there may be one after it.
    bool is_late = false;
    // [0, 1] in the step. It is at most the exact first time, and in general less than 1e-6 before
    // it; it is 1 where there is no collision.
    double time = 1;
    // The unit vector from the second feature to the first at that time; zero where there is none.
    Vec3d normal = {0, 0, 0};
    // The point of contact on the features: 1 | u v w, or 1 - s, s | 1 - t, t.
    double weights[4] = {0, 0, 0, 0};
};

constexpr double kNoTimeLimit = 2;

namespace detail {

// The search has arrived where a step is shorter than this. [time steps]
constexpr double kArrivalTime = 1e-10;
constexpr int kMaxAdvances = 64;
// Features that pass each other just beyond the minimum separation are followed round it in many
// steps. Of 1,200 random and degenerate pairs 11 take more than 64, and 3 more than 256.
constexpr int kMaxAdvancesApart = 256;
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
    int exponent;              // and are 2^exponent of these then
    double limit;              // only a time before this one is of interest
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

// True where the point of contact is within the features, far from their ends, and neither the
// edges nor the face's sides are nearly parallel: features that meet there cross without doubt.
template <FeaturePair kPair>
GRAZE_INLINE bool crosses_clearly(const RelativeMotion<double>& motion, const double (&weights)[4],
                                  double t) {
    constexpr double kMargin = 1e-6, kMinSineSq = 1e-12;
    double least = min_of(weights[1], min_of(weights[2], weights[3]));
    if (kPair == FeaturePair::edge_edge) least = min_of(least, weights[0]);
    if (!(least > kMargin)) return false;
    const Vec3d a = mix(motion.a[0], motion.a[1], t), b = mix(motion.b[0], motion.b[1], t);
    return length_sq(cross(a, b)) > kMinSineSq * length_sq(a) * length_sq(b);
}

// Runs the finer proofs, which are needed where the others stop close to the features' ends: gaps
// of the size of rounding errors are common where meshes lie on each other's planes and edges.
template <FeaturePair kPair>
GRAZE_NOINLINE double apart_until_last(const MeetingFeatures& features, double t) {
    constexpr int kMaxRounds = 8;
    double until = apart_along_axes_until<kPair>(features, t);
    if (until - t >= kArrivalTime || features.min_separation > 0 || features.is_scaled)
        return until;
    const double extent_sum = features.extents.sum();
    for (int round = 0; round < kMaxRounds && until - t < kArrivalTime; ++round) {
        const double last = until;
        until = max_of(until, apart_until_fine<kPair>(features.p0, features.p1, extent_sum, until));
        if (until - t >= kArrivalTime) break;
        until = contact_free_until<kPair>(features.p0, features.p1, extent_sum, until);
        if (!(until > last)) break;
    }
    return until;
}

// True where a vertex of one feature is where one of the other is at t0: they meet then, which no
// proof needs to be asked about. Copies of a mesh and doubled vertices along seams begin so.
template <FeaturePair kPair>
GRAZE_INLINE bool begin_at_one_point(const MeetingFeatures& features) {
    constexpr int kFirst = kPair == FeaturePair::vertex_face ? 1 : 2;
    for (int i = 0; i < kFirst; ++i)
        for (int j = kFirst; j < 4; ++j)
            if (features.p0[i] == features.p0[j]) return true;
    return false;
}

// What meets at a time that is proven to be no later than the true one.
GRAZE_INLINE ImpactTime meets_at(double t, const Vec3d& normal, const ClosestFeatures& closest) {
    ImpactTime impact;
    impact.collides = true;
    impact.time = t;
    impact.normal = normalized(normal);
    for (int i = 0; i < 4; ++i)
        impact.weights[i] = closest.weights[i];
    return impact;
}

// What is said where nothing meets before t, which is beyond the step or the limit.
GRAZE_INLINE ImpactTime none_before(double t) {
    ImpactTime none;
    none.is_late = t <= 1;
    return none;
}

template <FeaturePair kPair>
GRAZE_HD ImpactTime advance_to_impact(const MeetingFeatures& features) {
    const RelativeMotion<double>& motion = features.motion;
    if (features.limit > 0 && begin_at_one_point<kPair>(features))
        return meets_at(0, Vec3d{0, 0, 0}, closest_features<kPair>(motion, 0));
    const Coplanarity plane = coplanarity(motion, features.extents, features.motion_separation);
    const double extent_sum = features.extents.sum();
    bool has_run_out = false;
    ClosestFeatures closest{};
    Vec3d normal{0, 0, 0};
    double t = 0;
    const int max_advances = features.min_separation > 0 ? kMaxAdvancesApart : kMaxAdvances;
    for (int advance = 0; advance < max_advances; ++advance) {
        const bool is_coarse = advance == 0;
        t = not_coplanar_before(plane, t, is_coarse ? kCoarseTime : kArrivalTime, features.limit);
        if (t > 1 || t >= features.limit) return none_before(t);
        closest = closest_features<kPair>(motion, t);
        const SeparatedTimes times = separated_times<kPair>(motion, extent_sum, closest.direction,
                                                            features.motion_separation);
        const bool is_apart = times.contain(t);
        // At t0, a direction that separates nothing is no normal; later it still is one.
        if (is_apart || t > 0) normal = closest.direction;
        double next = is_apart ? times.to : t;
        const bool is_stuck = next - t < kArrivalTime && !is_coarse;
        if (is_stuck && !crosses_clearly<kPair>(motion, closest.weights, t))
            next = max_of(next, apart_until_last<kPair>(features, next));
        if (next > 1 || next >= features.limit) return none_before(next);
        has_run_out = next - t >= kArrivalTime || is_coarse;
        t = next;
        if (!has_run_out) break;
    }
    if (has_run_out) {  // the finer proofs may still tell, or bring the time closer
        t = max_of(t, apart_until_last<kPair>(features, t));
        if (t > 1) return {};
    }
    if (t >= features.limit) return none_before(t);
    ImpactTime impact = meets_at(t, normal, closest);
    impact.ran_out = has_run_out;
    return impact;
}

// Features that begin within the minimum separation must come closer than this share of their
// distance to meet. It is close to 1, so that steps in which features are pressed together wear off
// little, and far from it by rounding errors where that distance is 1e-7 of their size or more.
constexpr double kCloserShare = 1 - 0x1p-24;

template <FeaturePair kPair>
GRAZE_HD ImpactTime advance_from_start(MeetingFeatures features) {
    if (!(features.min_separation > 0)) return advance_to_impact<kPair>(features);
    const RelativeMotion<double>& motion = features.motion;
    const ClosestFeatures start = closest_features<kPair>(motion, 0);
    const double closer = (length(start.offset) + 0x1p-48 * features.extents.sum()) * kCloserShare;
    if (!(closer < features.motion_separation)) return advance_to_impact<kPair>(features);
    const double(&w)[4] = start.weights;
    const Vec3d a = motion.a[1] - motion.a[0], b = motion.b[1] - motion.b[0];
    const Vec3d c = motion.c[1] - motion.c[0];
    const Vec3d velocity =
        kPair == FeaturePair::vertex_face ? c - a * w[2] - b * w[3] : c + a * w[1] - b * w[3];
    const bool comes_closer = dot(start.offset, velocity) < 0;
    if (comes_closer) features.limit = kNoTimeLimit;  // where they meet, the time is 0
    features.motion_separation = closer;
    features.min_separation =
        features.is_scaled
            ? min_of(features.min_separation, std::ldexp(closer, features.exponent) + 0x1p-1074)
            : closer;
    ImpactTime impact = advance_to_impact<kPair>(features);
    if (!impact.collides || !comes_closer) return impact;
    impact.time = 0;
    impact.normal = normalized(start.direction);
    for (int i = 0; i < 4; ++i)
        impact.weights[i] = w[i];
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
GRAZE_NOINLINE ImpactTime advance_scaled(Vec3d (&p0)[4], Vec3d (&p1)[4], double min_separation,
                                         double limit) {
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
        return {true, false, false, 0, {0, 0, 0}, {1, kIsFace ? 1.0 : 0.0, kIsFace ? 0.0 : 1.0, 0}};
    }
    const int exponent = std::ilogb(size);
    motion = scaled(motion, exponent);
    return advance_from_start<kPair>({p0, p1, min_separation, motion, motion_extents(motion),
                                      std::ldexp(min_separation, -exponent), true, exponent,
                                      limit});
}

template <FeaturePair kPair, class T>
GRAZE_INLINE ImpactTime impact_time(const Vec3T<T> (&p0)[4], const Vec3T<T> (&p1)[4],
                                    double min_separation, double limit) {
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
        return advance_from_start<kPair>(
            {q0, q1, min_separation, motion, extents, min_separation, false, 0, limit});
    return advance_scaled<kPair>(q0, q1, min_separation, limit);
}

}  // namespace detail

// The points are the vertex, then the corners of the face, at t0 and at t1 [m]. Features that come
// within min_separation [m] count as touching, and such as begin within it where they come closer;
// it is not negative. A contact whose time is not below limit may be left out; any other is found
// as without a limit.
template <class T>
GRAZE_HD ImpactTime impact_time_vertex_face(const Vec3T<T> (&p0)[4], const Vec3T<T> (&p1)[4],
                                            double min_separation, double limit = kNoTimeLimit) {
    return detail::impact_time<FeaturePair::vertex_face>(p0, p1, min_separation, limit);
}

// The points are the ends of the first edge, then those of the second.
template <class T>
GRAZE_HD ImpactTime impact_time_edge_edge(const Vec3T<T> (&p0)[4], const Vec3T<T> (&p1)[4],
                                          double min_separation, double limit = kNoTimeLimit) {
    return detail::impact_time<FeaturePair::edge_edge>(p0, p1, min_separation, limit);
}

}  // namespace graze

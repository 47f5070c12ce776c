// When, inside a time step, do a vertex and a face meet, or an edge and an edge? With certainty:
// never "not at all" where they do, and never later than they do.
//
// Idea: advance a time t of which it is proven that there is no contact before it. Two kinds of
// proof carry it on, each with its rounding bound: the points lie in no common plane until later
// (coplanarity.h), and a direction separates the features until later (separated_times.h). The
// first arrives at a contact in few steps, since it converges quadratically, and stops at every
// time at which the points are coplanar, contact or not. The second tells which: the direction
// between the closest points of the features, taken at that time, separates them for a while where
// there is a gap. Where neither gets further, they meet, as far as double arithmetic can tell.
//
// Proof. Let t* be the exact first time in [0, 1], for the coordinates as given, at which the
// features are at most min_separation apart. Claim: t <= t* at all times. It holds for t = 0. A
// step replaces t by t' only where there is no contact in [t, t'), so t* >= t implies t* >= t'.
// "No contact" is answered only where one of the proofs covers all of [t, 1]. The closest points
// are computed carelessly, since nothing rests on them but how soon the search ends. Scaling by
// powers of two, below, is exact, but for numbers that underflow beside others of magnitude one,
// by less than the slack of the bounds. Every way out that is not a proof reports a contact at t.
//
// Contact at t0: no proof can get away from there, and the time is 0. A gap of less than about
// 2^-48 of the features' size is taken for contact.
#pragma once

#include "geometry/closest_point_triangle.h"
#include "geometry/closest_points_segment_segment.h"
#include "narrow_phase/coplanarity.h"
#include "narrow_phase/separated_times.h"

namespace graze {

struct ImpactTime {
    bool collides = false;
    // The search was cut short, so that the contact is not certain; its time still is a bound.
    bool ran_out = false;
    // [0, 1] in the step, at most the exact first time, in general by less than 1e-6; 1 where there
    // is no collision.
    double time = 1;
    // Unit, from the second feature to the first at that time; zero where they have none.
    Vec3d normal = {0, 0, 0};
    // Where on the features: 1 | u v w, or 1 - s, s | 1 - t, t.
    double weights[4] = {0, 0, 0, 0};
};

namespace detail {

// Steps shorter than this [of the time step] are taken for arrival.
constexpr double kArrivalTime = 1e-10;
constexpr int kMaxAdvances = 64;

// The closest points at one time, and the direction from the second feature to the first. Where the
// gap is small the difference of the points has no accurate direction any more; what it must be
// perpendicular to tells it: a face, or an edge, or two.
struct ClosestFeatures {
    Vec3d direction;
    double weights[4];
};

GRAZE_INLINE Vec3d perpendicular_part(const Vec3d& v, const Vec3d& edge) {
    const double edge_sq = length_sq(edge);
    return edge_sq > 0 ? v - edge * (dot(v, edge) / edge_sq) : v;
}
// A normal, turned to the side on which v is.
GRAZE_INLINE Vec3d turned_to(const Vec3d& normal, const Vec3d& v) {
    return dot(normal, v) < 0 ? -normal : normal;
}

GRAZE_INLINE ClosestFeatures closest_vertex_face(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const ClosestPointTriangle<double> foot = closest_point_triangle(c, Vec3d{0, 0, 0}, a, b);
    const Vec3d offset = c - foot.point;
    Vec3d direction = offset;
    if (foot.feature == TriangleFeature::face)
        direction = turned_to(cross(a, b), c);
    else if (foot.feature == TriangleFeature::edge0)
        direction = perpendicular_part(offset, a);
    else if (foot.feature == TriangleFeature::edge1)
        direction = perpendicular_part(offset, b - a);
    else if (foot.feature == TriangleFeature::edge2)
        direction = perpendicular_part(offset, b);
    return {direction, {1, foot.barycentric.x, foot.barycentric.y, foot.barycentric.z}};
}

GRAZE_INLINE ClosestFeatures closest_edge_edge(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    constexpr double kMinSineSq = 1e-12;
    const ClosestPointsSegmentSegment<double> feet =
        closest_points_segment_segment(c, c + a, Vec3d{0, 0, 0}, b);
    const Vec3d offset = c + a * feet.s - b * feet.t;
    const bool inside_a = feet.s > 0 && feet.s < 1, inside_b = feet.t > 0 && feet.t < 1;
    Vec3d direction = offset;
    if (inside_a && inside_b) {
        const Vec3d normal = cross(a, b);
        const double a_sq = length_sq(a), b_sq = length_sq(b);
        direction = length_sq(normal) > kMinSineSq * a_sq * b_sq
                        ? turned_to(normal, c)
                        : perpendicular_part(offset, a_sq > b_sq ? a : b);
    } else if (inside_a) {
        direction = perpendicular_part(offset, a);
    } else if (inside_b) {
        direction = perpendicular_part(offset, b);
    }
    return {direction, {1 - feet.s, feet.s, 1 - feet.t, feet.t}};
}

template <FeaturePair kPair>
GRAZE_INLINE ClosestFeatures closest_features(const RelativeMotion<double>& motion, double t) {
    const Vec3d a = mix(motion.a[0], motion.a[1], t), b = mix(motion.b[0], motion.b[1], t);
    const Vec3d c = mix(motion.c[0], motion.c[1], t);
    if constexpr (kPair == FeaturePair::vertex_face)
        return closest_vertex_face(a, b, c);
    else
        return closest_edge_edge(a, b, c);
}

// For motions whose extents are ordinary numbers.
template <FeaturePair kPair>
GRAZE_HD ImpactTime advance_to_impact(const RelativeMotion<double>& motion,
                                      const MotionExtents<double>& extents, double min_separation) {
    const Coplanarity plane = coplanarity(motion, extents, min_separation);
    const double extent_sum = extents.sum();
    ImpactTime impact;
    ClosestFeatures closest{};
    Vec3d normal{0, 0, 0};
    double t = 0;
    for (int advance = 0; advance < kMaxAdvances; ++advance) {
        t = not_coplanar_before(plane, t, kArrivalTime);
        if (t > 1) return {};
        closest = closest_features<kPair>(motion, t);
        const SeparatedTimes times =
            separated_times<kPair>(motion, extent_sum, closest.direction, min_separation);
        const bool is_apart = times.contain(t);
        if (is_apart && times.to > 1) return {};
        // At t0, what separates nothing is no direction; later it is one, if only just.
        if (is_apart || t > 0) normal = closest.direction;
        const double next = is_apart ? times.to : t;
        impact.ran_out = next - t >= kArrivalTime;
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

// The same motion with a length of 2^exponent taken for one.
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

// Sizes whose cubes under- or overflow, or whose differences do.
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
    if (!(size > 0)) {  // all points are one, all the time
        constexpr bool kIsFace = kPair == FeaturePair::vertex_face;
        return {true, false, 0, {0, 0, 0}, {1, kIsFace ? 1.0 : 0.0, kIsFace ? 0.0 : 1.0, 0}};
    }
    const int exponent = std::ilogb(size);
    motion = scaled(motion, exponent);
    return advance_to_impact<kPair>(motion, motion_extents(motion),
                                    std::ldexp(min_separation, -exponent));
}

template <FeaturePair kPair, class T>
GRAZE_INLINE ImpactTime impact_time(const Vec3T<T> (&p0)[4], const Vec3T<T> (&p1)[4],
                                    double min_separation) {
    constexpr double kSmall = 0x1p-100, kLarge = 0x1p100;
    const RelativeMotion<double> motion = relative_motion<kPair, double>(p0, p1);
    const MotionExtents<double> extents = motion_extents(motion);
    const double size = extents.sum();
    if (size > kSmall && size < kLarge)
        return advance_to_impact<kPair>(motion, extents, min_separation);
    Vec3d q0[4], q1[4];
    for (int i = 0; i < 4; ++i) {
        q0[i] = static_cast<Vec3d>(p0[i]);
        q1[i] = static_cast<Vec3d>(p1[i]);
    }
    return advance_scaled<kPair>(q0, q1, min_separation);
}

}  // namespace detail

// Vertex, then the corners of the face, at t0 and at t1 [m]; features at most min_separation [m]
// apart, which is not negative, count as touching.
template <class T>
GRAZE_HD ImpactTime impact_time_vertex_face(const Vec3T<T> (&p0)[4], const Vec3T<T> (&p1)[4],
                                            double min_separation) {
    return detail::impact_time<FeaturePair::vertex_face>(p0, p1, min_separation);
}

// The ends of the first edge, then those of the second.
template <class T>
GRAZE_HD ImpactTime impact_time_edge_edge(const Vec3T<T> (&p0)[4], const Vec3T<T> (&p1)[4],
                                          double min_separation) {
    return detail::impact_time<FeaturePair::edge_edge>(p0, p1, min_separation);
}

}  // namespace graze

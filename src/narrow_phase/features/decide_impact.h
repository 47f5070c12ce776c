// DecideImpact decides whether a pair of features touches within the step, DecideProximity whether
// it is near at an instant. Both machines do this with every pair that its bounds do not rule out.
#pragma once

#include "core/atomics.h"
#include "narrow_phase/features/coplanar_times.h"
#include "narrow_phase/features/deforming_view.h"
#include "narrow_phase/features/impact_time.h"
#include "narrow_phase/features/may_meet.h"
#include "narrow_phase/features/rest_shape.h"

namespace graze {

// Packs a pair of features, vertex and face or edge and edge, into a number that sorts as impacts
// do.
struct FeatureKey {
    int low_bits;  // the bits of a face's or an edge's index
    GRAZE_INLINE std::uint64_t of(std::uint32_t high, std::uint32_t low) const {
        return std::uint64_t{high} << low_bits | low;
    }
    GRAZE_INLINE std::uint32_t high(std::uint64_t key) const {
        return static_cast<std::uint32_t>(key >> low_bits);
    }
    GRAZE_INLINE std::uint32_t low(std::uint64_t key) const {
        return static_cast<std::uint32_t>(key & ((std::uint64_t{1} << low_bits) - 1));
    }
};

// Lists the vertices of a pair in the order of Impact.
GRAZE_INLINE void list_vertices(const Element* elements, std::uint32_t vertex, std::uint32_t face,
                                std::uint32_t (&vertices)[4]) {
    vertices[0] = vertex;
    for (int k = 0; k < 3; ++k)
        vertices[k + 1] = elements[face].vertices[k];
}
GRAZE_INLINE void list_vertices(const Edge* edges, std::uint32_t a, std::uint32_t b,
                                std::uint32_t (&vertices)[4]) {
    for (int k = 0; k < 2; ++k) {
        vertices[k] = edges[a].v[k];
        vertices[k + 2] = edges[b].v[k];
    }
}

// How pairs are filtered before their time of impact is computed: by may_meet.h in float, which
// leaves a quarter to half of the pairs that bounds leave, at a small fraction of that time's cost.
struct ImpactFilter {
    bool is_on;              // false where coordinates are so large that machines might disagree
    float min_separation;    // [m] at least the true one
    float coordinate_error;  // [m] bounds the error of positions rounded to float

    GRAZE_INLINE static ImpactFilter of(double min_separation, double largest_coordinate,
                                        double rounding) {
        return {largest_coordinate <= kLargestForFilter, rounded_up(min_separation),
                rounded_up(rounding)};
    }

private:
    GRAZE_INLINE static float rounded_up(double value) {
        return value > 0 ? static_cast<float>(value * (1 + 0x1p-22) + 0x1p-148) : 0.0f;
    }
};

enum class Verdict : std::uint8_t {
    apart,
    later,  // not before the time that is of interest, and not followed beyond it
    hit,
    exhausted,  // counts as a hit, since the iterations ran out before a decision
    unwanted,   // a hit that is counted and not kept
};

template <class T>
struct DecideImpact {
    using Hit = Impact;
    const Vec3T<T>* positions_t0;
    const Vec3T<T>* positions_t1;
    double min_separation;  // [m]
    bool is_cubic;
    ImpactFilter filter;

    static constexpr bool kHasFilter = true;

    GRAZE_INLINE NoRestShape rest() const { return {}; }

    // False where the filter rules the pair out.
    template <FeaturePair kPair>
    GRAZE_INLINE bool may_hit(const std::uint32_t (&vertices)[4]) const {
        if (!filter.is_on) return true;
        Vec3 p0[4], p1[4];
        for (int i = 0; i < 4; ++i) {
            p0[i] = static_cast<Vec3>(positions_t0[vertices[i]]);
            p1[i] = static_cast<Vec3>(positions_t1[vertices[i]]);
        }
        return detail::may_meet<kPair>(p0, p1, filter.min_separation, filter.coordinate_error);
    }

    // hit.vertices and hit.face are given; the rest of hit is found here.
    template <FeaturePair kPair>
    GRAZE_INLINE Verdict decide(Impact& hit) const {
        const ImpactTime impact = solve<kPair>(hit.vertices, kNoTimeLimit);
        if (!impact.collides) return Verdict::apart;
        for (int i = 0; i < 4; ++i)
            hit.weights[i] = static_cast<float>(impact.weights[i]);
        hit.normal = static_cast<Vec3>(impact.normal);
        hit.time = impact.time;
        return impact.ran_out ? Verdict::exhausted : Verdict::hit;
    }

    // An impact that is not before limit may be left out.
    template <FeaturePair kPair>
    GRAZE_INLINE ImpactTime solve(const std::uint32_t (&vertices)[4], double limit) const {
        Vec3T<T> p0[4], p1[4];
        for (int i = 0; i < 4; ++i) {
            p0[i] = positions_t0[vertices[i]];
            p1[i] = positions_t1[vertices[i]];
        }
        if constexpr (kPair == FeaturePair::vertex_face) {
            return is_cubic ? cubic_time_vertex_face(p0, p1, min_separation)
                            : impact_time_vertex_face(p0, p1, min_separation, limit);
        } else {
            return is_cubic ? cubic_time_edge_edge(p0, p1, min_separation)
                            : impact_time_edge_edge(p0, p1, min_separation, limit);
        }
    }
};

// Lowers a time to that of the first impact. Nothing else is kept, and a pair is followed only
// until the time that others have come to, so that the outcome is the same in any order of the
// pairs.
template <class T>
struct DecideEarliest {
    using Hit = Impact;
    DecideImpact<T> impacts;
    ImpactFilter filter;
    double* earliest;

    static constexpr bool kHasFilter = true;

    GRAZE_INLINE NoRestShape rest() const { return {}; }

    template <FeaturePair kPair>
    GRAZE_INLINE bool may_hit(const std::uint32_t (&vertices)[4]) const {
        return impacts.template may_hit<kPair>(vertices);
    }
    template <FeaturePair kPair>
    GRAZE_INLINE Verdict decide(Impact& hit) const {
        const double limit = atomic_read(earliest);
        if (!(limit > 0)) return Verdict::later;
        const ImpactTime impact = impacts.template solve<kPair>(hit.vertices, limit);
        if (impact.collides) atomic_lower(earliest, impact.time);
        return impact.is_late ? Verdict::later : Verdict::apart;
    }
};

template <class T, class Rest = NoRestShape>
struct DecideProximity {
    using Hit = Proximity;
    const Vec3T<T>* positions;
    double thickness;  // [m]
    Rest rest_shape = {};

    static constexpr bool kHasFilter = false;

    GRAZE_INLINE const Rest& rest() const { return rest_shape; }

    template <FeaturePair kPair>
    GRAZE_INLINE Verdict decide(Proximity& hit) const {
        const FeatureGap gap = gap_of<kPair>(positions, hit.vertices);
        const double distance = length(gap.vector);
        if (!(distance <= thickness)) return Verdict::apart;
        if (!rest_shape.template counts<kPair>(hit.vertices, distance)) return Verdict::apart;
        for (int i = 0; i < 4; ++i)
            hit.weights[i] = static_cast<float>(gap.weights[i]);
        hit.normal = distance > 0 ? static_cast<Vec3>(gap.vector * (1 / distance)) : Vec3{0, 0, 0};
        hit.distance = distance;
        return Verdict::hit;
    }
};

}  // namespace graze

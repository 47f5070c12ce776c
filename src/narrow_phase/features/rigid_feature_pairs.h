// The last stages of Method::features: from pairs of triangles to the pairs of features that may
// touch, and to the contacts of those that do (rigid_features_impl.h).
#pragma once

#include "core/bits.h"
#include "geometry/filter_mesh_triangles.h"
#include "narrow_phase/features/decide_impact.h"
#include "narrow_phase/features/feature_contacts.h"
#include "narrow_phase/features/rigid_triangle_pairs.h"

namespace graze {
namespace rigid_detail {

// The pairs of features of two triangles, a bit each: the triangles themselves, vertices of a and
// face b, vertices of b and face a, edges of a and b.
constexpr int kVerticesOfA = 1, kVerticesOfB = 4, kEdges = 7, kFeaturePairs = 16;

// Four points of a pair of features in the order of Impact, at both ends of the step.
struct FeaturePoints {
    Vec3d t0[4], t1[4];

    GRAZE_INLINE void take(int i, const MovingTriangle& from, int corner) {
        t0[i] = from.t0[corner];
        t1[i] = from.t1[corner];
    }
    GRAZE_INLINE static FeaturePoints vertex_face(const MovingTriangle& of_vertex, int k,
                                                  const MovingTriangle& face) {
        FeaturePoints points;
        points.take(0, of_vertex, k);
        for (int i = 0; i < 3; ++i)
            points.take(i + 1, face, i);
        return points;
    }
    // The ends of an edge are taken in the order of their vertices, as Edge names them.
    GRAZE_INLINE static FeaturePoints edge_edge(const MovingTriangle& a, int i,
                                                const MovingTriangle& b, int j) {
        FeaturePoints points;
        points.take_edge(0, a, i);
        points.take_edge(2, b, j);
        return points;
    }

    // Are the first `count` points and the others farther apart than gap along an axis, throughout?
    GRAZE_INLINE bool have_boxes_apart(int count, double gap) const {
        for (int axis = 0; axis < 3; ++axis) {
            double low_a = t0[0][axis], high_a = low_a, low_b = t0[3][axis], high_b = low_b;
            for (int i = 0; i < 4; ++i) {
                const double low = min_of(t0[i][axis], t1[i][axis]);
                const double high = max_of(t0[i][axis], t1[i][axis]);
                if (i < count) {
                    low_a = min_of(low_a, low);
                    high_a = max_of(high_a, high);
                } else {
                    low_b = min_of(low_b, low);
                    high_b = max_of(high_b, high);
                }
            }
            // A sum is rounded by 2^-53 of itself.
            const double slack = 0x1p-50 * (std::fabs(low_a) + std::fabs(high_a) +
                                            std::fabs(low_b) + std::fabs(high_b) + gap);
            if (low_a - high_b > gap + slack || low_b - high_a > gap + slack) return true;
        }
        return false;
    }

    // Conservative; see may_meet.h.
    template <FeaturePair kPair>
    GRAZE_INLINE bool may_meet_in_step(double gap) const {
        Vec3 p0[4], p1[4];
        double largest = 0, rounding = 0;
        for (int i = 0; i < 4; ++i) {
            p0[i] = static_cast<Vec3>(t0[i]);
            p1[i] = static_cast<Vec3>(t1[i]);
            for (int axis = 0; axis < 3; ++axis) {
                largest = max_of(largest, max_of(std::fabs(t0[i][axis]), std::fabs(t1[i][axis])));
                rounding = max_of(rounding, std::fabs(t0[i][axis] - double(p0[i][axis])));
                rounding = max_of(rounding, std::fabs(t1[i][axis] - double(p1[i][axis])));
            }
        }
        const ImpactFilter filter = ImpactFilter::of(gap, largest, rounding);
        return !filter.is_on ||
               detail::may_meet<kPair>(p0, p1, filter.min_separation, filter.coordinate_error);
    }

private:
    GRAZE_INLINE void take_edge(int first, const MovingTriangle& from, int k) {
        const int next = k == 2 ? 0 : k + 1;
        const bool is_up = from.element.vertices[k] < from.element.vertices[next];
        take(first, from, is_up ? k : next);
        take(first + 1, from, is_up ? next : k);
    }
};

// Which pairs of features of two triangles are worth a decision.
struct MarkFeaturePairs {
    RigidPairs pairs;
    const TrianglePair* triangle_pairs;
    const std::uint64_t* triangle_pair_count;
    std::uint16_t* masks;   // out
    std::uint64_t* counts;  // out: how many bits

    GRAZE_HD void operator()(std::int64_t i) const {
        const bool is_there = static_cast<std::uint64_t>(i) < *triangle_pair_count;
        const unsigned mask = is_there ? mark(triangle_pairs[i]) : 0;
        masks[i] = static_cast<std::uint16_t>(mask);
        counts[i] = count_ones(mask);
    }

private:
    GRAZE_INLINE unsigned mark(const TrianglePair& found) const {
        const IndexPair pair = pairs.step.pairs[found.pair];
        const MovingTriangle a(pairs.body(pair.a), found.a), b(pairs.body(pair.b), found.b);
        if (!overlap(rounded_out(a.box(), pairs.gap), rounded_out(b.box(), 0))) return 0;
        Vec3d corners_a[3] = {a.t0[0], a.t0[1], a.t0[2]};
        Vec3d corners_b[3] = {b.t0[0], b.t0[1], b.t0[2]};
        unsigned mask =
            detail::filter_unconnected(corners_a, corners_b) != MeetVerdict::apart ? 1u : 0u;
        // What does not move and touches intersects.
        const bool moves = pairs.moves(pair);
        if (!moves && pairs.gap == 0) return mask;
        for (int k = 0; k < 3; ++k) {
            if (a.element.owns_vertex(k) &&
                may_touch<FeaturePair::vertex_face>(FeaturePoints::vertex_face(a, k, b), moves))
                mask |= 1u << (kVerticesOfA + k);
            if (b.element.owns_vertex(k) &&
                may_touch<FeaturePair::vertex_face>(FeaturePoints::vertex_face(b, k, a), moves))
                mask |= 1u << (kVerticesOfB + k);
        }
        for (int j = 0; j < 9; ++j) {
            if (a.element.owns_edge(j / 3) && b.element.owns_edge(j % 3) &&
                may_touch<FeaturePair::edge_edge>(FeaturePoints::edge_edge(a, j / 3, b, j % 3),
                                                  moves))
                mask |= 1u << (kEdges + j);
        }
        return mask;
    }
    template <FeaturePair kPair>
    GRAZE_INLINE bool may_touch(const FeaturePoints& points, bool moves) const {
        const int count = kPair == FeaturePair::vertex_face ? 1 : 2;
        return !points.have_boxes_apart(count, pairs.gap) &&
               (!moves || points.template may_meet_in_step<kPair>(pairs.gap));
    }
};

// Lists the marked pairs of features: the index of the pair of triangles, and the bit.
struct ListFeaturePairs {
    const std::uint16_t* masks;
    const std::uint64_t* offsets;  // by pair of triangles
    std::uint64_t room;
    std::uint64_t* feature_pairs;  // out: index * 16 + bit

    GRAZE_HD void operator()(std::int64_t i) const {
        std::uint64_t next = offsets[i];
        for (unsigned bit = 0; bit < kFeaturePairs; ++bit) {
            if (!(masks[i] >> bit & 1)) continue;
            if (next < room) feature_pairs[next] = static_cast<std::uint64_t>(i) * 16 + bit;
            ++next;
        }
    }
};

// What the decision on a pair of features writes.
struct FeatureVerdicts {
    Contact* contacts;       // only where there is one
    std::uint64_t* counts;   // 1 where there is a contact, else 0
    std::uint8_t* exhausts;  // 1 where it counts for want of iterations
};

struct DecideFeaturePair {
    RigidPairs pairs;
    const TrianglePair* triangle_pairs;
    const std::uint64_t* feature_pairs;
    const std::uint64_t* feature_pair_count;
    FeatureVerdicts verdicts;

    GRAZE_HD void operator()(std::int64_t i) const {
        Verdict verdict = Verdict::apart;
        if (static_cast<std::uint64_t>(i) < *feature_pair_count) {
            const std::uint64_t feature_pair = feature_pairs[i];
            verdict = decide(triangle_pairs[feature_pair / 16], static_cast<int>(feature_pair % 16),
                             verdicts.contacts[i]);
        }
        verdicts.counts[i] = verdict == Verdict::apart ? 0 : 1;
        verdicts.exhausts[i] = verdict == Verdict::exhausted ? 1 : 0;
    }

private:
    GRAZE_INLINE Verdict decide(const TrianglePair& found, int bit, Contact& contact) const {
        const IndexPair pair = pairs.step.pairs[found.pair];
        const MovingTriangle a(pairs.body(pair.a), found.a), b(pairs.body(pair.b), found.b);
        if (bit == 0) return decide_triangles(a, b, pair, found, contact);
        if (bit < kEdges) {
            const bool is_of_a = bit < kVerticesOfB;
            const int k = bit - (is_of_a ? kVerticesOfA : kVerticesOfB);
            const MovingTriangle &of_vertex = is_of_a ? a : b, &face = is_of_a ? b : a;
            const BodyFeature first{
                is_of_a ? pair.a : pair.b,
                make_feature(FeatureKind::vertex, of_vertex.element.vertices[k])};
            const BodyFeature second{is_of_a ? pair.b : pair.a,
                                     make_feature(FeatureKind::face, is_of_a ? found.b : found.a)};
            return decide_features<FeaturePair::vertex_face>(
                FeaturePoints::vertex_face(of_vertex, k, face), pair, first, second, contact);
        }
        const int i = (bit - kEdges) / 3, j = (bit - kEdges) % 3;
        const BodyFeature first{pair.a, make_feature(FeatureKind::edge, a.element.edges[i])};
        const BodyFeature second{pair.b, make_feature(FeatureKind::edge, b.element.edges[j])};
        return decide_features<FeaturePair::edge_edge>(FeaturePoints::edge_edge(a, i, b, j), pair,
                                                       first, second, contact);
    }

    GRAZE_INLINE Verdict decide_triangles(const MovingTriangle& a, const MovingTriangle& b,
                                          const IndexPair& pair, const TrianglePair& found,
                                          Contact& contact) const {
        if (!intersect_triangle_triangle(a.t0[0], a.t0[1], a.t0[2], b.t0[0], b.t0[1], b.t0[2]))
            return Verdict::apart;
        const TriangleTriangleSegment segment =
            intersection_segment(a.t0[0], a.t0[1], a.t0[2], b.t0[0], b.t0[1], b.t0[2]);
        const bool is_flat = segment.kind != TriangleTriangleSegment::Kind::segment;
        contact = intersection_contact(
            TriangleIntersection{found.a, found.b, is_flat, segment.start, segment.end}, a.t0, b.t0,
            {pair.a, make_feature(FeatureKind::face, found.a)},
            {pair.b, make_feature(FeatureKind::face, found.b)});
        finish_normal(pair, contact);
        return Verdict::hit;
    }

    template <FeaturePair kPair>
    GRAZE_INLINE Verdict decide_features(const FeaturePoints& points, const IndexPair& pair,
                                         const BodyFeature& first, const BodyFeature& second,
                                         Contact& contact) const {
        constexpr std::uint32_t kFace = kPair == FeaturePair::vertex_face ? 0 : Impact::kNoFace;
        // What is within the gap at t0 is a contact then, whether it comes closer or not.
        const bool moves = pairs.moves(pair);
        Verdict verdict = Verdict::apart;
        if (!moves || pairs.gap > 0) {
            Proximity proximity{{0, 1, 2, 3}, kFace, {}, {}, 0};
            verdict =
                DecideProximity<double>{points.t0, pairs.gap}.template decide<kPair>(proximity);
            if (length_sq(proximity.normal) == 0) proximity.normal = touching_normal<kPair>(points);
            if (verdict != Verdict::apart)
                contact = proximity_contact(proximity, points.t0, first, second);
        }
        if (moves && verdict == Verdict::apart) {
            Impact impact{{0, 1, 2, 3}, kFace, {}, {}, 0};
            verdict = DecideImpact<double>{points.t0, points.t1, pairs.gap, false, {}}
                          .template decide<kPair>(impact);
            if (verdict == Verdict::apart) return verdict;
            double distance = pairs.gap;
            if (length_sq(impact.normal) == 0) distance = describe_at_t0<kPair>(points, impact);
            contact = impact_contact(impact, points.t0, points.t1, first, second, distance);
        }
        if (verdict == Verdict::apart) return verdict;
        finish_normal(pair, contact);
        return verdict;
    }

    // What is within the gap at t0 already has no direction of approach; it gets the direction
    // between the closest points. Returns their distance [m].
    template <FeaturePair kPair>
    GRAZE_INLINE double describe_at_t0(const FeaturePoints& points, Impact& impact) const {
        Proximity proximity{{0, 1, 2, 3}, 0, {}, {}, 0};
        DecideProximity<double>{points.t0, std::numeric_limits<double>::infinity()}
            .template decide<kPair>(proximity);
        impact.normal =
            length_sq(proximity.normal) > 0 ? proximity.normal : touching_normal<kPair>(points);
        return min_of(pairs.gap, proximity.distance);
    }

    // The normal of features that touch: that of the face, or of both edges, on one of its sides;
    // zero where they have none.
    template <FeaturePair kPair>
    GRAZE_INLINE static Vec3 touching_normal(const FeaturePoints& points) {
        const Vec3d(&p)[4] = points.t0;
        return static_cast<Vec3>(normalized(kPair == FeaturePair::vertex_face
                                                ? cross(p[2] - p[1], p[3] - p[1])
                                                : cross(p[1] - p[0], p[3] - p[2])));
    }

    // Features that coincide have no direction between them; then that between the bodies stands.
    GRAZE_INLINE void finish_normal(const IndexPair& pair, Contact& contact) const {
        if (length_sq(contact.normal) > 0) return;
        contact.normal = normalized(pairs.step.poses_t0[pair.a].translation -
                                    pairs.step.poses_t0[pair.b].translation);
    }
};

}  // namespace rigid_detail
}  // namespace graze

// Method::features: from pairs of rigid bodies to contacts of their features, in four stages, each
// of which counts, scans and fills, so that nothing overflows and the order is always the same:
//
//     pairs of bodies -> triangles of the one that has fewer -> pairs of triangles whose boxes
//     touch, by a walk through the tree of the other -> pairs of features that cheap tests do not
//     rule out (a mask of 16 bits for each pair of triangles) -> contacts
//
// A pair of features is looked at in one pair of triangles only: each vertex and edge is owned by
// one triangle (elements.h). Boxes of triangles contain those of their features, so where two
// features come within the gap, that pair of triangles is there. All that rules something out is
// conservative: boxes are rounded outwards, may_meet.h and filter_mesh_triangles.h are certified.
//
// How two features are decided is the same as for deforming meshes (decide_impact.h), where the
// proofs are; a rigid body's vertices move straight from their positions at t0 to those at t1.
#pragma once

#include "core/bits.h"
#include "geometry/bvh/bvh_traverse.h"
#include "geometry/filter_mesh_triangles.h"
#include "narrow_phase/features/decide_impact.h"
#include "narrow_phase/features/feature_contacts.h"
#include "narrow_phase/features/rigid_features.h"
#include "narrow_phase/features/rigid_pairs.h"
#include "parallel/trace.h"

namespace graze {
namespace rigid_detail {

// The last of offsets[0 .. count] that is not above index; offsets are ascending from 0.
GRAZE_INLINE std::int64_t find_owner(const std::uint64_t* offsets, std::int64_t count,
                                     std::uint64_t index) {
    std::int64_t low = 0, high = count;
    while (low < high) {
        const std::int64_t middle = (low + high + 1) / 2;
        const bool is_beyond = offsets[middle] > index;
        high = is_beyond ? middle - 1 : high;
        low = is_beyond ? low : middle;
    }
    return low;
}

// How many triangles of a pair walk the other's tree.
struct CountTriangles {
    RigidPairs pairs;
    std::uint64_t* counts;  // out, by pair

    GRAZE_HD void operator()(std::int64_t p) const {
        counts[p] = 0;
        if (static_cast<std::uint64_t>(p) >= *pairs.step.pair_count) return;
        const IndexPair pair = pairs.step.pairs[p];
        counts[p] = static_cast<std::uint64_t>(
            min_of(pairs.mesh(pair.a).triangle_count, pairs.mesh(pair.b).triangle_count));
    }
};

// Two triangles of a pair's bodies whose boxes touch.
struct TrianglePair {
    std::uint32_t pair;  // index of the pair of bodies
    std::uint32_t a, b;  // triangles of body_a and body_b
};

// The walk of a triangle through the tree of the other body, as a query of bvh_traverse.h. Boxes of
// nodes are taken into the world, at both ends of the step: corners move straight, so that the box
// of both contains the way between.
template <class Visit>
struct TouchTree {
    const BodyMesh& body;
    bool moves;
    Aabb box;  // [m] of the triangle in the world
    Visit visit_triangle;

    static constexpr bool kVisitsInPassing = true;
    GRAZE_INLINE static float limit() { return 0; }
    GRAZE_INLINE float enter(const Aabb& node) const {
        constexpr float kSkipped = std::numeric_limits<float>::quiet_NaN();
        if (node.is_empty()) return kSkipped;
        Aabb reached = pose_box(body.pose_t0, node, 0);
        if (moves) reached = merge(reached, pose_box(body.pose_t1, node, 0));
        return overlap(reached, box) ? 0 : kSkipped;
    }
    GRAZE_INLINE void visit(std::uint32_t slot) { visit_triangle(body.mesh.tree.primitives[slot]); }
};

struct CountTriangle {
    std::uint64_t count = 0;
    GRAZE_INLINE void operator()(std::uint32_t) { ++count; }
};
struct StoreTriangle {
    std::uint32_t pair, triangle;
    bool is_of_a;  // `triangle` is; those that are found are of b
    TrianglePair* next;
    TrianglePair* end;
    GRAZE_INLINE void operator()(std::uint32_t found) {
        if (next == end) return;
        *next++ =
            is_of_a ? TrianglePair{pair, triangle, found} : TrianglePair{pair, found, triangle};
    }
};

// The triangles of all pairs in one sequence, each with its pair.
struct TriangleItems {
    RigidPairs pairs;
    const std::uint64_t* offsets;  // by pair; the last one is the total

    // Calls work(visitor's arguments) for the item; false where there is no such item.
    template <class Visit, class MakeVisit>
    GRAZE_INLINE bool walk(std::int64_t item, const MakeVisit& make, Visit& result) const {
        const std::int64_t pair_room = pairs.step.pair_room;
        if (static_cast<std::uint64_t>(item) >= offsets[pair_room]) return false;
        const std::int64_t p = find_owner(offsets, pair_room, static_cast<std::uint64_t>(item));
        const IndexPair pair = pairs.step.pairs[p];
        const bool is_of_a = pairs.walks_tree_of_b(pair);
        const BodyMesh own = pairs.body(is_of_a ? pair.a : pair.b);
        const std::uint32_t other = is_of_a ? pair.b : pair.a;
        // In the order of the tree, so that neighbouring threads have neighbouring triangles.
        const std::uint32_t triangle =
            own.mesh.tree.primitives[static_cast<std::uint64_t>(item) - offsets[p]];
        const Aabb box = rounded_out(MovingTriangle(own, triangle).box(), pairs.gap);
        const BodyMesh body = pairs.body(other);
        TouchTree<Visit> query{body, pairs.moves(other), box,
                               make(static_cast<std::uint32_t>(p), triangle, is_of_a)};
        if (overlap(box, pairs.step.boxes[other])) traverse(body.mesh.tree, query);
        result = query.visit_triangle;
        return true;
    }
};

struct CountTrianglePairs {
    TriangleItems items;
    std::uint64_t* counts;  // out, by item

    struct Make {
        GRAZE_INLINE CountTriangle operator()(std::uint32_t, std::uint32_t, bool) const {
            return {};
        }
    };
    GRAZE_HD void operator()(std::int64_t item) const {
        CountTriangle found;
        items.walk(item, Make{}, found);
        counts[item] = found.count;
    }
};

struct StoreTrianglePairs {
    TriangleItems items;
    const std::uint64_t* offsets;  // by item
    std::uint64_t room;
    TrianglePair* found;  // out

    struct Make {
        TrianglePair* next;
        TrianglePair* end;
        GRAZE_INLINE StoreTriangle operator()(std::uint32_t pair, std::uint32_t triangle,
                                              bool is_of_a) const {
            return {pair, triangle, is_of_a, next, end};
        }
    };
    GRAZE_HD void operator()(std::int64_t item) const {
        const std::uint64_t begin = min_of(offsets[item], room);
        const std::uint64_t end = min_of(offsets[item + 1], room);
        StoreTriangle result{};
        if (begin < end) items.walk(item, Make{found + begin, found + end}, result);
    }
};

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
        Verdict verdict;
        if (bit < kEdges) {
            const bool is_of_a = bit < kVerticesOfB;
            const int k = bit - (is_of_a ? kVerticesOfA : kVerticesOfB);
            const MovingTriangle &of_vertex = is_of_a ? a : b, &face = is_of_a ? b : a;
            const BodyFeature first{
                is_of_a ? pair.a : pair.b,
                make_feature(FeatureKind::vertex, of_vertex.element.vertices[k])};
            const BodyFeature second{is_of_a ? pair.b : pair.a,
                                     make_feature(FeatureKind::face, is_of_a ? found.b : found.a)};
            verdict = decide_features<FeaturePair::vertex_face>(
                FeaturePoints::vertex_face(of_vertex, k, face), pair, first, second, contact);
        } else {
            const int i = (bit - kEdges) / 3, j = (bit - kEdges) % 3;
            const BodyFeature first{pair.a, make_feature(FeatureKind::edge, a.element.edges[i])};
            const BodyFeature second{pair.b, make_feature(FeatureKind::edge, b.element.edges[j])};
            verdict = decide_features<FeaturePair::edge_edge>(FeaturePoints::edge_edge(a, i, b, j),
                                                              pair, first, second, contact);
        }
        return verdict;
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
        Verdict verdict;
        if (pairs.moves(pair)) {
            Impact impact{{0, 1, 2, 3}, kFace, {}, {}, 0};
            verdict = DecideImpact<double>{points.t0, points.t1, pairs.gap, false, {}}
                          .template decide<kPair>(impact);
            if (verdict == Verdict::apart) return verdict;
            contact = impact_contact(impact, points.t0, points.t1, first, second, pairs.gap);
        } else {
            Proximity proximity{{0, 1, 2, 3}, kFace, {}, {}, 0};
            verdict =
                DecideProximity<double>{points.t0, pairs.gap}.template decide<kPair>(proximity);
            if (verdict == Verdict::apart) return verdict;
            contact = proximity_contact(proximity, points.t0, first, second);
        }
        finish_normal(pair, contact);
        return verdict;
    }

    // Features that coincide have no direction between them; then that between the bodies stands.
    GRAZE_INLINE void finish_normal(const IndexPair& pair, Contact& contact) const {
        if (length_sq(contact.normal) > 0) return;
        contact.normal = normalized(pairs.step.poses_t0[pair.a].translation -
                                    pairs.step.poses_t0[pair.b].translation);
    }
};

struct ExhaustedOf {
    const std::uint8_t* exhausts;
    GRAZE_HD std::uint64_t operator()(std::int64_t i) const { return exhausts[i]; }
};
struct SumOf {
    GRAZE_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

struct StoreFeatureContact {
    const Contact* found;
    const std::uint64_t* counts;
    const std::uint64_t* offsets;
    std::uint64_t room;
    Contact* contacts;  // out

    GRAZE_HD void operator()(std::int64_t i) const {
        if (counts[i] != 0 && offsets[i] < room) contacts[offsets[i]] = found[i];
    }
};

// Where the contacts of a pair of bodies begin, by way of all stages. What is beyond a stage's room
// is not there.
struct OffsetOfPair {
    const std::uint64_t* triangles;  // by pair of bodies
    const std::uint64_t* triangle_pairs;
    const std::uint64_t* feature_pairs;
    const std::uint64_t* contacts;
    std::uint64_t triangle_room, triangle_pair_room, feature_pair_room;
    std::uint64_t* offsets;  // out, by pair of bodies

    GRAZE_HD void operator()(std::int64_t pair) const {
        const std::uint64_t item = min_of(triangles[pair], triangle_room);
        const std::uint64_t triangle_pair = min_of(triangle_pairs[item], triangle_pair_room);
        const std::uint64_t feature_pair = min_of(feature_pairs[triangle_pair], feature_pair_room);
        offsets[pair] = contacts[feature_pair];
    }
};

// Counts, and offsets from their sums: one more, the last is the total.
struct CountedStage {
    explicit CountedStage(Memory& memory) : counts(memory), offsets(memory) {}

    void resize(std::int64_t count) {
        counts.resize(count);
        offsets.resize(count + 1);
    }
    template <class Executor>
    void scan(Executor& executor) {
        executor.exclusive_scan("features: scan", counts.data(), offsets.data(), counts.size());
    }
    const std::uint64_t* total() const { return offsets.data() + counts.size(); }

    Buffer<std::uint64_t> counts, offsets;
};

}  // namespace rigid_detail

template <class Executor>
class FeaturesMethod final : public MethodOn<Executor> {
public:
    FeaturesMethod(Executor& executor, const DetectorOptions& options)
        : executor_(executor),
          gap_(static_cast<double>(options.gap)),
          triangles_(executor.memory()),
          triangle_pairs_(executor.memory()),
          feature_pairs_(executor.memory()),
          contacts_(executor.memory()),
          listed_triangle_pairs_(executor.memory()),
          masks_(executor.memory()),
          listed_feature_pairs_(executor.memory()),
          decided_(executor.memory()),
          exhausts_(executor.memory()),
          exhausted_count_(executor.memory(), 1) {}

    ShapeNeeds needs() const override { return {.mesh = true}; }
    bool looks_into_step() const override { return true; }

    void find(const PairStep& step, StepRooms& rooms, ContactList& found) override {
        namespace rd = rigid_detail;
        const RigidPairs pairs{step, gap_};
        const std::int64_t triangle_pair_room = find_triangle_pairs(pairs, rooms);
        const std::int64_t feature_pair_room = mark_feature_pairs(pairs, triangle_pair_room, rooms);

        contacts_.resize(feature_pair_room);
        decided_.resize(feature_pair_room);
        exhausts_.resize(feature_pair_room);
        const rd::FeatureVerdicts verdicts{decided_.data(), contacts_.counts.data(),
                                           exhausts_.data()};
        executor_.for_each(
            "features: decide", feature_pair_room,
            rd::DecideFeaturePair{pairs, listed_triangle_pairs_.data(),
                                  listed_feature_pairs_.data(), feature_pairs_.total(), verdicts},
            8);
        executor_.reduce("features: exhausted", feature_pair_room,
                         rd::ExhaustedOf{exhausts_.data()}, rd::SumOf{}, std::uint64_t{0},
                         exhausted_count_.data());
        stages_.exhausted = rooms.watch(exhausted_count_.data());
        contacts_.scan(executor_);
        const std::int64_t room = rooms.open(executor_, contacts_.total(), feature_pair_room / 4);
        stages_.contacts = rooms.last();
        found.contacts.resize(room);
        executor_.for_each("features: store contacts", feature_pair_room,
                           rd::StoreFeatureContact{
                               decided_.data(), contacts_.counts.data(), contacts_.offsets.data(),
                               static_cast<std::uint64_t>(room), found.contacts.data()});
        found.offsets.resize(step.pair_room + 1);
        executor_.for_each(
            "features: offsets of pairs", step.pair_room + 1,
            rd::OffsetOfPair{triangles_.offsets.data(), triangle_pairs_.offsets.data(),
                             feature_pairs_.offsets.data(), contacts_.offsets.data(),
                             static_cast<std::uint64_t>(triangle_pairs_.counts.size()),
                             static_cast<std::uint64_t>(triangle_pair_room),
                             static_cast<std::uint64_t>(feature_pair_room), found.offsets.data()});
    }

    void report(const StepRooms& rooms, StepReport& report) const override {
        const auto figure = [&](const char* name, std::size_t stage) {
            report.figures.push_back({name, static_cast<double>(rooms.total(stage))});
        };
        report.found_count = static_cast<std::int64_t>(rooms.total(stages_.contacts));
        figure("triangle_pairs", stages_.triangle_pairs);
        figure("feature_pairs", stages_.feature_pairs);
        figure("exhausted", stages_.exhausted);
    }

private:
    // Returns the room for pairs of triangles.
    std::int64_t find_triangle_pairs(const RigidPairs& pairs, StepRooms& rooms) {
        namespace rd = rigid_detail;
        triangles_.resize(pairs.step.pair_room);
        executor_.for_each("features: count triangles", pairs.step.pair_room,
                           rd::CountTriangles{pairs, triangles_.counts.data()});
        triangles_.scan(executor_);
        const std::int64_t triangle_room = rooms.open(executor_, triangles_.total());
        const rd::TriangleItems items{pairs, triangles_.offsets.data()};
        triangle_pairs_.resize(triangle_room);
        executor_.for_each("features: count pairs of triangles", triangle_room,
                           rd::CountTrianglePairs{items, triangle_pairs_.counts.data()}, 64);
        triangle_pairs_.scan(executor_);
        const std::int64_t room = rooms.open(executor_, triangle_pairs_.total(), triangle_room / 4);
        stages_.triangle_pairs = rooms.last();
        listed_triangle_pairs_.resize(room);
        executor_.for_each(
            "features: store pairs of triangles", triangle_room,
            rd::StoreTrianglePairs{items, triangle_pairs_.offsets.data(),
                                   static_cast<std::uint64_t>(room), listed_triangle_pairs_.data()},
            64);
        return room;
    }

    // Returns the room for pairs of features.
    std::int64_t mark_feature_pairs(const RigidPairs& pairs, std::int64_t triangle_pair_room,
                                    StepRooms& rooms) {
        namespace rd = rigid_detail;
        feature_pairs_.resize(triangle_pair_room);
        masks_.resize(triangle_pair_room);
        executor_.for_each(
            "features: mark", triangle_pair_room,
            rd::MarkFeaturePairs{pairs, listed_triangle_pairs_.data(), triangle_pairs_.total(),
                                 masks_.data(), feature_pairs_.counts.data()},
            64);
        feature_pairs_.scan(executor_);
        const std::int64_t room =
            rooms.open(executor_, feature_pairs_.total(), triangle_pair_room / 4);
        stages_.feature_pairs = rooms.last();
        listed_feature_pairs_.resize(room);
        executor_.for_each(
            "features: list", triangle_pair_room,
            rd::ListFeaturePairs{masks_.data(), feature_pairs_.offsets.data(),
                                 static_cast<std::uint64_t>(room), listed_feature_pairs_.data()});
        return room;
    }

    Executor& executor_;
    double gap_;  // [m]
    rigid_detail::CountedStage triangles_, triangle_pairs_, feature_pairs_, contacts_;
    Buffer<rigid_detail::TrianglePair> listed_triangle_pairs_;
    Buffer<std::uint16_t> masks_;
    Buffer<std::uint64_t> listed_feature_pairs_;
    Buffer<Contact> decided_;
    Buffer<std::uint8_t> exhausts_;
    Buffer<std::uint64_t> exhausted_count_;  // one
    struct Stages {
        std::size_t triangle_pairs, feature_pairs, exhausted, contacts;
    };
    Stages stages_{};
};

template <class Executor>
std::unique_ptr<MethodOn<Executor>> make_features_method(Executor& executor,
                                                         const DetectorOptions& options) {
    return std::make_unique<FeaturesMethod<Executor>>(executor, options);
}

}  // namespace graze

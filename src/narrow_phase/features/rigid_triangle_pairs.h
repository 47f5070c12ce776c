// The first stages of Method::features: from pairs of bodies to pairs of triangles whose boxes
// touch (rigid_features_impl.h).
#pragma once

#include "core/segment_of.h"
#include "geometry/bvh/bvh_traverse.h"
#include "narrow_phase/features/rigid_pairs.h"

namespace graze {
namespace rigid_detail {

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
        const std::int64_t p = segment_of(offsets, pair_room, static_cast<std::uint64_t>(item));
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

}  // namespace rigid_detail
}  // namespace graze

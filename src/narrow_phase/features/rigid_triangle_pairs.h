// The first stages of Method::features: from pairs of bodies to pairs of triangles whose boxes
// touch (rigid_features_impl.h).
#pragma once

#include "core/segment_of.h"
#include "geometry/bvh/bvh_traverse.h"
#include "narrow_phase/features/rigid_pairs.h"

namespace graze {
namespace rigid_detail {

// Counts the blocks of triangles of a pair's smaller mesh.
struct CountBlocks {
    RigidPairs pairs;
    std::uint64_t* counts;  // out, by pair

    GRAZE_HD void operator()(std::int64_t p) const {
        counts[p] = 0;
        if (static_cast<std::uint64_t>(p) >= *pairs.step.pair_count) return;
        const IndexPair pair = pairs.step.pairs[p];
        counts[p] = static_cast<std::uint64_t>(
            min_of(pairs.mesh(pair.a).block_count(), pairs.mesh(pair.b).block_count()));
    }
};

// The boxes of a node or block in the world, at both ends of the step: corners move straight, so
// that the box of both contains the way between.
GRAZE_INLINE Aabb reached_box(const BodyMesh& body, bool moves, const Aabb& box, float margin) {
    const Aabb begin = pose_box(body.pose_t0, box, margin);
    return moves ? merge(begin, pose_box(body.pose_t1, box, margin)) : begin;
}

// Counts the triangles of a block that walk the other's tree: none where the block is apart from
// the box of the other body.
struct CountTriangles {
    RigidPairs pairs;
    const std::uint64_t* offsets;  // of blocks, by pair; the last one is the total
    std::uint64_t* counts;         // out, by block

    GRAZE_HD void operator()(std::int64_t item) const {
        counts[item] = 0;
        const auto index = static_cast<std::uint64_t>(item);
        if (index >= offsets[pairs.step.pair_room]) return;
        const std::int64_t p = segment_of(offsets, pairs.step.pair_room, index);
        const IndexPair pair = pairs.step.pairs[p];
        const bool is_of_a = pairs.walks_tree_of_b(pair);
        const std::uint32_t own = is_of_a ? pair.a : pair.b, other = is_of_a ? pair.b : pair.a;
        const BodyMesh body = pairs.body(own);
        const auto block = static_cast<std::int64_t>(index - offsets[p]);
        const Aabb box = reached_box(body, pairs.moves(own), body.mesh.block_boxes[block],
                                     static_cast<float>(pairs.gap));
        if (!overlap(box, pairs.step.boxes[other])) return;
        const std::int64_t first = block * ShapeMesh::kBlockTriangles;
        counts[item] = static_cast<std::uint64_t>(
            min_of(std::int64_t{ShapeMesh::kBlockTriangles}, body.mesh.triangle_count - first));
    }
};

// Two triangles of a pair's bodies whose boxes touch.
struct TrianglePair {
    std::uint32_t pair;  // index of the pair of bodies
    std::uint32_t a, b;  // triangles of body_a and body_b
};

// The walk of a triangle through the tree of the other body, as a query of bvh_traverse.h.
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
        return overlap(reached_box(body, moves, node, 0), box) ? 0 : kSkipped;
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

// The triangles of all pairs in one sequence, block by block.
struct TriangleItems {
    RigidPairs pairs;
    const std::uint64_t* block_offsets;  // by pair; the last one is the total
    const std::uint64_t* offsets;        // by block; the last one is the total
    std::int64_t block_room;

    // Lets the item's triangle walk the tree of the other body, with what make(pair, triangle,
    // whether it is of a) gives as the visitor, and returns that.
    template <class Visit, class MakeVisit>
    GRAZE_INLINE Visit walk(std::int64_t item, const MakeVisit& make) const {
        const auto index = static_cast<std::uint64_t>(item);
        if (index >= offsets[block_room]) return make(0, 0, false);
        const std::int64_t block = segment_of(offsets, block_room, index);
        const std::int64_t p =
            segment_of(block_offsets, pairs.step.pair_room, static_cast<std::uint64_t>(block));
        const IndexPair pair = pairs.step.pairs[p];
        const bool is_of_a = pairs.walks_tree_of_b(pair);
        const BodyMesh own = pairs.body(is_of_a ? pair.a : pair.b);
        const std::uint32_t other = is_of_a ? pair.b : pair.a;
        // In the order of the tree, so that neighbouring threads have neighbouring triangles.
        const std::uint64_t first_slot =
            (static_cast<std::uint64_t>(block) - block_offsets[p]) * ShapeMesh::kBlockTriangles;
        const std::uint32_t triangle =
            own.mesh.tree.primitives[first_slot + index - offsets[block]];
        const Aabb box = rounded_out(MovingTriangle(own, triangle).box(), pairs.gap);
        const BodyMesh body = pairs.body(other);
        TouchTree<Visit> query{body, pairs.moves(other), box,
                               make(static_cast<std::uint32_t>(p), triangle, is_of_a)};
        if (overlap(box, pairs.step.boxes[other])) traverse(body.mesh.tree, query);
        return query.visit_triangle;
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
        counts[item] = items.walk<CountTriangle>(item, Make{}).count;
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
        if (begin < end) items.walk<StoreTriangle>(item, Make{found + begin, found + end});
    }
};

}  // namespace rigid_detail
}  // namespace graze

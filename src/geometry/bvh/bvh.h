// Bvh: a binary tree of boxes over n primitives, the same tree on both machines, given the same
// boxes.
//
// Primitives are known by slots: indices into a spatially coherent order. primitives[slot] is the
// caller's index.
#pragma once

#include <cstdint>

#include "graze/aabb.h"
#include "parallel/buffer.h"

namespace graze {

// An inner node holds its children's boxes, so that one visit of 64 bytes decides about both.
struct alignas(64) BvhNode {
    Aabb box[2];            // [m] of the children
    std::int32_t child[2];  // a node where >= 0, else ~slot of a primitive
    std::int32_t parent;    // -1 for the root
    std::int32_t count;     // primitives below this node
};

// No path from the root is longer, whatever the input (see bvh_build_impl.h). It is the size of a
// traversal's stack.
constexpr int kBvhMaxDepth = 96;

// Twice a node's index has to fit 32 bits.
constexpr std::int64_t kBvhMaxPrimitives = std::int64_t{1} << 30;

struct BvhView {
    // The root is nodes[0]; a single primitive's root has an empty second box.
    const BvhNode* nodes;
    const std::uint32_t* primitives;   // by slot
    const std::int32_t* leaf_parents;  // by slot: the node that holds the primitive's box
    std::int64_t primitive_count;
    // True for BvhQuality::fast: all slots below a left child are lower than those below its
    // sibling, and an inner left child's own index is the last of its slots.
    bool is_ordered;
};

struct Bvh {
    explicit Bvh(Memory& memory) : nodes(memory), primitives(memory), leaf_parents(memory) {}

    BvhView view() const {
        return {nodes.data(), primitives.data(), leaf_parents.data(), primitives.size(),
                is_ordered};
    }

    Buffer<BvhNode> nodes;
    Buffer<std::uint32_t> primitives;
    Buffer<std::int32_t> leaf_parents;
    bool is_ordered = false;
};

enum class BvhQuality {
    fast,  // LBVH: splits of the Morton order; no host wait, for trees that live one step
    high,  // PLOC: merges neighbours by surface area; slower to build, faster to query
};

// Memory that building and refitting need beside the result; keep it to build again without
// allocation.
struct BvhWorkspace {
    explicit BvhWorkspace(Memory& memory)
        : codes(memory),
          sorted_codes(memory),
          indices(memory),
          bounds(memory),
          cluster_boxes{Buffer<Aabb>(memory), Buffer<Aabb>(memory)},
          cluster_refs{Buffer<std::int32_t>(memory), Buffer<std::int32_t>(memory)},
          neighbours(memory),
          steps(memory),
          step_sums(memory),
          arrivals(memory) {}

    Buffer<std::uint64_t> codes, sorted_codes;
    Buffer<std::uint32_t> indices;
    Buffer<Aabb> bounds;                   // one element: the box of all centres
    Buffer<Aabb> cluster_boxes[2];         // PLOC: this iteration's clusters and the next's
    Buffer<std::int32_t> cluster_refs[2];  // as BvhNode::child
    Buffer<std::int32_t> neighbours;
    Buffer<std::uint64_t> steps, step_sums;  // PLOC: kept clusters and new nodes, counted together
    Buffer<std::uint32_t> arrivals;          // refit: how many children of a node are done
};

// Builds the tree over boxes[0..count) in the executor's memory. Boxes must be finite and not
// empty; count is at most kBvhMaxPrimitives.
template <class Executor>
void build_bvh(Executor& executor, const Aabb* boxes, std::int64_t count, BvhQuality quality,
               Bvh& bvh, BvhWorkspace& workspace);

// Gives the nodes the boxes of moved primitives (indexed as at the build) and keeps the tree's
// shape.
template <class Executor>
void refit_bvh(Executor& executor, const Aabb* boxes, Bvh& bvh, BvhWorkspace& workspace);

}  // namespace graze

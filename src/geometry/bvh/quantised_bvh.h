// QuantisedBvh: a TriangleBvh with up to eight children a node, whose boxes are stored in eight
// bits a plane; for rays on the device, where one visit of 80 bytes decides about eight boxes.
// After Ylitie, Karras and Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed
// Wide BVHs" (2017). Where graze differs is said in quantised_bvh_impl.h and quantised_traverse.h.
#pragma once

#include "geometry/bvh/collapse_bvh.h"
#include "geometry/bvh/triangle_bvh.h"

namespace graze {

// Nodes and triangles lie in one array of 16-byte units, the children of a node side by side, first
// the nodes (5 units each), then the triangles (3 units, a BvhTriangle each), in the order of
// slots.
struct alignas(16) QuantisedUnit {
    std::uint32_t words[4];
};

struct alignas(16) QuantisedNode {
    // Planes are at origin + q * 2^(exponent - 127), q in 0..255. [m]
    Vec3 origin;
    // Bytes 0 to 2: the exponents of x, y, z. Byte 3, the same in all nodes: the exponent of the
    // largest coordinate in the tree.
    std::uint32_t exponents;
    // Slots 0..3 and 4..7, a byte each. A child's slot says where it lies as seen from the node's
    // centre: bit 0, 1, 2 set where that is towards positive x, y, z. A node without nodes below
    // may have less than eight children: in the first slots, in any order; the others hold a box
    // that no ray meets.
    struct Half {
        std::uint32_t lower[3];
        // Byte k of half h: in which slots there are nodes, bit i for slot i ^ (4 h + k).
        std::uint32_t inner;
        std::uint32_t upper[3];
        std::uint32_t more;  // in half 0 the unit of the first child, in half 1 their number
    } half[2];
};
constexpr int kNodeUnits = 5, kTriangleUnits = 3;
static_assert(sizeof(QuantisedNode) == kNodeUnits * sizeof(QuantisedUnit));
static_assert(sizeof(BvhTriangle) == kTriangleUnits * sizeof(QuantisedUnit));

// A unit's index has to fit 32 bits.
constexpr std::int64_t kQuantisedBvhMaxPrimitives = std::int64_t{1} << 28;

struct QuantisedBvhView {
    const QuantisedUnit* units;  // the root is at unit 0
    BvhView tree;                // the tree that it is made from, for rays that it cannot serve
};

struct QuantisedBvh {
    explicit QuantisedBvh(Memory& memory)
        : units(memory), unit_of_node(memory), sources(memory), workspace(memory) {}

    QuantisedBvhView view(const TriangleBvh& bvh) const { return {units.data(), bvh.tree.view()}; }

    struct Sources {
        std::int32_t of_slot[kWideBvhWidth];  // 2 * binary node + side; -1 for an empty slot
    };

    Buffer<QuantisedUnit> units;
    // By node, level by level: its first unit, and where the boxes of its children come from.
    Buffer<std::uint32_t> unit_of_node;
    Buffer<Sources> sources;
    CollapseWorkspace workspace;
};

// Throws Error above kQuantisedBvhMaxPrimitives triangles. Waits once a level, about ten times for
// a million triangles.
template <class Executor>
void build_quantised_bvh(Executor& executor, const TriangleBvh& bvh, QuantisedBvh& quantised);
// Takes over the boxes and corners of a refitted TriangleBvh.
template <class Executor>
void refit_quantised_bvh(Executor& executor, const TriangleBvh& bvh, QuantisedBvh& quantised);

}  // namespace graze

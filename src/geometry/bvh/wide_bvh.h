// WideBvh: a TriangleBvh with up to eight children a node and up to eight triangles a leaf, which
// eight SIMD lanes test at once (wide_traverse.h); for the host. Queries and their answers are the
// same as for the TriangleBvh that it is made from.
#pragma once

#include "geometry/bvh/collapse_bvh.h"
#include "geometry/bvh/triangle_bvh.h"

namespace graze {

struct alignas(64) WideBvhNode {
    // [m] min x, y, z and max x, y, z of the children; empty where there are fewer.
    float bounds[6][kWideBvhWidth];
    // A child is a node where >= 0, else ~index of a packet.
    std::int32_t child[kWideBvhWidth];
    // Where the box comes from, as 2 * binary node + side; -1 where there is none.
    std::int32_t source[kWideBvhWidth];
};

struct alignas(64) TrianglePacket {
    // [m] by corner, axis and lane; unused lanes repeat the first triangle.
    float corner[3][3][kWideBvhWidth];
    std::uint32_t index[kWideBvhWidth];  // the caller's
    std::uint32_t slot[kWideBvhWidth];   // where the triangle is in the TriangleBvh
};

struct WideBvhView {
    const WideBvhNode* nodes;  // the root is nodes[0]
    const TrianglePacket* packets;
    std::int64_t node_count;
};

struct WideBvh {
    explicit WideBvh(Memory& memory) : nodes(memory), packets(memory), workspace(memory) {}

    WideBvhView view() const { return {nodes.data(), packets.data(), nodes.size()}; }

    Buffer<WideBvhNode> nodes;
    Buffer<TrianglePacket> packets;
    CollapseWorkspace workspace;
};

// Waits once a level, about eight times for a million triangles.
template <class Executor>
void build_wide_bvh(Executor& executor, const TriangleBvh& bvh, WideBvh& wide);
// Takes over the boxes and corners of a refitted TriangleBvh.
template <class Executor>
void refit_wide_bvh(Executor& executor, const TriangleBvh& bvh, WideBvh& wide);

}  // namespace graze

// WideBvh: a TriangleBvh with up to eight children a node and up to eight triangles a leaf, which
// are tested at once: by eight SIMD lanes on the host (wide_traverse.h), by eight threads on a GPU
// (wide_traverse_cuda.h). Queries and their answers are the same as for the TriangleBvh that it is
// made from.
#pragma once

#include "geometry/triangle_bvh.h"

namespace graze {

constexpr int kWidth = 8;

struct alignas(64) WideBvhNode {
    float bounds[6][kWidth];  // [m] min x, y, z and max x, y, z of the children; empty where there
                              // are fewer
    std::int32_t child[kWidth];   // a node where >= 0, else ~index of a packet
    std::int32_t source[kWidth];  // where the box comes from: 2 * binary node + side; -1 for none
};

struct alignas(64) TrianglePacket {
    float corner[3][3][kWidth];   // [m] corner, axis, lane; unused lanes repeat the first triangle
    std::uint32_t index[kWidth];  // the caller's
    std::uint32_t slot[kWidth];   // where the triangle is in the TriangleBvh
};

struct WideBvhView {
    const WideBvhNode* nodes;  // the root is nodes[0]
    const TrianglePacket* packets;
    std::int64_t node_count;
};

struct WideBvh {
    explicit WideBvh(Memory& memory)
        : nodes(memory),
          packets(memory),
          roots{Buffer<std::int32_t>(memory), Buffer<std::int32_t>(memory)},
          child_counts(memory),
          child_offsets(memory) {}

    WideBvhView view() const { return {nodes.data(), packets.data(), nodes.size()}; }

    Buffer<WideBvhNode> nodes;
    Buffer<TrianglePacket> packets;
    // For building; kept so that building again allocates nothing.
    Buffer<std::int32_t> roots[2];
    Buffer<std::uint64_t> child_counts, child_offsets;
};

// Waits once a level (about eight times for a million triangles).
template <class Executor>
void build_wide_bvh(Executor& executor, const TriangleBvh& bvh, WideBvh& wide);
// Takes over the boxes and corners of a refitted TriangleBvh.
template <class Executor>
void refit_wide_bvh(Executor& executor, const TriangleBvh& bvh, WideBvh& wide);

}  // namespace graze

// What all trees have in common that are made by collapsing a Bvh (collapse_bvh_impl.h): the most
// children of a node, and the memory that the collapse needs.
#pragma once

#include "geometry/bvh/bvh.h"

namespace graze {

constexpr int kWideBvhWidth = 8;

// Memory that collapse_bvh() needs beside its result; keep it to collapse again without allocation.
struct CollapseWorkspace {
    explicit CollapseWorkspace(Memory& memory)
        : roots{Buffer<std::int32_t>(memory), Buffer<std::int32_t>(memory)},
          child_counts(memory),
          child_offsets(memory) {}

    // By node of this level and of the next one: the binary node whose subtree it stands for.
    Buffer<std::int32_t> roots[2];
    // By node of this level: its inner children (low half) and the units that its children take
    // (high half), and the sums of those before it.
    Buffer<std::uint64_t> child_counts, child_offsets;
};

}  // namespace graze

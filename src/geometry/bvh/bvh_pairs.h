// BvhPairs: all pairs of primitives whose boxes touch, each once.
#pragma once

#include "geometry/bvh/bvh.h"

namespace graze {

struct IndexPair {
    std::uint32_t a, b;  // a < b
};

// Accepts every pair whose boxes touch.
struct AcceptAll {
    GRAZE_HD bool operator()(std::uint32_t, std::uint32_t) const { return true; }
};

struct BvhPairs {
    explicit BvhPairs(Memory& memory) : pairs(memory), counts(memory), offsets(memory) {}

    Buffer<IndexPair> pairs;  // in a fixed order, the same on every machine
    // By slot: pairs, and pairs of the slots before it.
    Buffer<std::uint64_t> counts, offsets;
};

// boxes, by primitive, are those that the tree was built or refitted with. Waits once, for the
// number of pairs.
template <class Executor>
void find_self_overlaps(Executor& executor, const Bvh& bvh, const Aabb* boxes, BvhPairs& result);

}  // namespace graze

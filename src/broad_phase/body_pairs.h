// BodyPairs: all pairs of bodies whose boxes touch and whose masks agree.
#pragma once

#include "broad_phase/box_tree.h"
#include "geometry/bvh/bvh_pairs.h"

namespace graze {

// Which bodies a body may touch; see Body.
struct BodyFilter {
    std::uint32_t group, mask;
    std::uint32_t is_static;  // 0 or 1
};

GRAZE_INLINE bool can_touch(const BodyFilter& a, const BodyFilter& b) {
    return (a.mask & b.group) != 0 && (b.mask & a.group) != 0 && !(a.is_static && b.is_static);
}

struct BodyPairs {
    explicit BodyPairs(Memory& memory)
        : pairs(memory),
          count(memory),
          tree(memory),
          filters(memory),
          partners(memory),
          counts(memory),
          offsets(memory),
          keys(memory),
          sorted_keys(memory) {}

    // Pairs are ascending by a, then b. On the host there are as many as found. On the device the
    // buffer's size is the room there is, so that the host need not wait: count says how many were
    // found, and where that is more than the room, those beyond it are missing and the caller makes
    // room and asks again. Where it is less, the entries behind hold pairs of no bodies.
    Buffer<IndexPair> pairs;
    Buffer<std::uint64_t> count;  // one element

    // What is needed to find them.
    BoxTree tree;
    Buffer<BodyFilter> filters;             // by slot of the tree
    Buffer<std::uint32_t> partners;         // the first few of each slot
    Buffer<std::uint64_t> counts, offsets;  // of pairs, by slot
    Buffer<std::uint64_t> keys, sorted_keys;
};

// boxes may be infinite along any axis (planes, terrain); empty ones touch nothing, none is NaN.
// There are at most 2^27 bodies. Does not wait.
template <class Executor>
void find_body_pairs(Executor& executor, const Aabb* boxes, const BodyFilter* filters,
                     std::int64_t body_count, BodyPairs& result);

}  // namespace graze

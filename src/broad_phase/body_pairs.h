// All pairs of bodies whose boxes touch and whose masks agree.
#pragma once

#include "geometry/bvh.h"
#include "geometry/bvh_pairs.h"

namespace graze {

// Who may touch whom; see Body.
struct BodyFilter {
    std::uint32_t group, mask;
    std::uint32_t is_static;  // 0 or 1
};

GRAZE_INLINE bool can_touch(const BodyFilter& a, const BodyFilter& b) {
    return (a.mask & b.group) != 0 && (b.mask & a.group) != 0 && !(a.is_static && b.is_static);
}

struct BodyPairs {
    explicit BodyPairs(Memory& memory);

    // Ascending by a, then b. On the host as many as there are. On the device the buffer's size is
    // the room there is, so that the host need not wait: count says how many there are, and where
    // that is more than the room, those beyond it are missing and the caller makes room and asks
    // again.
    Buffer<IndexPair> pairs;
    Buffer<std::uint64_t> count;  // one
};

// boxes may be infinite along any axis (planes, terrain); none is empty or NaN. Does not wait.
template <class Executor>
void find_body_pairs(Executor& executor, const Aabb* boxes, const BodyFilter* filters,
                     std::int64_t body_count, BodyPairs& result);

}  // namespace graze

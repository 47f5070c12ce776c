// LaneGroup: tuples of vertices that wait until there are eight, to be looked at together. Host
// only.
#pragma once

#include <cstdint>

#include "core/lanes.h"

namespace graze {

template <int kVertexCount, class Tag>
struct LaneGroup {
    // Lanes beyond the count hold vertices of earlier tuples, or the first one of all.
    std::uint32_t vertices[kVertexCount][kLaneCount] = {};
    Tag tags[kLaneCount] = {};
    int count = 0;

    // True where the group is full.
    GRAZE_INLINE bool push(const std::uint32_t (&tuple)[kVertexCount], const Tag& tag) {
        for (int i = 0; i < kVertexCount; ++i)
            vertices[i][count] = tuple[i];
        tags[count] = tag;
        return ++count == kLaneCount;
    }
    // A bit for each that waits.
    GRAZE_INLINE std::uint32_t lanes() const { return (1u << count) - 1; }
};

}  // namespace graze

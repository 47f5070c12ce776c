// LaneGroup holds tuples of vertices until there are eight, to be tested together. Host only.
#pragma once

#include <cstdint>

#include "core/lanes.h"

namespace graze {

template <int kVertexCount, class Tag>
struct LaneGroup {
    // Lanes beyond the count hold vertices of earlier tuples, or vertex 0.
    std::uint32_t vertices[kVertexCount][kLaneCount] = {};
    Tag tags[kLaneCount] = {};
    int count = 0;

    // Adds a tuple and returns true where the group is full.
    GRAZE_INLINE bool push(const std::uint32_t (&tuple)[kVertexCount], const Tag& tag) {
        for (int i = 0; i < kVertexCount; ++i)
            vertices[i][count] = tuple[i];
        tags[count] = tag;
        return ++count == kLaneCount;
    }
    // Returns a mask with a bit set for each tuple that waits.
    GRAZE_INLINE std::uint32_t lanes() const { return (1u << count) - 1; }
};

}  // namespace graze

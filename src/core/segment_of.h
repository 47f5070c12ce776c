// segment_of: which of several segments an item belongs to, where they follow each other in one
// sequence.
#pragma once

#include <cstdint>

#include "graze/hd.h"

namespace graze {

// The last segment that begins at or before the item, by bisection. Segments begin at
// begins[0..count), ascending from 0.
template <class Index>
GRAZE_INLINE std::int64_t segment_of(const Index* begins, std::int64_t count, Index item) {
    std::int64_t low = 0, beyond = count;
    while (low + 1 < beyond) {
        const std::int64_t middle = low + (beyond - low) / 2;
        if (begins[middle] <= item) {
            low = middle;
        } else {
            beyond = middle;
        }
    }
    return low;
}

}  // namespace graze

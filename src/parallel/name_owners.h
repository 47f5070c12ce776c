// NameOwners: where items are cut into chunks of work, which item each chunk belongs to.
#pragma once

#include <cstdint>

#include "graze/hd.h"

namespace graze {

// One work item an item.
struct NameOwners {
    const std::uint64_t* sums;  // by item: the chunks before its own; then all
    std::uint32_t* owners;      // by chunk
    GRAZE_HD void operator()(std::int64_t item) const {
        for (std::uint64_t chunk = sums[item]; chunk < sums[item + 1]; ++chunk)
            owners[chunk] = static_cast<std::uint32_t>(item);
    }
};

}  // namespace graze

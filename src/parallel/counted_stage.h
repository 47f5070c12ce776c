// CountedStage: the middle of count, scan, fill. A stage whose items write a varying number of
// elements counts them first, and the sums of the counts say where each item begins to write.
#pragma once

#include <cstdint>

#include "parallel/buffer.h"

namespace graze {

struct CountedStage {
    explicit CountedStage(Memory& memory) : counts(memory), offsets(memory) {}

    void resize(std::int64_t item_count) {
        counts.resize(item_count);
        offsets.resize(item_count + 1);
    }
    // Makes the offsets from the counts. The name is the label in profiles.
    template <class Executor>
    void scan(Executor& executor, const char* name) {
        executor.exclusive_scan(name, counts.data(), offsets.data(), counts.size());
    }
    // How many elements there are of all items, in the executor's memory.
    const std::uint64_t* total() const { return offsets.data() + counts.size(); }

    Buffer<std::uint64_t> counts;   // by item
    Buffer<std::uint64_t> offsets;  // one more; the last is the total
};

}  // namespace graze

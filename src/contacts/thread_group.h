// The group of threads that reduces the contacts of a pair: one thread on the host, a warp or a
// block on the device (block_group.h). A reduction is written once, for any of them: the threads
// share out the elements by rank and meet in the calls below, which all of them make.
#pragma once

#include <cstdint>
#include <limits>

#include "graze/hd.h"

namespace graze {

// What stands for a contact that is not kept.
inline constexpr std::uint32_t kNoPick = 0xffffffffu;

// One of several to choose from: the larger value wins, of equals the lower pick.
struct Candidate {
    double value;
    std::uint32_t pick;   // an index among the pair's contacts
    std::uint32_t index;  // of the pick among the pair's picks

    // A candidate that comes behind any other.
    GRAZE_INLINE static Candidate none() {
        return {-std::numeric_limits<double>::infinity(), kNoPick, 0};
    }
    GRAZE_INLINE bool is_before(const Candidate& other) const {
        return value > other.value || (value == other.value && pick < other.pick);
    }
};

class OneThread {
public:
    GRAZE_INLINE static std::uint32_t rank() { return 0; }
    GRAZE_INLINE static std::uint32_t size() { return 1; }
    // Memory that all threads of the group see.
    GRAZE_INLINE std::uint32_t* bins() { return bins_; }

    // All threads see after it what any thread wrote before it.
    GRAZE_INLINE void sync() {}
    // The sum over the threads of lower rank, and over all. It is also a sync.
    GRAZE_INLINE std::uint32_t sum_before(std::uint32_t value, std::uint32_t& total) {
        total = value;
        return 0;
    }
    // The first of all threads' candidates. It is also a sync.
    GRAZE_INLINE Candidate first_of(const Candidate& own) { return own; }

    // Each thread calls these two when it likes.
    GRAZE_INLINE static void add_one(std::uint32_t* target) { ++*target; }
    // Replaces what is in the target by value if that is expected; returns what was there.
    GRAZE_INLINE static std::uint32_t exchange(std::uint32_t* target, std::uint32_t expected,
                                               std::uint32_t value) {
        const std::uint32_t old = *target;
        if (old == expected) *target = value;
        return old;
    }

    static constexpr std::uint32_t kBinCount = 256;

private:
    std::uint32_t bins_[kBinCount];
};

}  // namespace graze

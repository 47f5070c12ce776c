// PairPicks: the contacts of one pair, and which of them are kept so far.
#pragma once

#include "contacts/thread_group.h"
#include "graze/contact.h"

namespace graze {

// Every reduction takes the first `count` picks and leaves fewer, at the front.
struct PairPicks {
    const Contact* contacts;  // of the pair; fewer than 2^31
    std::uint32_t* picks;     // indices of contacts; the array is as long as theirs
    std::uint64_t* scratch;   // for a reduction's own use, as long too

    GRAZE_INLINE const Contact& contact(std::uint32_t i) const { return contacts[picks[i]]; }
};

// Keeps the picks that keep(pick) wants, in their order, and returns how many.
template <class Group, class Keep>
GRAZE_INLINE std::uint32_t keep_picks(Group& group, const PairPicks& pair, std::uint32_t count,
                                      const Keep& keep) {
    std::uint32_t kept = 0;
    for (std::uint32_t first = 0; first < count; first += group.size()) {
        const std::uint32_t i = first + group.rank();
        const std::uint32_t pick = i < count ? pair.picks[i] : kNoPick;
        const bool is_kept = i < count && keep(pick);
        // All threads have read before one writes, and none writes where another has yet to read.
        std::uint32_t total = 0;
        const std::uint32_t before = group.sum_before(is_kept ? 1 : 0, total);
        if (is_kept) pair.picks[kept + before] = pick;
        kept += total;
    }
    group.sync();
    return kept;
}

}  // namespace graze

// PairPicks: the contacts of one pair, and which of them are still in.
#pragma once

#include "contacts/thread_group.h"
#include "graze/contact.h"

namespace graze {

// Every reduction takes the first `count` picks and leaves fewer, at the front.
struct PairPicks {
    const Contact* contacts;  // of the pair; fewer than 2^31
    std::uint32_t* picks;     // positions among them, as many places as contacts
    std::uint64_t* room;      // for a reduction's own use, likewise

    GRAZE_INLINE const Contact& contact(std::uint32_t place) const {
        return contacts[picks[place]];
    }
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
        // All have read before one writes, and nobody writes where another has yet to read.
        std::uint32_t total = 0;
        const std::uint32_t before = group.sum_before(is_kept ? 1 : 0, total);
        if (is_kept) pair.picks[kept + before] = pick;
        kept += total;
    }
    group.sync();
    return kept;
}

}  // namespace graze

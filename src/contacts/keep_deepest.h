// keep_deepest: the k deepest contacts of a pair, in the order of the list.
//
// Each contact gets a key of its own, by depth and then by index. Among few, a contact counts those
// before it. Among many, the key that separates the first k from the others is found digit by digit
// from the highest (radix select), and no further than necessary: without equal depths two or three
// of the eight digits suffice.
#pragma once

#include <bit>

#include "contacts/pair_picks.h"

namespace graze {
namespace contacts_detail {

// Up to so many contacts are ranked by counting, which is faster below about 70 on the host.
inline constexpr std::uint32_t kFewContacts = 64;

// Bits that are in the order of the floats, the two zeros being equal.
GRAZE_INLINE std::uint32_t ordered_bits(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x + 0.0f);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

GRAZE_INLINE std::uint64_t depth_key(const Contact* contacts, std::uint32_t pick) {
    return static_cast<std::uint64_t>(ordered_bits(contacts[pick].distance)) << 32 | pick;
}

struct IsAmongFirst {
    const Contact* contacts;
    const std::uint64_t* keys;
    std::uint32_t count, wanted;
    GRAZE_INLINE bool operator()(std::uint32_t pick) const {
        const std::uint64_t key = depth_key(contacts, pick);
        std::uint32_t before = 0;
        for (std::uint32_t i = 0; i < count; ++i)
            before += keys[i] < key ? 1 : 0;
        return before < wanted;
    }
};

// True for keys whose leading digits are not above the given ones.
struct IsUpTo {
    const Contact* contacts;
    std::uint64_t leading;
    int shift;
    GRAZE_INLINE bool operator()(std::uint32_t pick) const {
        return depth_key(contacts, pick) >> shift <= leading;
    }
};

// Counts, in the bins, the next digits of the keys that begin with the leading digits found so far.
template <class Group>
GRAZE_INLINE void count_next_digits(Group& group, const std::uint64_t* keys, std::uint32_t count,
                                    std::uint64_t leading, int shift) {
    for (std::uint32_t bin = group.rank(); bin < Group::kBinCount; bin += group.size())
        group.bins()[bin] = 0;
    group.sync();
    for (std::uint32_t i = group.rank(); i < count; i += group.size()) {
        const std::uint64_t key = keys[i] >> shift;
        if (key >> 8 == leading) Group::add_one(group.bins() + (key & 255));
    }
    group.sync();
}

struct DigitBin {
    std::uint32_t digit, before, count;  // before: in lower bins
};
// The bin that the wanted-th key is in, counted from 1.
template <class Group>
GRAZE_INLINE DigitBin find_bin(Group& group, std::uint32_t wanted) {
    const std::uint32_t share =
        group.size() < Group::kBinCount ? Group::kBinCount / group.size() : 1;
    const std::uint32_t first = group.rank() * share;
    std::uint32_t* bins = group.bins();
    std::uint32_t own = 0, total = 0;
    for (std::uint32_t k = 0; k < share && first + k < Group::kBinCount; ++k)
        own += bins[first + k];
    std::uint32_t before = group.sum_before(own, total);
    // One thread has it, and tells the others by the bins, whose counts are not needed any more.
    if (before < wanted && wanted <= before + own) {
        std::uint32_t digit = first;
        for (; before + bins[digit] < wanted; ++digit)
            before += bins[digit];
        const std::uint32_t count = bins[digit];
        bins[0] = digit;
        bins[1] = before;
        bins[2] = count;
    }
    group.sync();
    const DigitBin found{bins[0], bins[1], bins[2]};
    group.sync();
    return found;
}

template <class Group>
GRAZE_INLINE IsUpTo find_limit(Group& group, const PairPicks& pair, std::uint32_t count,
                               std::uint32_t wanted) {
    std::uint64_t leading = 0;
    for (int shift = 56;; shift -= 8) {
        count_next_digits(group, pair.scratch, count, leading, shift);
        const DigitBin bin = find_bin(group, wanted);
        leading = leading << 8 | bin.digit;
        wanted -= bin.before;
        // All of the bin is wanted. With the last digit there is one key in it, as no two are
        // equal.
        if (wanted == bin.count) return {pair.contacts, leading, shift};
    }
}

}  // namespace contacts_detail

template <class Group>
GRAZE_HD std::uint32_t keep_deepest(Group& group, const PairPicks& pair, std::uint32_t count,
                                    std::uint32_t wanted) {
    using namespace contacts_detail;
    if (count <= wanted) return count;
    for (std::uint32_t i = group.rank(); i < count; i += group.size())
        pair.scratch[i] = depth_key(pair.contacts, pair.picks[i]);
    group.sync();
    if (count <= kFewContacts) {
        return keep_picks(group, pair, count,
                          IsAmongFirst{pair.contacts, pair.scratch, count, wanted});
    }
    return keep_picks(group, pair, count, find_limit(group, pair, count, wanted));
}

}  // namespace graze

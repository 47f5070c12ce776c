// SleepingRays: which vertices of a block need no ray for a while, and for how long.
//
// A vertex outside of the other body, at some distance from it, cannot be inside before the pair
// has moved by that distance. Until then it sleeps: it is neither looked at nor cast. How far the
// pair may move is a byte for each vertex, in units of the pair, so that a block of 32 is decided
// by a few operations on words.
#pragma once

#include "graze/hd.h"

#include <cstdint>

namespace graze {

class SleepingRays {
public:
    static constexpr std::int32_t kMost = 127;  // units

    GRAZE_INLINE static SleepingRays none() { return {}; }

    // The vertices that sleep on where the pair has moved by less than so many units and one.
    GRAZE_INLINE std::uint32_t mask(std::int32_t moved) const {
        if (moved >= kMost) return 0;
        std::uint32_t all = 0;
        for (int i = 0; i < 4; ++i) {
            // The lowest bits of bytes above the limit, gathered in the highest byte.
            const std::uint64_t ones = above(words_[i], moved) >> 7;
            all |= static_cast<std::uint32_t>(ones * 0x0102040810204080u >> 56) << (8 * i);
        }
        return all;
    }
    GRAZE_INLINE std::uint32_t count() const {
        std::uint64_t ones = 0;  // byte by byte, at most 4
        for (int i = 0; i < 4; ++i)
            ones += above(words_[i], 0) >> 7;
        return static_cast<std::uint32_t>(ones * 0x0101010101010101u >> 56);
    }
    // Takes so many units from each; those that have no more are awake.
    GRAZE_INLINE void spend(std::int32_t units) {
        for (int i = 0; i < 4; ++i) {
            if (units >= kMost) {
                words_[i] = 0;
                continue;
            }
            const std::uint64_t kept = (above(words_[i], units) >> 7) * 0xff;
            words_[i] = (words_[i] & kept) - (spread(units) & kept);
        }
    }
    // 0 and less: it is awake.
    GRAZE_INLINE void set(std::uint32_t vertex, std::int32_t units) {
        const std::uint32_t shift = 8 * (vertex % 8);
        const std::uint64_t byte = units > 0 ? static_cast<std::uint64_t>(units) : 0;
        std::uint64_t& word = words_[vertex / 8];
        word = (word & ~(std::uint64_t{0xff} << shift)) | byte << shift;
    }

private:
    GRAZE_INLINE static std::uint64_t spread(std::int32_t units) {
        return static_cast<std::uint64_t>(units) * 0x0101010101010101u;
    }
    // The highest bit of each byte that is above a limit, below kMost; bytes are at most kMost.
    GRAZE_INLINE static std::uint64_t above(std::uint64_t word, std::int32_t limit) {
        return (word + spread(kMost - limit)) & 0x8080808080808080u;
    }

    std::uint64_t words_[4] = {0, 0, 0, 0};
};

}  // namespace graze

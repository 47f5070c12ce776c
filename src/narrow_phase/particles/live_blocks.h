// Which blocks of each pair's grid can hold any of the intersection. Most pairs whose boxes touch
// have none, and most blocks of the others are left out, before any particle begins.
//
// A pair's region is cut in blocks of 2^level cells along a side, eight of them at most. Those that
// cannot be left out (cull_cells.h) are halved, level by level, down to the blocks whose cells come
// together in chunks (PairRegion::levels). Which of these are left is kept as one bit each, in the
// order of their indices, so that what is found does not depend on how they were looked at.
//
// A block above that level is left out only where each of its cells would be left out by itself
// (BoxBound). So the search finds the very same contacts as one that asks for every block of
// PairRegion::levels, where fields are within their error of the distance on both sides. Where one
// is less, a lower bound, both leave out only what cannot touch, and this one leaves out more.
#pragma once

#include "core/bits.h"
#include "narrow_phase/particles/cull_cells.h"

namespace graze {

constexpr int kBlockWords = kMostBlocks / 32;

// The index of the block that has so many of those that are left before it.
GRAZE_INLINE std::uint32_t nth_live_block(const std::uint32_t* words, std::uint32_t rank) {
    int word = 0;
    for (; word < kBlockWords - 1; ++word) {
        const std::uint32_t count = count_ones(words[word]);
        if (rank < count) break;
        rank -= count;
    }
    std::uint32_t rest = words[word];
    while (rank-- > 0)
        rest &= rest - 1;
    return static_cast<std::uint32_t>(word) * 32 + trailing_zeros(rest);
}

// Makes the regions of pairs and finds their blocks.
template <class Lookup>
struct ListLiveBlocks {
    static constexpr int kBlockSize = 128;  // threads that look at a pair together on the device

    MakePairRegion regions;
    Lookup lookup;
    float offset;         // [m] half of the gap
    std::uint32_t* live;  // out: bits, kBlockWords words a pair

    // On the device i is of a thread, on the host of a pair.
    GRAZE_HD void operator()(std::int64_t i) const {
        const std::int64_t pair = i / kThreads;
        const int thread = static_cast<int>(i - pair * kThreads);
        if (thread == 0) regions.chunk_counts[pair] = 0;
        if (static_cast<std::uint64_t>(pair) >= *regions.pair_count) return;
        PairRegion region;
        const bool has_end = regions.describe(pair, region);
        if (region.cell_count > 0) {
            const std::int64_t cells = block_cell_count(region.grid, region.levels);
            region.cell_count =
                static_cast<std::uint64_t>(cells) * find_blocks(region, pair, thread);
        }
        if (thread != 0) return;
        regions.chunk_counts[pair] = has_end ? chunk_count(region) : kWithoutEnd;
        regions.regions[pair] = region;
    }

private:
#if GRAZE_ON_DEVICE
    static constexpr int kThreads = kBlockSize;
#else
    static constexpr int kThreads = 1;
#endif
    using Look = typename Lookup::Pair;

    // Returns how many blocks are left.
    GRAZE_HD std::uint32_t find_blocks(const PairRegion& region, std::int64_t pair,
                                       int thread) const {
#if GRAZE_ON_DEVICE
        __shared__ std::uint32_t words[2][kBlockWords];
#else
        std::uint32_t words[2][kBlockWords];
#endif
        const Look look = lookup.pair(region);
        int level = region.levels;
        while (block_count(region.grid, level) > 8)
            ++level;
        const std::uint32_t* parents = nullptr;
        int side = 0;
        for (; level > region.levels; --level) {
            mark_level(region, look, level, parents, words[side], thread);
            parents = words[side];
            side = 1 - side;
        }
        std::uint32_t* bits = live + pair * kBlockWords;
        mark_level(region, look, level, parents, bits, thread);
        std::uint32_t count = 0;
        if (thread == 0) {
            const int word_count = count_words(region.grid, level);
            for (int word = 0; word < word_count; ++word)
                count += count_ones(bits[word]);
        }
        return count;
    }

    GRAZE_INLINE static int count_words(const ParticleGrid& grid, int level) {
        return static_cast<int>((block_count(grid, level) + 31) / 32);
    }

    // Sets the bits of a level. parents: those of the level above; null where there is none.
    GRAZE_HD void mark_level(const PairRegion& region, const Look& look, int level,
                             const std::uint32_t* parents, std::uint32_t* bits, int thread) const {
        const auto count = static_cast<std::uint32_t>(block_count(region.grid, level));
        const int word_count = count_words(region.grid, level);
#if GRAZE_ON_DEVICE
        for (int word = thread / 32; word < word_count; word += kThreads / 32) {
            const std::uint32_t block = static_cast<std::uint32_t>(word * 32 + thread % 32);
            const bool is_left = block < count && is_live(region, look, level, parents, block);
            const unsigned all = __ballot_sync(~0u, is_left);
            if (thread % 32 == 0) bits[word] = all;
        }
        __syncthreads();
#else
        static_cast<void>(thread);
        for (int word = 0; word < word_count; ++word) {
            const auto first = static_cast<std::uint32_t>(word) * 32;
            const std::uint32_t end = min_of(count - first, 32u);
            std::uint32_t all = 0;
            for (std::uint32_t bit = 0; bit < end; ++bit) {
                const bool is_left = is_live(region, look, level, parents, first + bit);
                all |= (is_left ? 1u : 0u) << bit;
            }
            bits[word] = all;
        }
#endif
    }

    GRAZE_HD bool is_live(const PairRegion& region, const Look& look, int level,
                          const std::uint32_t* parents, std::uint32_t index) const {
        const ParticleCell block = block_at(region.grid, level, index);
        if (parents) {
            const ParticleCell around{{block.at[0] >> 1, block.at[1] >> 1, block.at[2] >> 1}};
            const std::uint32_t parent = block_index(region.grid, level + 1, around);
            if ((parents[parent / 32] >> parent % 32 & 1) == 0) return false;
        }
        const Aabb box = block_box(region.grid, level, block);
        if (level > region.levels) return any_cell_can_touch(region, look, offset, box);
        // What is quick to ask spares most of the others.
        if (Look::kHasQuick && !any_cell_can_touch(region, look, offset, box)) return false;
        PairValue value;
        return can_touch(region, look, offset, box, value);
    }
};

}  // namespace graze

// Chunks: the work of many pairs cut into pieces of 32 items of one pair each. On the device a
// piece is a warp.
#pragma once

#include "narrow_phase/particles/live_blocks.h"
#include "narrow_phase/particles/particles.h"

namespace graze {

// The items of a pair: the cells of its grid block by block, all or those of the blocks that are
// left, and then the last step's contacts.
struct ChunkItems {
    const PairRegion* regions;
    const std::uint64_t* pair_count;
    const std::uint32_t* live;  // the bits of ListLiveBlocks; null where all blocks are looked at

    GRAZE_INLINE std::int64_t count(std::int64_t pair) const {
        if (static_cast<std::uint64_t>(pair) >= *pair_count) return 0;
        return static_cast<std::int64_t>(regions[pair].cell_count + regions[pair].seed_count);
    }
    // The cell that an item below PairRegion::cell_count is.
    GRAZE_INLINE ParticleCell cell(std::int64_t pair, std::uint32_t item,
                                   BlockMemory& memory) const {
        const ParticleGrid& grid = regions[pair].grid;
        const int levels = regions[pair].levels;
        const auto cells = static_cast<std::uint32_t>(block_cell_count(grid, levels));
        const std::uint32_t rank = item / cells;
        std::uint32_t block = rank;
        if (live) {
            block = memory.live_block(rank, [&](std::uint32_t wanted) {
                return nth_live_block(live + pair * kBlockWords, wanted);
            });
        }
        return cell_of_block(grid, levels, block_at(grid, levels, block), item - rank * cells);
    }
};

struct Chunks {
    const std::uint64_t* offsets;  // by pair; the last one is the total
    std::int64_t pair_room;
    std::int64_t room;  // there may be fewer; more are not looked at

    // The pair that a chunk belongs to; pair_room where there are fewer chunks. On the device the
    // threads of a warp ask together, about the same chunk.
    GRAZE_INLINE std::int64_t pair_of(std::int64_t chunk) const {
        // The first offset that is beyond the chunk has its index in [low, high], right after the
        // pair's.
        std::int64_t low = 0, high = pair_room + 1;
#if GRAZE_ON_DEVICE
        const int lane = static_cast<int>(threadIdx.x) % kChunkSize;
        while (low < high) {
            // Each lane looks at the end of one of 32 sections.
            const std::int64_t section = (high - low + kChunkSize - 1) / kChunkSize;
            const std::int64_t index = low + lane * section + section - 1;
            const bool is_before =
                index < high && offsets[index] <= static_cast<std::uint64_t>(chunk);
            low += __popc(__ballot_sync(~0u, is_before)) * section;
            high = min_of(high, low + section - 1);
        }
#else
        while (low < high) {
            const std::int64_t middle = (low + high) / 2;
            const bool is_beyond = offsets[middle] > static_cast<std::uint64_t>(chunk);
            high = is_beyond ? middle : high;
            low = is_beyond ? low : middle + 1;
        }
#endif
        return low - 1;
    }
};

namespace detail {

// Calls work(pair, item, memory, kept) for the items of a chunk and keeps, in order, what comes of
// those where it says true.
template <class Work>
struct KeepInChunk {
    Chunks chunks;
    ChunkItems items;
    Work work;
    typename Work::Kept* kept;  // out, by chunk, 32 entries each
    std::uint64_t* counts;      // out, by chunk

    GRAZE_INLINE bool keeps(std::int64_t chunk, int lane, std::int64_t pair,
                            typename Work::Memory& memory, typename Work::Kept& result) const {
        const std::int64_t first = static_cast<std::int64_t>(chunks.offsets[pair]);
        const std::int64_t item = (chunk - first) * kChunkSize + lane;
        return item < items.count(pair) && work(pair, item, memory, result);
    }

    // On the device i is of a thread, whose warp has the chunk; on the host it is of a chunk.
    GRAZE_HD void operator()(std::int64_t i) const {
#if GRAZE_ON_DEVICE
        const std::int64_t chunk = i / kChunkSize;
        const int lane = static_cast<int>(i - chunk * kChunkSize);
        const std::int64_t pair = chunks.pair_of(chunk);
        typename Work::Kept result{};
        typename Work::Memory memory(0);
        const bool is_kept = pair < chunks.pair_room && keeps(chunk, lane, pair, memory, result);
        const unsigned all = __ballot_sync(~0u, is_kept);
        if (is_kept) kept[chunk * kChunkSize + __popc(all & ((1u << lane) - 1))] = result;
        if (lane == 0) counts[chunk] = static_cast<std::uint64_t>(__popc(all));
#else
        const std::int64_t pair = chunks.pair_of(i);
        counts[i] = 0;
        if (pair >= chunks.pair_room) return;
        std::int64_t count = 0;
        typename Work::Memory memory(items.regions[pair].levels);
        for (int lane = 0; lane < kChunkSize; ++lane) {
            typename Work::Kept result{};
            if (keeps(i, lane, pair, memory, result)) kept[i * kChunkSize + count++] = result;
        }
        counts[i] = static_cast<std::uint64_t>(count);
#endif
    }
};

}  // namespace detail

// Finds where the chunks of each pair begin, which were counted with the regions.
template <class Executor>
Chunks arrange_chunks(Executor& executor, std::int64_t pair_room, StepRooms& rooms,
                      ParticleWorkspace& workspace) {
    workspace.chunk_offsets.resize(pair_room + 1);
    executor.exclusive_scan("particles: scan chunks", workspace.chunk_counts.data(),
                            workspace.chunk_offsets.data(), pair_room);
    return {workspace.chunk_offsets.data(), pair_room,
            rooms.open(executor, workspace.chunk_offsets.data() + pair_room, pair_room * 4)};
}

// Does the work on all items, then finds where what each chunk kept belongs.
template <class Executor, class Work>
void keep_in_chunks(Executor& executor, const char* name, const Chunks& chunks,
                    const ChunkItems& items, const Work& work, typename Work::Kept* kept,
                    ParticleWorkspace& workspace) {
    workspace.found_counts.resize(chunks.room);
    workspace.found_offsets.resize(chunks.room + 1);
    executor.for_each(
        name, Executor::kIsHost ? chunks.room : chunks.room * kChunkSize,
        detail::KeepInChunk<Work>{chunks, items, work, kept, workspace.found_counts.data()}, 4);
    executor.exclusive_scan("particles: scan found", workspace.found_counts.data(),
                            workspace.found_offsets.data(), chunks.room);
}

}  // namespace graze

// Chunks: the work of many pairs cut into pieces of 32 items of one pair each. On the device a
// piece is a warp.
#pragma once

#include "core/bits.h"
#include "narrow_phase/particles.h"

namespace graze {

// The items of a pair: cells of its grid, all or listed, and then the last step's contacts.
struct ChunkItems {
    const PairRegion* regions;
    const std::uint64_t* pair_count;
    int level;                          // of the cells, see block_box
    bool is_listed;                     // else all cells of the level
    const std::uint64_t* cells;         // packed, by pair
    const std::uint64_t* cell_offsets;  // by pair
    bool has_seeds;

    GRAZE_INLINE std::int64_t cell_count(std::int64_t pair) const {
        return is_listed ? static_cast<std::int64_t>(cell_offsets[pair + 1] - cell_offsets[pair])
                         : block_count(regions[pair].grid, level);
    }
    GRAZE_INLINE std::int64_t count(std::int64_t pair) const {
        if (static_cast<std::uint64_t>(pair) >= *pair_count) return 0;
        return cell_count(pair) +
               (has_seeds ? static_cast<std::int64_t>(regions[pair].seed_count) : 0);
    }
    GRAZE_INLINE ParticleCell cell(std::int64_t pair, std::int64_t item) const {
        return is_listed ? unpack_cell(cells[cell_offsets[pair] + static_cast<std::uint64_t>(item)])
                         : block_at(regions[pair].grid, level, item);
    }
};

struct Chunks {
    const std::uint64_t* offsets;  // by pair; the last place is the total
    std::int64_t pair_room;
    std::int64_t room;  // there may be fewer; more are not looked at

    // The pair that a chunk belongs to; pair_room where there are fewer chunks. On the device the
    // threads of a warp ask together, about the same chunk.
    GRAZE_INLINE std::int64_t pair_of(std::int64_t chunk) const {
        // The first place that is beyond the chunk is in [low, high]; it comes after the pair.
        std::int64_t low = 0, high = pair_room + 1;
#if GRAZE_ON_DEVICE
        const int lane = static_cast<int>(threadIdx.x) % kChunkSize;
        while (low < high) {
            // The last place of each of 32 parts.
            const std::int64_t part = (high - low + kChunkSize - 1) / kChunkSize;
            const std::int64_t place = low + lane * part + part - 1;
            const bool is_before =
                place < high && offsets[place] <= static_cast<std::uint64_t>(chunk);
            low += __popc(__ballot_sync(~0u, is_before)) * part;
            high = min_of(high, low + part - 1);
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

struct CountChunks {
    ChunkItems items;
    std::uint64_t* counts;  // out, by pair

    GRAZE_HD void operator()(std::int64_t pair) const {
        counts[pair] =
            static_cast<std::uint64_t>((items.count(pair) + kChunkSize - 1) / kChunkSize);
    }
};

// Calls work(pair, item, kept) for the items of a chunk and keeps, in order, what comes of those
// where it says true.
template <class Work>
struct KeepInChunk {
    Chunks chunks;
    ChunkItems items;
    Work work;
    typename Work::Kept* kept;  // out, by chunk, 32 places each
    std::uint64_t* counts;      // out, by chunk

    GRAZE_INLINE bool keeps(std::int64_t chunk, int lane, std::int64_t pair,
                            typename Work::Kept& result) const {
        if (pair >= chunks.pair_room) return false;
        const std::int64_t first = static_cast<std::int64_t>(chunks.offsets[pair]);
        const std::int64_t item = (chunk - first) * kChunkSize + lane;
        return item < items.count(pair) && work(pair, item, result);
    }

    // On the device i is of a thread, whose warp has the chunk; on the host it is of a chunk.
    GRAZE_HD void operator()(std::int64_t i) const {
#if GRAZE_ON_DEVICE
        const std::int64_t chunk = i / kChunkSize;
        const int lane = static_cast<int>(i - chunk * kChunkSize);
        typename Work::Kept result{};
        const bool is_kept = keeps(chunk, lane, chunks.pair_of(chunk), result);
        const unsigned all = __ballot_sync(~0u, is_kept);
        if (is_kept) kept[chunk * kChunkSize + __popc(all & ((1u << lane) - 1))] = result;
        if (lane == 0) counts[chunk] = static_cast<std::uint64_t>(__popc(all));
#else
        const std::int64_t pair = chunks.pair_of(i);
        std::int64_t count = 0;
        for (int lane = 0; lane < kChunkSize; ++lane) {
            typename Work::Kept result{};
            if (keeps(i, lane, pair, result)) kept[i * kChunkSize + count++] = result;
        }
        counts[i] = static_cast<std::uint64_t>(count);
#endif
    }
};

}  // namespace detail

// Cuts the items of all pairs into chunks. Those of the first level are counted with the regions.
template <class Executor>
Chunks make_chunks(Executor& executor, const ChunkItems& items, std::int64_t pair_room,
                   StepRooms& rooms, ParticleWorkspace& workspace) {
    Buffer<std::uint64_t>& offsets =
        workspace.levels[static_cast<std::size_t>(items.level)].chunk_offsets;
    offsets.resize(pair_room + 1);
    if (items.is_listed) {
        executor.for_each("particles: count chunks", pair_room,
                          detail::CountChunks{items, workspace.chunk_counts.data()});
    }
    executor.exclusive_scan("particles: place chunks", workspace.chunk_counts.data(),
                            offsets.data(), pair_room);
    return {offsets.data(), pair_room,
            rooms.open(executor, offsets.data() + pair_room, pair_room * 4)};
}

// Does the work on all items, then finds where what each chunk kept belongs.
template <class Executor, class Work>
void keep_in_chunks(Executor& executor, const char* name, const Chunks& chunks,
                    const ChunkItems& items, const Work& work, typename Work::Kept* kept,
                    ParticleWorkspace& workspace) {
    workspace.kept_counts.resize(chunks.room);
    workspace.kept_offsets.resize(chunks.room + 1);
    executor.for_each(
        name, Executor::kIsHost ? chunks.room : chunks.room * kChunkSize,
        detail::KeepInChunk<Work>{chunks, items, work, kept, workspace.kept_counts.data()}, 4);
    executor.exclusive_scan("particles: place", workspace.kept_counts.data(),
                            workspace.kept_offsets.data(), chunks.room);
}

}  // namespace graze

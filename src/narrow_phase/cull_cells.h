// Adaptive sampling: which cells of a pair's region can hold any of the intersection.
//
// Distances change by no more than the way between two points. So with d the true distance of a
// body and c the centre of a cell of half diagonal r, d >= d(c) - r in the whole cell. A field says
// f(c), which is above d(c) by its error e at most, by proof (ShapeField::error). Where f(c) - e -
// r is above half the gap for one of the two bodies, no point of the cell is in both, and the cell
// is left out.
//
// Cells are halved from blocks of 2^levels down to the leaves, whose centres are particles. Nothing
// larger than a leaf is missed: a ball of radius r + e within both bodies, r the leaves' half
// diagonal, holds the centre of the leaf that its own centre is in, with a true distance of -e or
// less to both surfaces. None of the blocks around that leaf is left out, and the fields are not
// above 0 there: the particle has arrived where it begins.
#pragma once

#include "narrow_phase/chunks.h"

namespace graze {

// What must be exceeded for a cell to be left out.
struct CellBound {
    float limit_a, limit_b;  // [m]

    template <class Look>
    GRAZE_INLINE CellBound(const PairRegion& region, const Look& look, float offset,
                           const Aabb& box) {
        // The factor covers the rounding of the centre, the root and the sums.
        const float reach = length(extent(box)) * (0.5f + 0x1p-18f) + offset + region.tolerance;
        limit_a = reach + region.error_a + look.error_a();
        limit_b = reach + region.error_b + look.error_b();
    }
    GRAZE_INLINE static bool exceeds(float distance, float limit) {
        return distance * (1 - 0x1p-9f) > limit;  // relative errors of fields and look-ups
    }
};

// False where the cell can be left out; value is what both fields are at its centre otherwise.
template <class Look>
GRAZE_INLINE bool can_touch(const Look& look, const CellBound& bound, const Vec3& centre,
                            PairValue& value) {
    value.a = look.value_a(centre);
    if (CellBound::exceeds(value.a.distance, bound.limit_a)) return false;
    value.b = look.value_b(centre);
    return !CellBound::exceeds(value.b.distance, bound.limit_b);
}

namespace detail {

template <class Lookup>
struct CullCell {
    Lookup lookup;
    ChunkItems items;
    float offset;  // [m] half of the gap

    using Kept = std::uint64_t;  // a packed cell

    GRAZE_HD bool operator()(std::int64_t pair, std::int64_t item, std::uint64_t& kept) const {
        const PairRegion& region = items.regions[pair];
        const ParticleCell cell = items.cell(pair, item);
        if (!is_in_grid(region.grid, items.level, cell)) return false;
        const Aabb box = block_box(region.grid, items.level, cell);
        const auto look = lookup.pair(region);
        PairValue value;
        kept = pack(cell);
        return can_touch(look, CellBound(region, look, offset, box), centre(box), value);
    }
};

// Into how many a block of a level is split along an axis: where the grid is one cell thick, none.
GRAZE_INLINE int split_count(const ParticleGrid& grid, int level, int axis) {
    return block_size(grid, level - 1, axis) > block_size(grid, level, axis) ? 2 : 1;
}
GRAZE_INLINE int split_count(const ParticleGrid& grid, int level) {
    return split_count(grid, level, 0) * split_count(grid, level, 1) * split_count(grid, level, 2);
}

struct CountParts {
    ChunkItems items;
    Chunks chunks;
    const std::uint64_t* kept_offsets;  // by chunk
    std::uint64_t* counts;              // out, by pair

    GRAZE_HD void operator()(std::int64_t pair) const {
        const auto room = static_cast<std::uint64_t>(chunks.room);
        const std::uint64_t kept = kept_offsets[min_of(chunks.offsets[pair + 1], room)] -
                                   kept_offsets[min_of(chunks.offsets[pair], room)];
        counts[pair] = kept == 0 ? 0
                                 : kept * static_cast<std::uint64_t>(
                                              split_count(items.regions[pair].grid, items.level));
    }
};

struct SplitCell {
    ChunkItems items;
    Chunks chunks;
    const std::uint64_t* kept;          // by chunk, 32 places each
    const std::uint64_t* kept_counts;   // by chunk
    const std::uint64_t* kept_offsets;  // by chunk
    const std::uint64_t* part_offsets;  // by pair
    std::uint64_t room;
    std::uint64_t* parts;  // out

    GRAZE_HD void operator()(std::int64_t i) const {
        const std::int64_t chunk = i / kChunkSize;
        const auto rank = static_cast<std::uint64_t>(i - chunk * kChunkSize);
        if (kept_counts[chunk] == 0) return;
        const std::int64_t pair = chunks.pair_of(chunk);
        if (rank >= kept_counts[chunk]) return;
        const ParticleGrid& grid = items.regions[pair].grid;
        const std::uint64_t before =
            kept_offsets[chunk] - kept_offsets[chunks.offsets[pair]] + rank;
        const int count = split_count(grid, items.level);
        std::uint64_t place = part_offsets[pair] + before * static_cast<std::uint64_t>(count);
        const int split[3] = {split_count(grid, items.level, 0), split_count(grid, items.level, 1),
                              split_count(grid, items.level, 2)};
        const ParticleCell cell = unpack_cell(kept[i]);
        for (int z = 0; z < split[2]; ++z) {
            for (int y = 0; y < split[1]; ++y) {
                for (int x = 0; x < split[0]; ++x, ++place) {
                    if (place >= room) return;
                    parts[place] = pack({{cell.at[0] * split[0] + x, cell.at[1] * split[1] + y,
                                          cell.at[2] * split[2] + z}});
                }
            }
        }
    }
};

}  // namespace detail

// Leaves out what it can of the items, which are blocks of some level, and makes the rest's halves
// the items of the level below. Parts beyond the end of the grid are among them.
template <class Executor, class Lookup>
void cull_cells(Executor& executor, const Lookup& lookup, std::int64_t pair_room, float offset,
                StepRooms& rooms, ParticleWorkspace& workspace, ChunkItems& items) {
    const Chunks chunks = make_chunks(executor, items, pair_room, rooms, workspace);
    workspace.kept_cells.resize(chunks.room * kChunkSize);
    keep_in_chunks(executor, "particles: cull cells", chunks, items,
                   detail::CullCell<Lookup>{lookup, items, offset}, workspace.kept_cells.data(),
                   workspace);
    Buffer<std::uint64_t>& offsets =
        workspace.levels[static_cast<std::size_t>(items.level - 1)].cell_offsets;
    workspace.part_counts.resize(pair_room);
    offsets.resize(pair_room + 1);
    executor.for_each("particles: count parts", pair_room,
                      detail::CountParts{items, chunks, workspace.kept_offsets.data(),
                                         workspace.part_counts.data()});
    executor.exclusive_scan("particles: place parts", workspace.part_counts.data(), offsets.data(),
                            pair_room);
    const std::int64_t part_room =
        rooms.open(executor, offsets.data() + pair_room, chunks.room * kChunkSize);
    workspace.cells.resize(part_room);
    executor.for_each(
        "particles: split cells", chunks.room * kChunkSize,
        detail::SplitCell{items, chunks, workspace.kept_cells.data(), workspace.kept_counts.data(),
                          workspace.kept_offsets.data(), offsets.data(),
                          static_cast<std::uint64_t>(part_room), workspace.cells.data()});
    items.is_listed = true;
    items.cells = workspace.cells.data();
    items.cell_offsets = offsets.data();
    --items.level;
}

}  // namespace graze

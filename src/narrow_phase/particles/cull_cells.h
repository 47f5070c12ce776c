// Adaptive sampling: which cells of a pair's region can hold any of the intersection.
//
// Distances change by no more than the way between two points. So with d the true distance of a
// body and c the centre of a cell of half diagonal r, d >= d(c) - r in the whole cell. A field says
// f(c), which is above d(c) by its error e at most, by proof (ShapeField::error). Where f(c) - e -
// r is above half the gap for one of the two bodies, no point of the cell is in both, and the cell
// is left out.
//
// That is asked of blocks of 2^levels cells first (live_blocks.h), which leaves out most cells and
// all those of most pairs, then of the halves of a block that the cell is in, then of the cell,
// whose centre is a particle.
//
// Nothing larger than a cell is missed: a ball of radius r + e within both bodies, r the cells'
// half diagonal, holds the centre of the cell that its own centre is in, with a true distance of -e
// or less to both surfaces. None of the blocks around that cell is left out, and the fields are not
// above 0 there: the particle has arrived where it begins.
#pragma once

#include "narrow_phase/particles/pair_region.h"

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
        // A field and a look-up in it each have the relative error.
        return distance * (1 - 2 * kFieldRelativeError) > limit;
    }
};

// What must be exceeded for a box of cells to be left out although they are not asked: with so much
// to spare that each of them would be left out by itself, where the field is not more than its
// error below the distance either. With e the error, k twice the relative one, a cell of half
// diagonal s whose centre c is at most r from the centre C of the box,
//     f(c) (1 - k) >= (1 - k) ((1 - k) (d(C) - r) - e) >= f(C) (1 - 3 k) - r - 2 e,
// which has to be above s + e and half the gap.
struct BoxBound {
    float limit_a, limit_b;  // [m]

    template <class Look>
    GRAZE_INLINE BoxBound(const PairRegion& region, const Look& look, float offset,
                          const Aabb& box) {
        const Vec3 step = region.grid.step;
        // Sides of a box at the grid's end may be off by rounding.
        const Vec3 rest = max_of(extent(box) - step, Vec3{0, 0, 0});
        const float reach =
            (length(rest) + length(step)) * (0.5f + 0x1p-18f) + offset + 2 * region.tolerance;
        limit_a = reach + 3 * (region.error_a + look.error_a());
        limit_b = reach + 3 * (region.error_b + look.error_b());
    }
    GRAZE_INLINE static bool exceeds(float distance, float limit) {
        return distance * (1 - 6 * kFieldRelativeError) > limit;
    }
};

// False where all cells of a box can be left out.
template <class Look>
GRAZE_INLINE bool any_cell_can_touch(const PairRegion& region, const Look& look, float offset,
                                     const Aabb& box) {
    const BoxBound bound(region, look, offset, box);
    const Vec3 middle = centre(box);
    return !BoxBound::exceeds(look.quick_a(middle), bound.limit_a) &&
           !BoxBound::exceeds(look.quick_b(middle), bound.limit_b);
}

// False where a box can be left out; value is what both fields are at its centre otherwise. offset:
// [m] half of the gap.
template <class Look>
GRAZE_INLINE bool can_touch(const PairRegion& region, const Look& look, float offset,
                            const Aabb& box, PairValue& value) {
    const CellBound bound(region, look, offset, box);
    const Vec3 middle = centre(box);
    value.a = look.value_a(middle);
    if (CellBound::exceeds(value.a.distance, bound.limit_a)) return false;
    value.b = look.value_b(middle);
    return !CellBound::exceeds(value.b.distance, bound.limit_b);
}

// What is known of the blocks around the last cells asked about. On the host one serves a chunk, so
// that each block is looked at once; on the device each thread asks for itself, all of them about
// the same block, and nothing is remembered.
class BlockMemory {
public:
#if GRAZE_ON_DEVICE
    GRAZE_INLINE explicit BlockMemory(int) {}

    template <class Ask>
    GRAZE_INLINE bool recall(int, const ParticleCell&, const Ask& ask) {
        return ask();
    }
    template <class Find>
    GRAZE_INLINE std::uint32_t live_block(std::uint32_t rank, const Find& find) {
        return find(rank);
    }
#else
    // levels: blocks of so many are asked about, and of fewer.
    GRAZE_INLINE explicit BlockMemory(int levels) {
        for (int level = 1; level <= levels; ++level) {
            for (Entry& entry : entries_[level - 1])
                entry = {~std::uint64_t{0}, false};
        }
    }

    template <class Ask>
    GRAZE_INLINE bool recall(int level, const ParticleCell& block, const Ask& ask) {
        // The eight halves of the block around them have different places.
        const int place = (block.at[0] & 1) + 2 * (block.at[1] & 1) + 4 * (block.at[2] & 1);
        Entry& entry = entries_[level - 1][place];
        const std::uint64_t name = pack(block);
        if (entry.block != name) entry = {name, ask()};
        return entry.answer;
    }
    // The block of a rank among those that are left.
    template <class Find>
    GRAZE_INLINE std::uint32_t live_block(std::uint32_t rank, const Find& find) {
        if (rank != last_rank_) {
            last_rank_ = rank;
            last_block_ = find(rank);
        }
        return last_block_;
    }

private:
    struct Entry {
        std::uint64_t block;
        bool answer;
    };
    Entry entries_[kMaxParticleLevels][8];
    std::uint32_t last_rank_ = ~0u, last_block_ = 0;
#endif
};

// False where one of the blocks around a cell can be left out, of those of fewer than 2^levels
// cells along a side.
template <class Look>
GRAZE_INLINE bool blocks_can_touch(const PairRegion& region, const Look& look, float offset,
                                   int levels, const ParticleCell& cell, BlockMemory& memory) {
    for (int level = levels - 1; level > 0; --level) {
        const ParticleCell block{{cell.at[0] >> level, cell.at[1] >> level, cell.at[2] >> level}};
        const auto ask = [&] {
            PairValue value;
            return can_touch(region, look, offset, block_box(region.grid, level, block), value);
        };
        if (!memory.recall(level, block, ask)) return false;
    }
    return true;
}

}  // namespace graze

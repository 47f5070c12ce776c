// Adaptive sampling: which cells of a pair's region can hold any of the intersection.
//
// Distances change by no more than the way between two points. So with d the true distance of a
// body and c the centre of a cell of half diagonal r, d >= d(c) - r in the whole cell. A field says
// f(c), which is above d(c) by its error e at most, by proof (ShapeField::error). Where f(c) - e -
// r is above half the gap for one of the two bodies, no point of the cell is in both, and the cell
// is left out.
//
// That is asked of the block of 2^levels cells around a cell first, then of the halves of it that
// the cell is in, then of the cell, whose centre is a particle. Most are done with the first
// answer, which the particles of a chunk share.
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

// What is known of the blocks around the last cell asked about. On the host one serves a chunk, so
// that each block is looked at once; on the device each thread asks for itself, all of them about
// the same block, and nothing is remembered.
class BlockMemory {
public:
    template <class Ask>
    GRAZE_INLINE bool recall(int level, std::uint64_t block, const Ask& ask) {
#if GRAZE_ON_DEVICE
        return ask();
#else
        Entry& entry = entries_[level - 1];
        if (entry.block != block) entry = {block, ask()};
        return entry.answer;
#endif
    }

private:
#if !GRAZE_ON_DEVICE
    struct Entry {
        std::uint64_t block = ~std::uint64_t{0};
        bool answer = false;
    };
    Entry entries_[kMaxParticleLevels];
#endif
};

// False where one of the blocks around a cell can be left out.
template <class Look>
GRAZE_INLINE bool blocks_can_touch(const PairRegion& region, const Look& look, float offset,
                                   int levels, const ParticleCell& cell, BlockMemory& memory) {
    for (int level = levels; level > 0; --level) {
        const ParticleCell block{{cell.at[0] >> level, cell.at[1] >> level, cell.at[2] >> level}};
        const auto ask = [&] {
            PairValue value;
            return can_touch(region, look, offset, block_box(region.grid, level, block), value);
        };
        if (!memory.recall(level, pack(block), ask)) return false;
    }
    return true;
}

}  // namespace graze

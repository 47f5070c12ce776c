// MinMaxTree: the least and largest distance that a sampled field gives in each cube of 4, 8, 16,
// ... cells, so that a search can skip the largest cube that cannot hold what it looks for (Xu and
// Barbic, 2014). They bound the interpolated field, as it is stored, and are rounded outward.
//
// A cube's bounds hold for what evaluate() computes, float rounding included, at every point that
// find_cell() puts into one of its cells: bound * spacing, exact or rounded to float, is on the
// outer side of it. They do not hold for the true distance (add the field's error) nor outside the
// grid.
//
// As to memory, a dense field has a node for 64 cells and 1/7 of that above, 1.8% of order 0 and
// 0.9% of order 1; never above 11%, even for a grid one cell thick. A sparse field has eight nodes
// a brick, 1.1% and 0.5%, and 8/7 nodes a block, 4.6 bytes where the coarse level has 8: above 15%
// only where fewer than 1 block in 140 has a brick.
#pragma once

#include "core/half.h"
#include "graze/field_grid.h"
#include "parallel/buffer.h"

namespace graze {

struct MinMax {
    Half min, max;  // [voxels]
};

// Level l has cubes of 4 << l cells, x fastest; the last level is one cube. A sparse field has
// level 0 only within bricks: eight cubes each, x fastest.
constexpr int kMinMaxLeafCells = 4;
constexpr int kMinMaxMaxLevels = 24;

struct MinMaxTreeView {
    const MinMax* nodes;
    int level_count;
    // Where level l begins in nodes; level 0 of a sparse field begins at 0 and is by brick.
    std::int64_t offsets[kMinMaxMaxLevels];
};

// How many cubes a level has along an axis, and in all.
GRAZE_INLINE constexpr std::int64_t min_max_size(const FieldGrid& grid, int level, int axis) {
    const std::int64_t side = std::int64_t{kMinMaxLeafCells} << level;
    return (grid.cells[axis] + side - 1) / side;
}
GRAZE_INLINE constexpr std::int64_t min_max_size(const FieldGrid& grid, int level) {
    return min_max_size(grid, level, 0) * min_max_size(grid, level, 1) *
           min_max_size(grid, level, 2);
}

struct MinMaxTree {
    explicit MinMaxTree(Memory& memory) : nodes(memory) {}

    Buffer<MinMax> nodes;
    int level_count = 0;
    std::int64_t offsets[kMinMaxMaxLevels] = {};

    std::int64_t memory_bytes() const {
        return nodes.size() * static_cast<std::int64_t>(sizeof(MinMax));
    }
    MinMaxTreeView view() const {
        MinMaxTreeView result{nodes.data(), level_count, {}};
        for (int level = 0; level < kMinMaxMaxLevels; ++level)
            result.offsets[level] = offsets[level];
        return result;
    }
};

struct SampledField;
// Fills field.tree from the samples, the coarse level and the band, in the executor's memory. It
// does not wait. The bits are the same on either machine and for any number of threads. Throws
// Error for a grid of more than 33 million cells along an axis.
template <class Executor>
void build_min_max_tree(Executor& executor, SampledField& field);

}  // namespace graze

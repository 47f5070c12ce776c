// MinMaxTree: the least and largest distance that a sampled field gives in each cube of 4, 8, 16,
// ... cells, so that a search can skip the largest cube that cannot hold what it looks for (Xu and
// Barbic, 2014). Bounds are of the interpolated field, as it is stored, and are rounded outward.
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

// Cubes along an axis at a level.
GRAZE_INLINE constexpr std::int64_t min_max_size(const FieldGrid& grid, int level, int axis) {
    const std::int64_t side = std::int64_t{kMinMaxLeafCells} << level;
    return (grid.cells[axis] + side - 1) / side;
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

}  // namespace graze

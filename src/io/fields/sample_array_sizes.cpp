#include "io/fields/sample_array_sizes.h"

#include <cmath>
#include <limits>

namespace graze::io {
namespace {

constexpr std::int64_t kMaxBlocks = std::numeric_limits<std::int32_t>::max();
// Sample indices become floats where positions are computed, and floats are exact up to here.
constexpr std::int32_t kMaxCells = 1 << 24;

// Nothing overflows: each factor is below 2^22.
bool has_too_many_blocks(const FieldGrid& grid) {
    const std::int64_t plane = block_count(grid, 0) * block_count(grid, 1);
    return plane > kMaxBlocks || plane * block_count(grid, 2) > kMaxBlocks;
}

bool is_finite(const Vec3& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

// The levels of the min/max tree of a layout, the offset at which each begins, and its node count.
struct TreeLevels {
    int count = 0;
    std::int64_t offsets[kMinMaxMaxLevels] = {};
    std::int64_t node_count = 0;
};

TreeLevels tree_levels(const SampledFieldLayout& layout) {
    TreeLevels levels;
    if (!layout.has_tree) return levels;
    for (std::int64_t size = 0; size != 1;) {
        const int level = levels.count++;
        size = min_max_size(layout.grid, level, 0) * min_max_size(layout.grid, level, 1) *
               min_max_size(layout.grid, level, 2);
        levels.offsets[level] = levels.node_count;
        levels.node_count += level == 0 && layout.is_sparse ? 8 * layout.brick_count : size;
    }
    return levels;
}

}  // namespace

SampledFieldLayout layout_of(const SampledField& field) {
    return {field.grid, field.order, field.is_sparse, field.tree.level_count > 0,
            field.brick_count()};
}

std::string fault_of(const SampledFieldLayout& layout) {
    const FieldGrid& grid = layout.grid;
    for (int axis = 0; axis < 3; ++axis) {
        if (grid.cells[axis] < 1 || grid.cells[axis] > kMaxCells)
            return "the grid has " + std::to_string(grid.cells[axis]) +
                   " cells along an axis; there must be 1 to " + std::to_string(kMaxCells);
        if (layout.is_sparse && grid.cells[axis] % kBrickCells != 0)
            return "the grid of a sparse field has " + std::to_string(grid.cells[axis]) +
                   " cells along an axis, which is no multiple of " + std::to_string(kBrickCells);
    }
    if (has_too_many_blocks(grid)) return "the grid has more than 2^31 blocks of 8 x 8 x 8 cells";
    if (!(grid.spacing > 0) || !is_finite(grid.origin) || !is_finite(grid.box().max))
        return "the grid's origin, spacing or extent is not finite or not positive";
    if (layout.brick_count < 0 || layout.brick_count > (layout.is_sparse ? block_count(grid) : 0))
        return "there are " + std::to_string(layout.brick_count) + " bricks in a grid of " +
               std::to_string(layout.is_sparse ? block_count(grid) : 0) + " blocks for them";
    return {};
}

SampleArraySizes array_sizes_of(const SampledFieldLayout& layout) {
    const FieldGrid& grid = layout.grid;
    SampleArraySizes sizes{};
    sizes.blocks = block_count(grid);
    if (layout.is_sparse) {
        sizes.samples = layout.brick_count * kBrickSize;
        sizes.coarse =
            (block_count(grid, 0) + 1) * (block_count(grid, 1) + 1) * (block_count(grid, 2) + 1);
        sizes.errors = layout.brick_count;
    } else {
        sizes.samples = grid.sample_count();
        sizes.errors = sizes.blocks;
    }
    sizes.tree_nodes = tree_levels(layout).node_count;
    return sizes;
}

std::int64_t memory_bytes_of(const SampledFieldLayout& layout) {
    const SampleArraySizes sizes = array_sizes_of(layout);
    return sizes.samples * (layout.order == FieldOrder::zero ? 4 : 8) +
           (sizes.coarse + sizes.errors) * 4 +
           (layout.is_sparse ? sizes.blocks + layout.brick_count : 0) * 4 + sizes.tree_nodes * 4;
}

void allocate_arrays(const SampledFieldLayout& layout, SampledField& field) {
    const SampleArraySizes sizes = array_sizes_of(layout);
    field.grid = layout.grid;
    field.order = layout.order;
    field.is_sparse = layout.is_sparse;
    field.values.resize(layout.order == FieldOrder::zero ? sizes.samples : 0);
    field.samples.resize(layout.order == FieldOrder::one ? sizes.samples : 0);
    field.coarse.resize(sizes.coarse);
    field.brick_of_block.resize(layout.is_sparse ? sizes.blocks : 0);
    field.block_of_brick.resize(layout.brick_count);
    field.errors.resize(sizes.errors);
    const TreeLevels levels = tree_levels(layout);
    field.tree.nodes.resize(levels.node_count);
    field.tree.level_count = levels.count;
    for (int level = 0; level < kMinMaxMaxLevels; ++level)
        field.tree.offsets[level] = levels.offsets[level];
}

}  // namespace graze::io

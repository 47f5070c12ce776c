#include "io/fields/sample_array_sizes.h"

#include <cmath>
#include <limits>

namespace graze::io {
namespace {

constexpr std::int64_t kMaxBlocks = std::numeric_limits<std::int32_t>::max();
// Positions are computed with sample indices as floats, which are exact up to here.
constexpr std::int32_t kMaxCells = 1 << 24;

// No overflow: each factor is below 2^22.
bool has_too_many_blocks(const FieldGrid& grid) {
    const std::int64_t plane = block_count(grid, 0) * block_count(grid, 1);
    return plane > kMaxBlocks || plane * block_count(grid, 2) > kMaxBlocks;
}

bool is_finite(const Vec3& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

// Levels that the min/max tree of a grid has, where each begins, and the nodes in all.
struct TreeLevels {
    int count = 0;
    std::int64_t offsets[kMinMaxMaxLevels] = {};
    std::int64_t node_count = 0;
};

TreeLevels tree_levels(const FieldShape& shape) {
    TreeLevels levels;
    if (!shape.has_tree) return levels;
    for (std::int64_t size = 0; size != 1;) {
        const int level = levels.count++;
        size = min_max_size(shape.grid, level, 0) * min_max_size(shape.grid, level, 1) *
               min_max_size(shape.grid, level, 2);
        levels.offsets[level] = levels.node_count;
        levels.node_count += level == 0 && shape.is_sparse ? 8 * shape.brick_count : size;
    }
    return levels;
}

}  // namespace

FieldShape shape_of(const SampledField& field) {
    return {field.grid, field.order, field.is_sparse, field.tree.level_count > 0,
            field.brick_count()};
}

std::string fault_of(const FieldShape& shape) {
    const FieldGrid& grid = shape.grid;
    for (int axis = 0; axis < 3; ++axis) {
        if (grid.cells[axis] < 1 || grid.cells[axis] > kMaxCells)
            return "the grid has " + std::to_string(grid.cells[axis]) +
                   " cells along an axis; there must be 1 to " + std::to_string(kMaxCells);
        if (shape.is_sparse && grid.cells[axis] % kBrickCells != 0)
            return "the grid of a sparse field has " + std::to_string(grid.cells[axis]) +
                   " cells along an axis, which is no multiple of " + std::to_string(kBrickCells);
    }
    if (has_too_many_blocks(grid)) return "the grid has more than 2^31 blocks of 8 x 8 x 8 cells";
    if (!(grid.spacing > 0) || !is_finite(grid.origin) || !is_finite(grid.box().max))
        return "the grid's origin, spacing or extent is not finite or not positive";
    if (shape.brick_count < 0 || shape.brick_count > (shape.is_sparse ? block_count(grid) : 0))
        return "there are " + std::to_string(shape.brick_count) + " bricks in a grid of " +
               std::to_string(shape.is_sparse ? block_count(grid) : 0) + " blocks for them";
    return {};
}

FieldCounts counts_of(const FieldShape& shape) {
    const FieldGrid& grid = shape.grid;
    FieldCounts counts{};
    counts.blocks = block_count(grid);
    if (shape.is_sparse) {
        counts.samples = shape.brick_count * kBrickSize;
        counts.coarse =
            (block_count(grid, 0) + 1) * (block_count(grid, 1) + 1) * (block_count(grid, 2) + 1);
        counts.errors = shape.brick_count;
    } else {
        counts.samples = grid.sample_count();
        counts.errors = counts.blocks;
    }
    counts.tree_nodes = tree_levels(shape).node_count;
    return counts;
}

std::int64_t memory_of(const FieldShape& shape) {
    const FieldCounts counts = counts_of(shape);
    return counts.samples * (shape.order == FieldOrder::zero ? 4 : 8) +
           (counts.coarse + counts.errors) * 4 +
           (shape.is_sparse ? counts.blocks + shape.brick_count : 0) * 4 + counts.tree_nodes * 4;
}

void allocate(const FieldShape& shape, SampledField& field) {
    const FieldCounts counts = counts_of(shape);
    field.grid = shape.grid;
    field.order = shape.order;
    field.is_sparse = shape.is_sparse;
    field.values.resize(shape.order == FieldOrder::zero ? counts.samples : 0);
    field.samples.resize(shape.order == FieldOrder::one ? counts.samples : 0);
    field.coarse.resize(counts.coarse);
    field.brick_of_block.resize(shape.is_sparse ? counts.blocks : 0);
    field.block_of_brick.resize(shape.brick_count);
    field.errors.resize(counts.errors);
    const TreeLevels levels = tree_levels(shape);
    field.tree.nodes.resize(levels.node_count);
    field.tree.level_count = levels.count;
    for (int level = 0; level < kMinMaxMaxLevels; ++level)
        field.tree.offsets[level] = levels.offsets[level];
}

}  // namespace graze::io

// cube_bounds: what the min/max tree of a sampled field knows about one cube, by which a search
// walks the tree. Level l has cubes of 4 << l cells, and cube (x, y, z) of level l + 1 has the up
// to eight cubes (2x, 2y, 2z) to (2x + 1, 2y + 1, 2z + 1) of level l as children.
#pragma once

#include "field/sampled/sampled_field.h"

namespace graze {

// A cube of the tree by its indices in its level; see min_max_size() for how many there are.
struct TreeCube {
    std::int32_t level;
    std::int32_t index[3];  // along each axis
};

struct DistanceBounds {
    float min, max;  // [m] of what evaluate() gives in the cube
};

// Returns the cube of a level that a cell is in.
GRAZE_INLINE TreeCube cube_of_cell(int level, const std::int32_t (&cell)[3]) {
    const int shift = 2 + level;
    static_assert(kMinMaxLeafCells == 1 << 2);
    return {level, {cell[0] >> shift, cell[1] >> shift, cell[2] >> shift}};
}

// A sparse field has cubes of level 0 in bricks only; elsewhere the answer is that of the block.
GRAZE_INLINE DistanceBounds cube_bounds(const SampledFieldView& field, const TreeCube& cube) {
    std::int64_t x = cube.index[0], y = cube.index[1], z = cube.index[2];
    int level = cube.level;
    std::int64_t node = -1;
    if (field.is_sparse && level == 0) {
        const std::int32_t brick =
            field.brick_of_block[x / 2 + block_count(field.grid, 0) *
                                             (y / 2 + block_count(field.grid, 1) * (z / 2))];
        if (brick >= 0) {
            node = std::int64_t{brick} * 8 + (x & 1) + 2 * (y & 1) + 4 * (z & 1);
        } else {
            level = 1;
            x /= 2, y /= 2, z /= 2;
        }
    }
    if (node < 0) {
        node = field.tree.offsets[level] + x +
               min_max_size(field.grid, level, 0) * (y + min_max_size(field.grid, level, 1) * z);
    }
    const MinMax bounds = field.tree.nodes[node];
    return {float_from_half(bounds.min) * field.grid.spacing,
            float_from_half(bounds.max) * field.grid.spacing};
}

}  // namespace graze

// EdgeOwner: the one block that an edge of the grid belongs to, of up to four that have it.
#pragma once

#include <utility>

#include "field/sampled/field_cell.h"

namespace graze {

struct EdgeOwner {
    std::int64_t block;
    int at[3];  // the edge's first sample in that block
};

// Whether a block, by its indices, is in the grid and, in a sparse field, has a brick.
inline bool has_samples(const SampledFieldView& field, const std::int32_t (&block)[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        if (block[axis] < 0 || block[axis] >= block_count(field.grid, axis)) return false;
    }
    return !field.is_sparse || field.brick_of_block[block_index(field.grid, block)] >= 0;
}

// Finds the owner of the edge along an axis from a sample of a block: the block with samples that
// is farthest along the other two axes. It is the same seen from every block that has the edge.
inline EdgeOwner find_owner(const SampledFieldView& field, const FieldBlock& block, int axis,
                            const int (&at)[3]) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const auto neighbours = [&](int a) {  // steps to the first and last that have it
        return std::pair{at[a] == 0 ? -1 : 0, at[a] == block.cells[a] ? 1 : 0};
    };
    const auto [first_u, last_u] = neighbours(u);
    const auto [first_v, last_v] = neighbours(v);
    EdgeOwner owner{block_index(field.grid, block.index), {at[0], at[1], at[2]}};
    for (int dv = last_v; dv >= first_v; --dv) {
        for (int du = last_u; du >= first_u; --du) {
            std::int32_t other[3] = {block.index[0], block.index[1], block.index[2]};
            other[u] += du;
            other[v] += dv;
            if (!has_samples(field, other)) continue;
            owner.block = block_index(field.grid, other);
            owner.at[u] = at[u] - du * kBrickCells;
            owner.at[v] = at[v] - dv * kBrickCells;
            return owner;
        }
    }
    return owner;
}

}  // namespace graze

// find_stored_distance gives the distance that a sampled field stores at a sample of its grid.
#pragma once

#include "field/sampled/sampled_field.h"

namespace graze::io {

// [m] Returns the distance of an element of values or samples.
inline float distance_at(const SampledFieldView& field, std::int64_t index) {
    return field.order == FieldOrder::zero
               ? field.values[index]
               : float_from_half(field.samples[index].value) * field.grid.spacing;
}

// Sets distance [m] and returns true where the field stores it: everywhere if it is dense, else
// where one of the up to eight blocks around the sample has a brick.
inline bool find_stored_distance(const SampledFieldView& field, const std::int64_t (&index)[3],
                                 float& distance) {
    const FieldGrid& grid = field.grid;
    if (!field.is_sparse) {
        distance = distance_at(
            field, index[0] + grid.samples(0) * (index[1] + grid.samples(1) * index[2]));
        return true;
    }
    for (int side = 0; side < 8; ++side) {
        std::int64_t block[3], local[3];
        bool exists = true;
        for (int axis = 0; axis < 3; ++axis) {
            block[axis] = index[axis] / kBrickCells - (side >> axis & 1);
            local[axis] = index[axis] - block[axis] * kBrickCells;
            exists = exists && block[axis] >= 0 && block[axis] < block_count(grid, axis) &&
                     local[axis] < kBrickSamples;
        }
        if (!exists) continue;
        const std::int32_t brick =
            field.brick_of_block[block[0] + block_count(grid, 0) *
                                                (block[1] + block_count(grid, 1) * block[2])];
        if (brick < 0) continue;
        distance = distance_at(field, std::int64_t{brick} * kBrickSize + local[0] +
                                          kBrickSamples * (local[1] + kBrickSamples * local[2]));
        return true;
    }
    return false;
}

}  // namespace graze::io

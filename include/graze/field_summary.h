// FieldSummary: the grid, the order, the counts and the size of a sampled field.
#pragma once

#include <cstdint>

#include "graze/field.h"

namespace graze {

struct FieldSummary {
    FieldGrid grid{};
    FieldOrder order = FieldOrder::one;
    bool is_sparse = false;
    float band = 0;                 // [m] where a sparse field has no brick, the surface is farther
    std::int64_t sample_count = 0;  // those that are stored; bricks share none
    std::int64_t brick_count = 0;   // 0 where dense
    std::int64_t memory_bytes = 0;  // of the samples with all that belongs to them
    float error = 0;                // [m] see Field::error
    // [m] What no point among the samples is off by, by proof, where the mesh is closed. Where
    // parts overlap, that is an eighth of a voxel more, which their union may take from distances
    // inside. The field of an open one jumps where its side changes away from the surface; there it
    // may be off by as much as samples jump, which is added. That is no proof: a side that changes
    // within a cell whose corners agree is not seen, and there the field may be off by twice the
    // distance. FieldReport::findings tells where the mesh is open, whatever its sign is: then only
    // what is said last holds.
    float error_bound = 0;
};

// [m] FieldSummary::error_bound of a closed mesh of which no part overlaps another: 0.87 voxel for
// order 0, 1.3 for order 1.
float error_bound(const FieldGrid& grid, FieldOrder order);

// Throws Error where the field is not sampled (Field::is_sampled()).
FieldSummary summarize(const Field& field);

}  // namespace graze

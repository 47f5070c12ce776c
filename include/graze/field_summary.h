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
};

// Throws Error where the field is not sampled (Field::is_sampled()).
FieldSummary summarize(const Field& field);

}  // namespace graze

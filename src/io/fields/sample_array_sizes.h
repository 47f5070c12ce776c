// FieldShape: what decides the size of every array of a SampledField.
#pragma once

#include <cstdint>
#include <string>

#include "field/sampled/sampled_field.h"

namespace graze::io {

struct FieldShape {
    FieldGrid grid{};
    FieldOrder order = FieldOrder::zero;
    bool is_sparse = false;
    bool has_tree = false;
    std::int64_t brick_count = 0;  // 0 where dense

    bool operator==(const FieldShape&) const = default;
};

FieldShape shape_of(const SampledField& field);

// Why no field can have this shape, in plain words; empty where one can. Grids are bounded so that
// a block has a 32-bit index, which keeps every size below 2^44 bytes.
std::string fault_of(const FieldShape& shape);

// Elements of each array of a field whose shape has no fault.
struct FieldCounts {
    std::int64_t samples;
    std::int64_t coarse;
    std::int64_t blocks;
    std::int64_t errors;
    std::int64_t tree_nodes;
};
FieldCounts counts_of(const FieldShape& shape);
// [bytes] of all arrays together.
std::int64_t memory_of(const FieldShape& shape);

// Sizes every array of the field for the shape. Contents are undefined but for the tree's levels.
void allocate(const FieldShape& shape, SampledField& field);

}  // namespace graze::io

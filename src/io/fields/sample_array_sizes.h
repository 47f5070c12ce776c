// SampleArraySizes tells the size of every array of a SampledField, as its layout decides it.
#pragma once

#include <cstdint>
#include <string>

#include "field/sampled/sampled_field.h"

namespace graze::io {

// What decides the size of every array of a SampledField.
struct SampledFieldLayout {
    FieldGrid grid{};
    FieldOrder order = FieldOrder::zero;
    bool is_sparse = false;
    bool has_tree = false;
    std::int64_t brick_count = 0;  // 0 where dense

    bool operator==(const SampledFieldLayout&) const = default;
};

SampledFieldLayout layout_of(const SampledField& field);

// Returns in plain words why no field can have this layout; the text is empty where one can. Grids
// are bounded so that a block has a 32-bit index, which keeps every size below 2^44 bytes.
std::string fault_of(const SampledFieldLayout& layout);

// The element counts of all arrays.
struct SampleArraySizes {
    std::int64_t samples;
    std::int64_t coarse;
    std::int64_t blocks;
    std::int64_t errors;
    std::int64_t tree_nodes;
};
// The layout must have no fault.
SampleArraySizes array_sizes_of(const SampledFieldLayout& layout);
// Returns the bytes of all arrays together.
std::int64_t memory_bytes_of(const SampledFieldLayout& layout);

// Resizes every array of the field to what the layout asks for. Their contents are undefined, but
// for the tree's levels.
void allocate_arrays(const SampledFieldLayout& layout, SampledField& field);

}  // namespace graze::io

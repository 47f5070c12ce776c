// SampledField: distances on a grid, dense or sparse, with values alone (order 0) or values and
// gradients (order 1), in the memory of either machine.
//
// Order 1 is the "Dutch Taylor" field of Krayer et al. (2022): each sample holds half its gradient,
// and a point gets the blend of its eight corners' linear extensions, which is second-order
// accurate. They store the offset of the extension at a common origin, so that one texture look-up
// blends it; in 16 bits that costs accuracy with the distance from that origin. Here a sample
// stores the extension at its own position, which is the distance itself, in voxels.
//
// A sparse field has bricks of 8 x 8 x 8 cells, each with all 9 x 9 x 9 samples of its cells, where
// the surface is near. Everywhere it has a coarse level: every eighth sample, exact and in float.
#pragma once

#include <memory>

#include "core/half.h"
#include "field/sampled/min_max_tree.h"
#include "graze/field.h"
#include "parallel/buffer.h"

namespace graze {

constexpr int kBrickCells = 8;
constexpr int kBrickSamples = kBrickCells + 1;
constexpr int kBrickSize = kBrickSamples * kBrickSamples * kBrickSamples;

// A sample of order 1.
struct alignas(8) FirstOrderSample {
    Half slope[3];  // half the gradient
    Half value;     // [voxels] distance
};

// Distances beyond what a half holds become the largest it holds, which is a lower bound.
GRAZE_INLINE FirstOrderSample encode_sample(float voxels, const Vec3& gradient) {
    return {{half_from_float(gradient.x * 0.5f), half_from_float(gradient.y * 0.5f),
             half_from_float(gradient.z * 0.5f)},
            half_from_float(clamp(voxels, -65504.0f, 65504.0f))};
}

// The part of a field's error that grows with the distance: a stated error [m] holds beside this
// fraction of the distance, for samples, for what evaluate() makes of them, and for a look-up in a
// texture (field_texture.h, whose search_error() says why).
//
// Rounding to a half is off by 2^-11 of a sample, or by 2^-25 voxels below 2^-14. The samples that
// a distance d [voxels] is blended from are within 3 of d, so the blend is off by 2^-11 (|d| + 3),
// by 2^-12 more for the rounding of the slopes, and by 2^-18 (|d| + 4) for its own operations
// (min_max_tree_impl.h). That is below 2^-10 |d| + 0.0018, and certain_error() has the 0.0018
// voxels beside this.
constexpr float kFieldRelativeError = 0x1p-10f;

// Blocks are the cubes of 8 x 8 x 8 cells that tile the grid from its origin, x fastest; the last
// ones of a dense field may reach beyond it.
GRAZE_INLINE constexpr std::int64_t block_count(const FieldGrid& grid, int axis) {
    return (std::int64_t{grid.cells[axis]} + kBrickCells - 1) / kBrickCells;
}
GRAZE_INLINE constexpr std::int64_t block_count(const FieldGrid& grid) {
    return block_count(grid, 0) * block_count(grid, 1) * block_count(grid, 2);
}
// The index of a block, from its indices along each axis.
GRAZE_INLINE std::int64_t block_index(const FieldGrid& grid, const std::int32_t (&block)[3]) {
    return block[0] + block_count(grid, 0) * (block[1] + block_count(grid, 1) * block[2]);
}

struct SampledFieldView {
    FieldGrid grid;
    FieldOrder order;
    bool is_sparse;
    // True where no part of the surface is outside the grid; the distance beyond it rests on that.
    bool is_surface_inside;
    // [m] Where a block has no brick, the surface is farther than this.
    float band;

    // A dense field has one for each sample, a sparse one kBrickSize for each brick, x fastest. One
    // of the two is null.
    const float* values;              // [m] of order 0
    const FirstOrderSample* samples;  // of order 1

    // These two are for sparse fields only. The coarse level [m] is every eighth sample,
    // (block_count + 1) along each axis, x fastest.
    const float* coarse;
    const std::int32_t* brick_of_block;  // -1 where the block has no brick

    // [m] How far the interpolated distance was found to be off, doubled (error_probe.h), in each
    // block of a dense field and in each brick of a sparse one.
    const float* errors;
    MinMaxTreeView tree;
};

struct SampledField {
    explicit SampledField(Memory& memory)
        : values(memory),
          samples(memory),
          coarse(memory),
          brick_of_block(memory),
          block_of_brick(memory),
          errors(memory),
          tree(memory) {}

    FieldGrid grid{};
    FieldOrder order = FieldOrder::one;
    bool is_sparse = false;
    bool is_surface_inside = false;
    float band = 0;   // [m]
    float error = 0;  // [m] the largest of errors
    // [m] How much too short distances inside may be, beside all that interpolation does, where
    // parts of the mesh overlap (union_surface.h).
    float seam = 0;
    Buffer<float> values;
    Buffer<FirstOrderSample> samples;
    Buffer<float> coarse;
    Buffer<std::int32_t> brick_of_block;
    Buffer<std::int32_t> block_of_brick;  // ascending
    Buffer<float> errors;
    MinMaxTree tree;

    std::int64_t brick_count() const { return block_of_brick.size(); }
    std::int64_t memory_bytes() const {
        return values.size() * 4 + samples.size() * 8 + coarse.size() * 4 +
               (brick_of_block.size() + block_of_brick.size() + errors.size()) * 4 +
               tree.memory_bytes();
    }
    SampledFieldView view() const {
        return {grid,          order,          is_sparse,     is_surface_inside,     band,
                values.data(), samples.data(), coarse.data(), brick_of_block.data(), errors.data(),
                tree.view()};
    }
};

// The samples of a field that is_sampled(); null for any other.
const std::shared_ptr<const SampledField>& samples_of(const Field& field);
// Takes over samples in host memory. Throws Error where they are null, on a GPU, or where the size
// of an array does not fit the grid and the bricks.
Field make_sampled_field(std::shared_ptr<const SampledField> samples);

}  // namespace graze

// Fills SampledFields by hand, from a function of space in double precision: one sample after the
// other, in plain loops.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "field/sampled/sampled_field.h"

namespace graze::oracle {

struct Truth {
    double value;  // [m]
    Vec3d gradient;
};
using TrueField = std::function<Truth(const Vec3d& point)>;

inline Vec3d sample_position(const FieldGrid& grid, std::int64_t i, std::int64_t j,
                             std::int64_t k) {
    return static_cast<Vec3d>(grid.position(i, j, k));
}

inline FirstOrderSample first_order_sample(const Truth& truth, float spacing) {
    FirstOrderSample sample;
    for (int axis = 0; axis < 3; ++axis)
        sample.slope[axis] = half_from_float(static_cast<float>(truth.gradient[axis] / 2));
    sample.value = half_from_float(static_cast<float>(truth.value / spacing));
    return sample;
}

// Bounds the error of interpolation for any 1-Lipschitz function whose gradients have unit length.
// The blend of the corners' distances from a point is at most sqrt(3) / 2 voxels, so that corner
// values are off by that; half gradients add half of it, and half floats round both.
inline float interpolation_bound(const FieldGrid& grid, FieldOrder order, double largest) {
    const double reach = std::sqrt(3.0) / 2 * grid.spacing;
    const double rounding = order == FieldOrder::one ? 0x1p-11 * (largest + reach) : 0;
    return static_cast<float>((order == FieldOrder::one ? 1.5 : 1) * reach * 1.0001 + rounding);
}

inline double largest_value(const FieldGrid& grid, const TrueField& truth) {
    double largest = 0;
    for (std::int64_t k = 0; k < grid.samples(2); ++k)
        for (std::int64_t j = 0; j < grid.samples(1); ++j)
            for (std::int64_t i = 0; i < grid.samples(0); ++i)
                largest = std::max(largest, std::fabs(truth(sample_position(grid, i, j, k)).value));
    return largest;
}

inline void set_errors(SampledField& field, std::int64_t count, float error) {
    field.errors.resize(count);
    std::fill_n(field.errors.data(), count, error);
    field.error = error;
}

inline void set_sample(SampledField& field, std::int64_t index, const Truth& truth) {
    if (field.order == FieldOrder::zero) {
        field.values.data()[index] = static_cast<float>(truth.value);
    } else {
        field.samples.data()[index] = first_order_sample(truth, field.grid.spacing);
    }
}

inline void set_sample_count(SampledField& field, std::int64_t count) {
    if (field.order == FieldOrder::zero) {
        field.values.resize(count);
    } else {
        field.samples.resize(count);
    }
}

inline std::shared_ptr<SampledField> fill_dense(const FieldGrid& grid, FieldOrder order,
                                                bool is_surface_inside, const TrueField& truth) {
    auto field = std::make_shared<SampledField>(host_memory());
    field->grid = grid;
    field->order = order;
    field->is_surface_inside = is_surface_inside;
    set_sample_count(*field, grid.sample_count());
    std::int64_t index = 0;
    for (std::int64_t k = 0; k < grid.samples(2); ++k)
        for (std::int64_t j = 0; j < grid.samples(1); ++j)
            for (std::int64_t i = 0; i < grid.samples(0); ++i)
                set_sample(*field, index++, truth(sample_position(grid, i, j, k)));
    set_errors(*field, block_count(grid),
               interpolation_bound(grid, order, largest_value(grid, truth)));
    return field;
}

// There is a brick for every block that may come within band [m] of the surface, by the distance at
// its centre. The counts of cells must be multiples of 8.
inline std::shared_ptr<SampledField> fill_sparse(const FieldGrid& grid, FieldOrder order,
                                                 bool is_surface_inside, float band,
                                                 const TrueField& truth) {
    auto field = std::make_shared<SampledField>(host_memory());
    field->grid = grid;
    field->order = order;
    field->is_sparse = true;
    field->is_surface_inside = is_surface_inside;
    field->band = band;
    const std::int64_t size[3] = {block_count(grid, 0), block_count(grid, 1), block_count(grid, 2)};
    field->coarse.resize((size[0] + 1) * (size[1] + 1) * (size[2] + 1));
    std::int64_t index = 0;
    for (std::int64_t k = 0; k <= size[2]; ++k)
        for (std::int64_t j = 0; j <= size[1]; ++j)
            for (std::int64_t i = 0; i <= size[0]; ++i)
                field->coarse.data()[index++] =
                    static_cast<float>(truth(sample_position(grid, 8 * i, 8 * j, 8 * k)).value);

    field->brick_of_block.resize(block_count(grid));
    std::vector<std::int32_t> blocks;
    const double half_diagonal = std::sqrt(3.0) * 4 * grid.spacing;
    for (std::int64_t block = 0; block < block_count(grid); ++block) {
        const std::int64_t i = block % size[0], j = block / size[0] % size[1],
                           k = block / size[0] / size[1];
        const Vec3d centre = sample_position(grid, 8 * i + 4, 8 * j + 4, 8 * k + 4);
        const bool is_near = std::fabs(truth(centre).value) - half_diagonal <= 1.001 * band;
        field->brick_of_block.data()[block] =
            is_near ? static_cast<std::int32_t>(blocks.size()) : -1;
        if (is_near) blocks.push_back(static_cast<std::int32_t>(block));
    }
    const auto brick_count = static_cast<std::int64_t>(blocks.size());
    field->block_of_brick.resize(brick_count);
    std::copy(blocks.begin(), blocks.end(), field->block_of_brick.data());
    set_sample_count(*field, brick_count * kBrickSize);
    for (std::int64_t brick = 0; brick < brick_count; ++brick) {
        const std::int64_t block = blocks[static_cast<std::size_t>(brick)];
        const std::int64_t i = block % size[0], j = block / size[0] % size[1],
                           k = block / size[0] / size[1];
        for (std::int64_t s = 0; s < kBrickSize; ++s) {
            const Vec3d at =
                sample_position(grid, 8 * i + s % 9, 8 * j + s / 9 % 9, 8 * k + s / 81);
            set_sample(*field, brick * kBrickSize + s, truth(at));
        }
    }
    set_errors(*field, brick_count, interpolation_bound(grid, order, largest_value(grid, truth)));
    return field;
}

}  // namespace graze::oracle

// The distance and gradient of a sampled field at any point of space.
//
// In the grid of a dense field and in the bricks of a sparse one: the blend of the eight samples
// around the point, off by at most the block's stored error.
//
// Elsewhere the answer is a lower bound, by proof, the rounding of the point's place in the grid
// apart. Let S be the surface and d the distance to it.
// - Beyond the band: d^2 - |x|^2 is a minimum of affine functions, hence concave, so the blend of
//   the eight coarse corners bounds it from below: d^2(x) >= sum w_i d_i^2 - sum w_i |x - x_i|^2.
//   The last sum is s^2 (u(1-u) + v(1-v) + w(1-w)) for cells of size s. Also d >= band, by which
//   blocks got their bricks.
// - Outside the grid's box, with S inside it and c the closest point of the box: for every y in S,
//   |x - y|^2 >= |x - c|^2 + |c - y|^2, since the box is convex. So d^2(x) >= |x - c|^2 + d^2(c).
//   All of that space is on one side of S, whose sign is the first sample's: at c, where S may
//   touch the box, interpolation may have it wrong.
//   Where S may leave the box, only d(x) >= d(c) - |x - c| holds.
#pragma once

#include "field/sampled_field.h"

namespace graze {
namespace detail {

// Eight corners' worth of a cell: value [m] and gradient, not yet of unit length.
struct Blend {
    float value;
    Vec3 gradient;
};

GRAZE_INLINE Vec3 unit_or_zero(const Vec3& v) {
    const float sq = length_sq(v);
    return sq > 1e-20f ? v / std::sqrt(sq) : Vec3{0, 0, 0};
}

// The share of corner (i, j, k) of a cell in a blend at t, the place in the cell, 0 to 1 along each
// axis.
GRAZE_INLINE float corner_weight(const Vec3& t, int i, int j, int k) {
    return (i ? t.x : 1 - t.x) * (j ? t.y : 1 - t.y) * (k ? t.z : 1 - t.z);
}

// Along x, then y, then z: t is the place in the cell, 0 to 1 along each axis.
GRAZE_INLINE Blend blend_values(const float* corner, std::int64_t stride_y, std::int64_t stride_z,
                                const Vec3& t, float spacing) {
    const float* row[4] = {corner, corner + stride_y, corner + stride_z,
                           corner + stride_y + stride_z};
    float value[4], slope[4];
    for (int r = 0; r < 4; ++r) {
        slope[r] = row[r][1] - row[r][0];
        value[r] = row[r][0] + slope[r] * t.x;
    }
    const float low = value[0] + (value[1] - value[0]) * t.y;
    const float high = value[2] + (value[3] - value[2]) * t.y;
    const float slope_low = slope[0] + (slope[1] - slope[0]) * t.y;
    const float slope_high = slope[2] + (slope[3] - slope[2]) * t.y;
    const float y_low = value[1] - value[0], y_high = value[3] - value[2];
    return {low + (high - low) * t.z, Vec3{slope_low + (slope_high - slope_low) * t.z,
                                           y_low + (y_high - y_low) * t.z, high - low} /
                                          spacing};
}

GRAZE_INLINE FirstOrderSample load_sample(const FirstOrderSample* place) {
#if GRAZE_ON_DEVICE
    static_assert(sizeof(FirstOrderSample) == sizeof(uint2));
    const uint2 words = __ldg(reinterpret_cast<const uint2*>(place));
    return {{{static_cast<std::uint16_t>(words.x)},
             {static_cast<std::uint16_t>(words.x >> 16)},
             {static_cast<std::uint16_t>(words.y)}},
            {static_cast<std::uint16_t>(words.y >> 16)}};
#else
    return *place;
#endif
}

GRAZE_INLINE Blend blend_samples(const FirstOrderSample* corner, std::int64_t stride_y,
                                 std::int64_t stride_z, const Vec3& t, float spacing) {
    float value = 0;
    Vec3 slope{0, 0, 0};
    for (int k = 0; k < 2; ++k) {
        for (int j = 0; j < 2; ++j) {
            for (int i = 0; i < 2; ++i) {
                const FirstOrderSample s = load_sample(corner + i + j * stride_y + k * stride_z);
                const Vec3 a{float_from_half(s.slope[0]), float_from_half(s.slope[1]),
                             float_from_half(s.slope[2])};
                // From the corner to the point.
                const Vec3 step{t.x - static_cast<float>(i), t.y - static_cast<float>(j),
                                t.z - static_cast<float>(k)};
                const float weight = corner_weight(t, i, j, k);
                value += weight * (float_from_half(s.value) + dot(a, step));
                slope += a * weight;
            }
        }
    }
    return {value * spacing, slope * 2.0f};
}

// Where a point is in the grid: a cell, and the place in it.
struct CellPoint {
    std::int32_t cell[3];
    Vec3 t;
};

// The place of a point of the box along one axis.
GRAZE_INLINE CellPoint find_cell(const FieldGrid& grid, const Vec3& point) {
    CellPoint result;
    for (int axis = 0; axis < 3; ++axis) {
        const float last = static_cast<float>(grid.cells[axis]);
        const float x =
            min_of(max_of((point[axis] - grid.origin[axis]) / grid.spacing, 0.0f), last);
        const std::int32_t cell =
            static_cast<std::int32_t>(min_of(static_cast<float>(static_cast<std::int32_t>(x)),
                                             static_cast<float>(grid.cells[axis] - 1)));
        result.cell[axis] = cell;
        result.t[axis] = x - static_cast<float>(cell);
    }
    return result;
}

// The coarse level's lower bound in a block without a brick.
GRAZE_INLINE Blend evaluate_coarse(const SampledFieldView& field, const CellPoint& at,
                                   const std::int32_t (&block)[3]) {
    const float side = field.grid.spacing * kBrickCells;
    const std::int64_t stride_y = block_count(field.grid, 0) + 1;
    const std::int64_t stride_z = stride_y * (block_count(field.grid, 1) + 1);
    Vec3 t;
    for (int axis = 0; axis < 3; ++axis) {
        t[axis] = (static_cast<float>(at.cell[axis] - block[axis] * kBrickCells) + at.t[axis]) /
                  kBrickCells;
    }
    const float* corner = field.coarse + block[0] + block[1] * stride_y + block[2] * stride_z;
    const Blend blend = blend_values(corner, stride_y, stride_z, t, side);
    float mean_sq = 0;  // of positive terms, so that it is off by few units in its last place
    for (int k = 0; k < 2; ++k) {
        for (int j = 0; j < 2; ++j) {
            for (int i = 0; i < 2; ++i) {
                const float d = corner[i + j * stride_y + k * stride_z];
                mean_sq += d * d * corner_weight(t, i, j, k);
            }
        }
    }
    const float spread_sq = side * side * (t.x * (1 - t.x) + t.y * (1 - t.y) + t.z * (1 - t.z));
    // The factors cover the rounding of both terms and of the root.
    const float square = mean_sq * (1 - 0x1p-20f) - spread_sq * (1 + 0x1p-20f);
    const float bound = max_of(std::sqrt(max_of(square, 0.0f)), field.band);
    return {blend.value < 0 ? -bound : bound, blend.gradient};
}

// In the grid's box. error is what the value may be off.
GRAZE_INLINE Blend evaluate_in_grid(const SampledFieldView& field, const CellPoint& at,
                                    float& error) {
    std::int32_t block[3];
    for (int axis = 0; axis < 3; ++axis)
        block[axis] = at.cell[axis] / kBrickCells;
    const std::int64_t block_index =
        block[0] + block_count(field.grid, 0) * (block[1] + block_count(field.grid, 1) * block[2]);
    std::int64_t first, stride_y, stride_z;
    if (field.is_sparse) {
        const std::int32_t brick = field.brick_of_block[block_index];
        error = 0;
        if (brick < 0) return evaluate_coarse(field, at, block);
        error = field.errors[brick];
        stride_y = kBrickSamples;
        stride_z = kBrickSamples * kBrickSamples;
        first = std::int64_t{brick} * kBrickSize + (at.cell[0] - block[0] * kBrickCells) +
                (at.cell[1] - block[1] * kBrickCells) * stride_y +
                (at.cell[2] - block[2] * kBrickCells) * stride_z;
    } else {
        error = field.errors[block_index];
        stride_y = field.grid.samples(0);
        stride_z = stride_y * field.grid.samples(1);
        first = at.cell[0] + at.cell[1] * stride_y + at.cell[2] * stride_z;
    }
    return field.order == FieldOrder::zero
               ? blend_values(field.values + first, stride_y, stride_z, at.t, field.grid.spacing)
               : blend_samples(field.samples + first, stride_y, stride_z, at.t, field.grid.spacing);
}

// The sample at the grid's origin; only its sign and whether it is zero matter.
GRAZE_INLINE float first_sample(const SampledFieldView& field) {
    if (field.is_sparse) return field.coarse[0];
    if (field.order == FieldOrder::zero) return field.values[0];
    return float_from_half(load_sample(field.samples).value);
}

}  // namespace detail

GRAZE_HD inline FieldValue evaluate(const SampledFieldView& field, const Vec3& point) {
    const detail::CellPoint at = detail::find_cell(field.grid, point);
    float error;
    const detail::Blend blend = detail::evaluate_in_grid(field, at, error);
    const Vec3 gradient = detail::unit_or_zero(blend.gradient);
    const Aabb box = field.grid.box();
    const Vec3 beyond = point - min_of(max_of(point, box.min), box.max);
    const float beyond_sq = length_sq(beyond);
    if (beyond_sq == 0) return {blend.value, gradient};

    // What is certain of the distance at the box, then from there on.
    if (!field.is_surface_inside) {
        const float certain = max_of(std::fabs(blend.value) - error, 0.0f);
        const float left = max_of(certain - std::sqrt(beyond_sq), 0.0f);
        return {blend.value < 0 ? -left : left, gradient};
    }
    const float side = detail::first_sample(field) < 0 ? -1.0f : 1.0f;
    const float certain = max_of(blend.value * side - error, 0.0f);
    // From the surface to the point by way of the box. Seen from S the way to c goes in no
    // direction opposite to the rest, whatever the samples say.
    Vec3 away = gradient * (side * certain);
    for (int axis = 0; axis < 3; ++axis)
        away[axis] = (away[axis] * beyond[axis] < 0 ? 0.0f : away[axis]) + beyond[axis];
    return {std::sqrt(beyond_sq + certain * certain) * (1 - 0x1p-21f) * side,
            detail::unit_or_zero(away) * side};
}

}  // namespace graze

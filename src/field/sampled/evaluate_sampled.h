// evaluate: the distance and gradient of a sampled field at any point of space.
//
// In the grid of a dense field and in the bricks of a sparse one it is the blend of the eight
// samples around the point. How far that is off is measured block by block when a field is built
// (errors); how far it can be off at all follows from what distances are (certain_error).
//
// Elsewhere the answer is a lower bound, by proof, apart from the rounding of the point's position
// in the grid. Let S be the surface and d the distance to it.
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

#include "field/sampled/sampled_field.h"

namespace graze {
namespace detail {

// The blend of a cell's eight corners: its value [m] and gradient, which is not of unit length yet.
template <class S>
struct BlendT {
    S value;
    Vec3T<S> gradient;
};
using Blend = BlendT<float>;

GRAZE_INLINE Vec3 unit_or_zero(const Vec3& v) {
    const float sq = length_sq(v);
    return sq > 1e-20f ? v / std::sqrt(sq) : Vec3{0, 0, 0};
}

// The weight of corner (i, j, k) of a cell in a blend at t, the position in the cell, 0 to 1 along
// each axis.
GRAZE_INLINE float corner_weight(const Vec3& t, int i, int j, int k) {
    return (i ? t.x : 1 - t.x) * (j ? t.y : 1 - t.y) * (k ? t.z : 1 - t.z);
}

// Blends along x, then y, then z; t is the position in the cell, 0 to 1 along each axis. The
// corners are those where the four rows along x begin and end.
template <class S>
GRAZE_INLINE BlendT<S> blend_rows(const S (&begin)[4], const S (&end)[4], const Vec3T<S>& t,
                                  S spacing) {
    S value[4], slope[4];
    for (int r = 0; r < 4; ++r) {
        slope[r] = end[r] - begin[r];
        value[r] = begin[r] + slope[r] * t.x;
    }
    const S low = value[0] + (value[1] - value[0]) * t.y;
    const S high = value[2] + (value[3] - value[2]) * t.y;
    const S slope_low = slope[0] + (slope[1] - slope[0]) * t.y;
    const S slope_high = slope[2] + (slope[3] - slope[2]) * t.y;
    const S y_low = value[1] - value[0], y_high = value[3] - value[2];
    return {low + (high - low) * t.z, Vec3T<S>{slope_low + (slope_high - slope_low) * t.z,
                                               y_low + (y_high - y_low) * t.z, high - low} /
                                          spacing};
}
GRAZE_INLINE Blend blend_values(const float* corner, std::int64_t stride_y, std::int64_t stride_z,
                                const Vec3& t, float spacing) {
    const float* row[4] = {corner, corner + stride_y, corner + stride_z,
                           corner + stride_y + stride_z};
    const float begin[4] = {row[0][0], row[1][0], row[2][0], row[3][0]};
    const float end[4] = {row[0][1], row[1][1], row[2][1], row[3][1]};
    return blend_rows<float>(begin, end, t, spacing);
}

GRAZE_INLINE FirstOrderSample load_sample(const FirstOrderSample* sample) {
#if GRAZE_ON_DEVICE
    static_assert(sizeof(FirstOrderSample) == sizeof(uint2));
    const uint2 words = __ldg(reinterpret_cast<const uint2*>(sample));
    return {{{static_cast<std::uint16_t>(words.x)},
             {static_cast<std::uint16_t>(words.x >> 16)},
             {static_cast<std::uint16_t>(words.y)}},
            {static_cast<std::uint16_t>(words.y >> 16)}};
#else
    return *sample;
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
                // The step leads from the corner to the point.
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

// Where a point is in the grid: a cell, and the position in it.
struct CellPoint {
    std::int32_t cell[3];
    Vec3 t;  // 0 to 1 along each axis
};

// Finds the cell of a point. One beyond the box counts as the closest point of the box.
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

// A lower bound of the distance in a cell, from the distances at its corners: the root of their
// mean square less the corners' mean square distance from the point. The corners' squares are off
// by a fraction of `rounding`.
template <class ValueAt>
GRAZE_INLINE float lower_bound(const ValueAt& value_at, const Vec3& t, float side, float rounding) {
    float mean_sq = 0;  // a sum of positive terms, so that it is off by few units in its last digit
    for (int k = 0; k < 2; ++k) {
        for (int j = 0; j < 2; ++j) {
            for (int i = 0; i < 2; ++i) {
                const float d = value_at(i, j, k);
                mean_sq += d * d * corner_weight(t, i, j, k);
            }
        }
    }
    const float spread_sq = side * side * (t.x * (1 - t.x) + t.y * (1 - t.y) + t.z * (1 - t.z));
    // The factors cover the rounding of both terms and of the root.
    const float square = mean_sq * (1 - 0x1p-20f - rounding) - spread_sq * (1 + 0x1p-20f);
    return std::sqrt(max_of(square, 0.0f));
}

// Where the eight samples around a point are: in values, in samples or in coarse.
struct CellCorners {
    std::int64_t first, stride_y, stride_z;
    bool is_coarse;  // then they are the corners of a whole block
    Vec3 t;          // the point's position in the cell or block, 0 to 1 along each axis
};

// Finds the samples around a point of the grid's box.
GRAZE_INLINE CellCorners find_corners(const SampledFieldView& field, const CellPoint& at) {
    if (!field.is_sparse) {
        const std::int64_t stride_y = field.grid.samples(0);
        const std::int64_t stride_z = stride_y * field.grid.samples(1);
        return {at.cell[0] + at.cell[1] * stride_y + at.cell[2] * stride_z, stride_y, stride_z,
                false, at.t};
    }
    const std::int32_t block[3] = {at.cell[0] / kBrickCells, at.cell[1] / kBrickCells,
                                   at.cell[2] / kBrickCells};
    const std::int32_t local[3] = {at.cell[0] - block[0] * kBrickCells,
                                   at.cell[1] - block[1] * kBrickCells,
                                   at.cell[2] - block[2] * kBrickCells};
    const std::int32_t brick = field.brick_of_block[block_index(field.grid, block)];
    if (brick >= 0) {
        constexpr std::int64_t stride_z = kBrickSamples * kBrickSamples;
        return {std::int64_t{brick} * kBrickSize + local[0] + local[1] * kBrickSamples +
                    local[2] * stride_z,
                kBrickSamples, stride_z, false, at.t};
    }
    const std::int64_t stride_y = block_count(field.grid, 0) + 1;
    const std::int64_t stride_z = stride_y * (block_count(field.grid, 1) + 1);
    const Vec3 t{(static_cast<float>(local[0]) + at.t.x) / kBrickCells,
                 (static_cast<float>(local[1]) + at.t.y) / kBrickCells,
                 (static_cast<float>(local[2]) + at.t.z) / kBrickCells};
    return {block[0] + block[1] * stride_y + block[2] * stride_z, stride_y, stride_z, true, t};
}

// A lower bound of the distance anywhere in the grid.
GRAZE_INLINE float lower_bound_in_grid(const SampledFieldView& field, const CellCorners& at) {
    const std::int64_t stride_y = at.stride_y, stride_z = at.stride_z;
    const float spacing = field.grid.spacing;
    if (at.is_coarse) {
        const float* corner = field.coarse + at.first;
        const auto value_at = [&](int i, int j, int k) {
            return corner[i + j * stride_y + k * stride_z];
        };
        return max_of(lower_bound(value_at, at.t, spacing * kBrickCells, 0), field.band);
    }
    if (field.order == FieldOrder::zero) {
        const float* corner = field.values + at.first;
        const auto value_at = [&](int i, int j, int k) {
            return corner[i + j * stride_y + k * stride_z];
        };
        return lower_bound(value_at, at.t, spacing, 0);
    }
    const FirstOrderSample* corner = field.samples + at.first;
    const auto value_at = [&](int i, int j, int k) {
        return float_from_half(load_sample(corner + i + j * stride_y + k * stride_z).value) *
               spacing;
    };
    return lower_bound(value_at, at.t, spacing, 2 * kFieldRelativeError);
}

// The value in the grid's box.
GRAZE_INLINE Blend evaluate_in_grid(const SampledFieldView& field, const CellCorners& at) {
    const float spacing = field.grid.spacing;
    if (at.is_coarse) {
        const Blend blend = blend_values(field.coarse + at.first, at.stride_y, at.stride_z, at.t,
                                         spacing * kBrickCells);
        const float bound = lower_bound_in_grid(field, at);
        return {blend.value < 0 ? -bound : bound, blend.gradient};
    }
    return field.order == FieldOrder::zero
               ? blend_values(field.values + at.first, at.stride_y, at.stride_z, at.t, spacing)
               : blend_samples(field.samples + at.first, at.stride_y, at.stride_z, at.t, spacing);
}
GRAZE_INLINE Blend evaluate_in_grid(const SampledFieldView& field, const CellPoint& at) {
    return evaluate_in_grid(field, find_corners(field, at));
}

// The sample at the grid's origin; only its sign and whether it is zero matter.
GRAZE_INLINE float first_sample(const SampledFieldView& field) {
    if (field.is_sparse) return field.coarse[0];
    if (field.order == FieldOrder::zero) return field.values[0];
    return float_from_half(load_sample(field.samples).value);
}

}  // namespace detail

// [m] How far the distance at a point with samples around it can be off at all. Distances change by
// no more than the path between two points is long, so their blend is off by at most the mean path
// to the eight corners, sqrt(3)/2 of a voxel in the middle, and half gradients add half of that.
GRAZE_INLINE float certain_error(const SampledFieldView& field, float value) {
    return field.order == FieldOrder::zero
               ? field.grid.spacing * 0.86603f
               : field.grid.spacing * 1.301f + std::fabs(value) * kFieldRelativeError;
}

GRAZE_HD inline FieldValue evaluate(const SampledFieldView& field, const Vec3& point) {
    const detail::CellPoint at = detail::find_cell(field.grid, point);
    const detail::CellCorners corners = detail::find_corners(field, at);
    const detail::Blend blend = detail::evaluate_in_grid(field, corners);
    const Vec3 gradient = detail::unit_or_zero(blend.gradient);
    const Aabb box = field.grid.box();
    const Vec3 beyond = point - min_of(max_of(point, box.min), box.max);
    const float beyond_sq = length_sq(beyond);
    if (beyond_sq == 0) return {blend.value, gradient};

    // This is certain of the distance at the box; from there on it follows.
    const float certain = detail::lower_bound_in_grid(field, corners);
    if (!field.is_surface_inside) {
        const float left = max_of(certain - std::sqrt(beyond_sq), 0.0f);
        return {blend.value < 0 ? -left : left, gradient};
    }
    const float side = detail::first_sample(field) < 0 ? -1.0f : 1.0f;
    // The direction leads from the surface to the point through the box. Seen from S the step to c
    // goes in no direction opposite to the rest, whatever the samples say.
    Vec3 away = gradient * (side * certain);
    for (int axis = 0; axis < 3; ++axis)
        away[axis] = (away[axis] * beyond[axis] < 0 ? 0.0f : away[axis]) + beyond[axis];
    return {std::sqrt(beyond_sq + certain * certain) * (1 - 0x1p-21f) * side,
            detail::unit_or_zero(away) * side};
}

}  // namespace graze

// FieldCell: one cell of a sampled field in its own frame, from 0 to 1 along each axis, in voxels
// and in double. With slopes a the value in it is sum w_i (f_i + a_i . (x - x_i)), which along a
// line parallel to an axis is a quadratic function of the coordinate on it.
#pragma once

#include "field/sampled/evaluate_sampled.h"

namespace graze {

// c0 + c1 s + c2 s^2.
struct Quadratic {
    double c0, c1, c2;
    double operator()(double s) const { return c0 + s * (c1 + s * c2); }
};

struct FieldCell {
    double value[8];     // [voxels] by corner, x fastest
    double slope[3][8];  // half the gradient, by axis and corner

    // Returns the value along `axis`, where p and q are the coordinates on the next two axes in
    // cyclic order.
    Quadratic along(int axis, double p, double q) const {
        const int b = (axis + 1) % 3, c = (axis + 2) % 3;
        double end[2] = {}, tangent[2] = {};
        for (int j = 0; j < 2; ++j) {
            for (int k = 0; k < 2; ++k) {
                const double weight = (j ? p : 1 - p) * (k ? q : 1 - q);
                for (int e = 0; e < 2; ++e) {
                    const int i = e << axis | j << b | k << c;
                    end[e] += weight * (value[i] + slope[b][i] * (p - j) + slope[c][i] * (q - k));
                    tangent[e] += weight * slope[axis][i];
                }
            }
        }
        // The value is (1 - s) (end0 + tangent0 s) + s (end1 + tangent1 (s - 1)).
        const double bend = tangent[0] - tangent[1];
        return {end[0], end[1] - end[0] + bend, -bend};
    }

    struct Range {
        double min, max;
    };
    // The value certainly lies in this range; min_max_tree_impl.h says why.
    Range range() const {
        Range result{value[0], value[0]};
        for (int i = 1; i < 8; ++i)
            result = {min_of(result.min, value[i]), max_of(result.max, value[i])};
        for (int axis = 0; axis < 3; ++axis) {
            double lower = 0, raise = 0;
            for (int i = 0; i < 8; ++i) {
                if (i >> axis & 1) continue;
                const double bend = slope[axis][i] - slope[axis][i | 1 << axis];
                lower = min_of(lower, bend);
                raise = max_of(raise, bend);
            }
            result = {result.min + lower / 4, result.max + raise / 4};
        }
        return result;
    }

    // The axis along which the value changes most from face to face.
    int steepest_axis() const {
        double rise[3] = {};
        for (int i = 0; i < 8; ++i) {
            for (int axis = 0; axis < 3; ++axis)
                rise[axis] += i >> axis & 1 ? value[i] : -value[i];
        }
        int best = 0;
        for (int axis = 1; axis < 3; ++axis) {
            if (std::fabs(rise[axis]) > std::fabs(rise[best])) best = axis;
        }
        return best;
    }
};

// Where the samples of a block of cells are, in a dense field or in a brick.
struct SampleBox {
    const float* values;              // order 0: the first value; or null
    const FirstOrderSample* samples;  // order 1: the first sample; or null
    std::int64_t stride_y, stride_z;
    double inverse_spacing;  // [1/m]
    // The first and last samples that exist along each axis, counted from the first one of the box.
    std::int32_t low[3], high[3];

    std::int64_t offset(int i, int j, int k) const { return i + j * stride_y + k * stride_z; }
    // [voxels]
    double value(int i, int j, int k) const {
        return values ? values[offset(i, j, k)] * inverse_spacing
                      : double(float_from_half(samples[offset(i, j, k)].value));
    }
    FieldCell cell(int i, int j, int k) const {
        FieldCell result;
        for (int n = 0; n < 8; ++n) {
            const std::int32_t corner[3] = {i + (n & 1), j + (n >> 1 & 1), k + (n >> 2)};
            result.value[n] = value(corner[0], corner[1], corner[2]);
            for (int axis = 0; axis < 3; ++axis)
                result.slope[axis][n] = slope(corner, axis, n >> axis & 1 ? -1 : 1);
        }
        return result;
    }
    // Half the gradient along an axis, for the cells to the given side of the sample, 1 or -1.
    double slope(const std::int32_t (&sample)[3], int axis, int side) const {
        const std::int64_t at = offset(sample[0], sample[1], sample[2]);
        return values ? slope_from_values(values + at, sample, axis, side)
                      : double(float_from_half(samples[at].slope[axis]));
    }

private:
    // Slopes come from differences, so that cells of values alone are as exact as those of order 1,
    // where evaluate() would be off by the curvature. Where the distance has a kink, as in the
    // middle of a thin wall, only what is on the cell's side counts.
    double slope_from_values(const float* here, const std::int32_t (&sample)[3], int axis,
                             int side) const {
        constexpr double kKink = 1.25;  // of the gradient, from one sample to the next
        const std::int64_t steps[3] = {1, stride_y, stride_z};
        const auto difference = [&](int from) {  // to the next sample on that side
            const float* start = here + from * side * steps[axis];
            return (double(start[side * steps[axis]]) - double(*start)) * side * inverse_spacing;
        };
        const auto is_there = [&](int n) {
            const std::int32_t p = sample[axis] + n * side;
            return p >= low[axis] && p <= high[axis];
        };
        const double inner = difference(0);
        double outer = inner;
        if (is_there(-1)) {
            outer = difference(-1);
        } else if (is_there(2)) {
            outer = 2 * inner - difference(1);
        }
        return (std::fabs(outer - inner) < kKink ? (inner + outer) / 2 : inner) / 2;
    }
};

// A block of 8 x 8 x 8 cells; the last ones of a dense field have fewer.
struct FieldBlock {
    std::int32_t index[3];  // along each axis
    std::int32_t brick;     // -1 in a sparse field where there is none; 0 in a dense one
    std::int32_t begin[3];  // its first cell
    std::int32_t cells[3];

    FieldBlock(const SampledFieldView& field, std::int64_t x, std::int64_t y, std::int64_t z)
        : index{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
                static_cast<std::int32_t>(z)},
          brick(field.is_sparse ? field.brick_of_block[x + block_count(field.grid, 0) *
                                                               (y + block_count(field.grid, 1) * z)]
                                : 0) {
        for (int axis = 0; axis < 3; ++axis) {
            begin[axis] = index[axis] * kBrickCells;
            cells[axis] = min_of(kBrickCells, field.grid.cells[axis] - begin[axis]);
        }
    }

    // Its samples; the block has a brick, or the field is dense.
    SampleBox samples(const SampledFieldView& field) const {
        SampleBox box{nullptr,
                      nullptr,
                      kBrickSamples,
                      kBrickSamples * kBrickSamples,
                      1.0 / double(field.grid.spacing),
                      {0, 0, 0},
                      {kBrickCells, kBrickCells, kBrickCells}};
        std::int64_t first = std::int64_t{brick} * kBrickSize;
        if (!field.is_sparse) {
            box.stride_y = field.grid.samples(0);
            box.stride_z = box.stride_y * field.grid.samples(1);
            first = box.offset(begin[0], begin[1], begin[2]);
            for (int axis = 0; axis < 3; ++axis) {
                box.low[axis] = -begin[axis];
                box.high[axis] = field.grid.cells[axis] - begin[axis];
            }
        }
        if (field.order == FieldOrder::zero) {
            box.values = field.values + first;
        } else {
            box.samples = field.samples + first;
        }
        return box;
    }

    // Whether a block without a brick is inside: all of it is on one side, as the surface does not
    // come near.
    bool is_inside(const SampledFieldView& field) const {
        const std::int64_t stride_y = block_count(field.grid, 0) + 1;
        const std::int64_t stride_z = stride_y * (block_count(field.grid, 1) + 1);
        return field.coarse[index[0] + index[1] * stride_y + index[2] * stride_z] < 0;
    }
};

}  // namespace graze

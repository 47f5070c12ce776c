// BoundValues and BoundSamples: the bounds of the smallest cubes of a min/max tree, one work item
// each; min_max_tree_impl.h says why they hold.
#pragma once

#include "core/grid_coordinates.h"
#include "core/half_below.h"
#include "field/sampled/evaluate_sampled.h"

namespace graze {
namespace min_max_detail {

constexpr float kRounding = 0x1p-18f;

struct Range {
    float min, max;

    GRAZE_INLINE static Range empty() {
        constexpr float inf = std::numeric_limits<float>::infinity();
        return {inf, -inf};
    }
    GRAZE_INLINE void add(float value) {
        min = min_of(min, value);
        max = max_of(max, value);
    }
    GRAZE_INLINE void add(const Range& other) {
        min = min_of(min, other.min);
        max = max_of(max, other.max);
    }
    GRAZE_INLINE float magnitude() const { return max_of(-min, max); }
};

// Grows a range by slack and rounds it outward. Adding zero makes one of the two zeros, between
// which min_of and max_of choose differently on the two machines.
GRAZE_INLINE MinMax round_outward(const Range& voxels, float slack) {
    return {half_below((voxels.min - slack) + 0.0f), half_above((voxels.max + slack) + 0.0f)};
}

// The samples of a cube, in a dense field or in a brick: the index of the first one, and the
// strides to the next along y and z.
struct SampleBlock {
    std::int64_t first, stride_y, stride_z;
    std::int32_t cells[3];
};

// Finds the samples of a cube of level 0. A dense field has the cubes in their order, a sparse one
// has eight in each brick.
GRAZE_INLINE SampleBlock find_samples(const SampledFieldView& field, std::int64_t cube) {
    constexpr std::int32_t kCells = kMinMaxLeafCells;
    SampleBlock result;
    if (field.is_sparse) {
        result = {0, kBrickSamples, kBrickSamples * kBrickSamples, {kCells, kCells, kCells}};
        result.first =
            cube / 8 * kBrickSize + kCells * ((cube & 1) + (cube >> 1 & 1) * result.stride_y +
                                              (cube >> 2 & 1) * result.stride_z);
        return result;
    }
    const FieldGrid& grid = field.grid;
    const GridCoordinates at =
        coordinates_of(cube, min_max_size(grid, 0, 0), min_max_size(grid, 0, 1));
    const std::int64_t index[3] = {at.x, at.y, at.z};
    result = {0, grid.samples(0), grid.samples(0) * grid.samples(1), {}};
    result.first = kCells * (at.x + at.y * result.stride_y + at.z * result.stride_z);
    for (int axis = 0; axis < 3; ++axis) {
        result.cells[axis] = static_cast<std::int32_t>(
            min_of<std::int64_t>(kCells, grid.cells[axis] - index[axis] * kCells));
    }
    return result;
}

struct BoundValues {
    SampledFieldView field;
    MinMax* nodes;
    GRAZE_HD void operator()(std::int64_t cube) const {
        const SampleBlock block = find_samples(field, cube);
        Range range = Range::empty();
        for (std::int32_t k = 0; k <= block.cells[2]; ++k) {
            for (std::int32_t j = 0; j <= block.cells[1]; ++j) {
                const float* row =
                    field.values + block.first + j * block.stride_y + k * block.stride_z;
                for (std::int32_t i = 0; i <= block.cells[0]; ++i)
                    range.add(row[i]);
            }
        }
        nodes[cube] = finish(range, field.grid.spacing);
    }

    GRAZE_INLINE static MinMax finish(const Range& metres, float spacing) {
        const Range voxels{metres.min / spacing, metres.max / spacing};
        return round_outward(voxels, voxels.magnitude() * kRounding);
    }
};

// The four components of a sample: slopes along x, y and z, then the value.
struct Four {
    float of[4];
};
GRAZE_INLINE Four load_four(const FirstOrderSample* sample) {
    const FirstOrderSample s = detail::load_sample(sample);
    return {{float_from_half(s.slope[0]), float_from_half(s.slope[1]), float_from_half(s.slope[2]),
             float_from_half(s.value)}};
}

// A cell's face across x: its corners (0, 0), (1, 0), (0, 1) and (1, 1) in y and z, their range,
// and how much the slopes along y and z differ along its edges.
struct Face {
    Four corner[4];
    Range range[4];
    Range edges[3];  // only [1] and [2] are used
};
GRAZE_INLINE Face load_face(const FirstOrderSample* corner, std::int64_t stride_y,
                            std::int64_t stride_z) {
    Face face;
    for (int c = 0; c < 4; ++c)
        face.corner[c] = load_four(corner + (c & 1) * stride_y + (c >> 1) * stride_z);
    for (int n = 0; n < 4; ++n) {
        face.range[n] = {face.corner[0].of[n], face.corner[0].of[n]};
        for (int c = 1; c < 4; ++c)
            face.range[n].add(face.corner[c].of[n]);
    }
    for (int axis = 1; axis < 3; ++axis) {
        const int across = 3 - axis;  // the step between the two edges, by corner
        face.edges[axis] = Range::empty();
        for (int edge = 0; edge < 2; ++edge) {
            const int from = edge * across;
            face.edges[axis].add(face.corner[from].of[axis] - face.corner[from + axis].of[axis]);
        }
    }
    return face;
}

struct BoundSamples {
    SampledFieldView field;
    MinMax* nodes;
    GRAZE_HD void operator()(std::int64_t cube) const {
        const SampleBlock block = find_samples(field, cube);
        Range result = Range::empty();
        Range slopes[3] = {Range::empty(), Range::empty(), Range::empty()};
        for (std::int32_t k = 0; k < block.cells[2]; ++k) {
            for (std::int32_t j = 0; j < block.cells[1]; ++j) {
                const FirstOrderSample* row =
                    field.samples + block.first + j * block.stride_y + k * block.stride_z;
                bound_row(row, block, result, slopes);
            }
        }
        nodes[cube] = finish(result, slopes[0], slopes[1], slopes[2]);
    }

    GRAZE_INLINE static MinMax finish(const Range& voxels, const Range& slope_x,
                                      const Range& slope_y, const Range& slope_z) {
        const float reach =
            voxels.magnitude() + slope_x.magnitude() + slope_y.magnitude() + slope_z.magnitude();
        return round_outward(voxels, reach * kRounding);
    }

    // Goes from cell to cell along x, and from the face before a cell to the one after it.
    GRAZE_INLINE static void bound_row(const FirstOrderSample* row, const SampleBlock& block,
                                       Range& result, Range (&slopes)[3]) {
        Face left = load_face(row, block.stride_y, block.stride_z);
        for (int axis = 0; axis < 3; ++axis)
            slopes[axis].add(left.range[axis]);
        for (std::int32_t i = 0; i < block.cells[0]; ++i) {
            const Face right = load_face(row + i + 1, block.stride_y, block.stride_z);
            Range cell = left.range[3];
            cell.add(right.range[3]);
            Range differences[3] = {Range::empty(), left.edges[1], left.edges[2]};
            for (int c = 0; c < 4; ++c)
                differences[0].add(left.corner[c].of[0] - right.corner[c].of[0]);
            float lower = 0, raise = 0;
            for (int axis = 0; axis < 3; ++axis) {
                if (axis > 0) differences[axis].add(right.edges[axis]);
                slopes[axis].add(right.range[axis]);
                lower += min_of(differences[axis].min, 0.0f);
                raise += max_of(differences[axis].max, 0.0f);
            }
            result.add({cell.min + lower * 0.25f, cell.max + raise * 0.25f});
            left = right;
        }
    }
};

}  // namespace min_max_detail
}  // namespace graze

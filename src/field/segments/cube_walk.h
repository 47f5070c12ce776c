// CubeWalk: where a walk along a path is in a sampled field, and what the min/max tree says about
// the cube it is in.
#pragma once

#include "field/sampled/evaluate_sampled.h"
#include "field/sampled/leaf_planes.h"
#include "field/segments/grid_line.h"

namespace graze {

// A level of a sampled field, and which side of it is inside.
struct FieldLevel {
    float value;  // in the unit of samples: metres for order 0, voxels for order 1
    float metres;
    float voxels;
    float orientation;  // 1: inside is not above the level; -1: not below
    // [voxels] Bounds of cubes decide only beyond this, so that the rounding of coefficients, which
    // is below 2^-20 of the values, never does.
    float margin;
    // In the unit of samples. Positions are rounded to 2^-14 voxels in a grid of 1024 cells, and so
    // are the values on both sides of a face.
    float rounding;
    bool is_deep;  // whether the level may cross blocks without bricks
    // How much values change along a path of length 1 at most; 0 where it is not known.
    float steepness;
    float slack;              // [voxels] see grid_walk.h
    const LeafPlane* planes;  // by leaf of the tree; null where there are none
};

GRAZE_INLINE FieldLevel make_field_level(const SampledFieldView& field, float metres,
                                         float orientation, float steepness,
                                         const LeafPlane* planes) {
    const float voxels = metres / field.grid.spacing;
    return {field.order == FieldOrder::zero ? metres : voxels,
            metres,
            voxels,
            orientation,
            0x1p-16f * (1 + std::fabs(voxels)),
            0x1p-12f * (field.order == FieldOrder::zero ? field.grid.spacing : 1.0f),
            field.is_sparse && std::fabs(metres) >= field.band,
            steepness,
            1.6f + (field.is_sparse ? (24 / 1.73f + 2 * 6.93f) * steepness : 0.0f),
            planes};
}

// How a leaf's plane is passed along a path: its height over the level at time 0 [voxels], by how
// much that grows until time 1, and how far values can be from it.
template <class T>
struct PlanePath {
    T height, rate, reach;
};

GRAZE_INLINE PlanePath<float> plane_path(const LeafPlane& plane, const GridLine& line,
                                         const std::int32_t (&low)[3], const FieldLevel& level) {
    PlanePath<float> path{plane.offset - level.voxels, 0, float_from_half(plane.error)};
    float largest = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const float slope = float_from_half(plane.slope[axis]);
        path.height += slope * (line.from[axis] - static_cast<float>(low[axis]));
        path.rate += slope * line.path[axis];
        largest += std::fabs(line.from[axis]) + std::fabs(line.path[axis]);
    }
    // Slopes are at most 4 where the error is finite, so that all of this rounds by less; positions
    // of cells round by less than 2^-20 of it, too.
    path.reach += 0x1p-10f + 0x1p-17f * largest + level.margin;
    return path;
}

class CubeWalk {
public:
    GRAZE_INLINE CubeWalk(const SampledFieldView& field, const GridLine& line,
                          const FieldLevel& level)
        : field_(&field), line_(line), level_(level) {}
    // Without a field, which is given later.
    GRAZE_INLINE CubeWalk(const GridLine& line, const FieldLevel& level)
        : field_(nullptr), line_(line), level_(level) {}

protected:
    GRAZE_INLINE void start(float begin, float end) {
        time_ = begin_ = begin;
        end_ = end;
        is_done_ = false;
        for_each_axis(
            [&](int axis) { cell_[axis] = line_.cell(axis, begin, field_->grid.cells[axis]); });
    }

    // 1 where all values of the cube that the walk is in are outside, -1 where all are inside, 0
    // where it is not certain. clear is by how much, less the slack of a path [voxels]. By default
    // values are those of grid_walk.h; else they are what evaluate() gives.
    template <bool kOfEvaluate = false>
    GRAZE_INLINE int side_of_cube(int depth, float* clear = nullptr) const {
        const int shift = 2 + depth;
        const std::int32_t x = cell_[0] >> shift, y = cell_[1] >> shift, z = cell_[2] >> shift;
        std::int64_t node;
        bool is_exact = kOfEvaluate || !level_.is_deep;
        if (field_->is_sparse && depth == 0) {
            const std::int32_t block[3] = {x / 2, y / 2, z / 2};
            const std::int32_t brick = field_->brick_of_block[block_index(field_->grid, block)];
            if (brick < 0) return kOfEvaluate ? side_of_cube<true>(1) : 0;
            node = std::int64_t{brick} * 8 + (x & 1) + 2 * (y & 1) + 4 * (z & 1);
            is_exact = true;
        } else {
            node = field_->tree.offsets[depth] + x +
                   min_max_size(field_->grid, depth, 0) *
                       (y + min_max_size(field_->grid, depth, 1) * z);
        }
        const MinMax bounds = field_->tree.nodes[node];
        const float above = float_from_half(bounds.min) - level_.voxels;
        const float below = level_.voxels - float_from_half(bounds.max);
        const float nearest = max_of(above, below);
        if (!(nearest > level_.margin)) return 0;
        // Where the level is deep, only what is farther than it is certain.
        if (!is_exact && (above > below) != (level_.voxels > 0)) return 0;
        if (clear) *clear = nearest - level_.slack;
        return (above > below) == (level_.orientation > 0) ? 1 : -1;
    }

    GRAZE_INLINE float time_of_exit(const std::int32_t (&low)[3],
                                    const std::int32_t (&size)[3]) const {
        return min_of(min_of(line_.exit(0, low[0], size[0]), line_.exit(1, low[1], size[1])),
                      line_.exit(2, low[2], size[2]));
    }

    // Goes to the cell behind a cube.
    GRAZE_INLINE void leave(const std::int32_t (&low)[3], const std::int32_t (&size)[3]) {
        const float exit[3] = {line_.exit(0, low[0], size[0]), line_.exit(1, low[1], size[1]),
                               line_.exit(2, low[2], size[2])};
        const int axis = first_of(exit);
        time_ = min_of(min_of(exit[0], exit[1]), exit[2]);
        if (!(time_ < end_)) {
            is_done_ = true;
            return;
        }
        for_each_axis([&](int k) {
            if (k != axis) {
                advance(k);
                return;
            }
            cell_[k] = line_.step[k] > 0 ? low[k] + size[k] : low[k] - 1;
            is_done_ = cell_[k] < 0 || cell_[k] >= field_->grid.cells[k];
        });
    }
    // Where a plane is passed at this very time, a cell before and behind it would do; the walk
    // never goes back, so that it ends.
    GRAZE_INLINE void advance(int axis) {
        const std::int32_t cell = line_.cell(axis, time_, field_->grid.cells[axis]);
        if ((cell - cell_[axis]) * line_.step[axis] > 0) cell_[axis] = cell;
    }
    GRAZE_INLINE void go_to(float time) {
        if (!(time < end_)) {
            is_done_ = true;
            return;
        }
        time_ = time;
        for_each_axis([&](int axis) { advance(axis); });
        // The walk goes on where the cell is entered, so that a cell's times are always the same.
        time_ = time_of_entry(cell_, 1);
    }
    GRAZE_INLINE float time_of_entry(const std::int32_t (&low)[3], std::int32_t size) const {
        return max_of(max_of(line_.entry(0, low[0], size), line_.entry(1, low[1], size)),
                      max_of(line_.entry(2, low[2], size), begin_));
    }

    static GRAZE_INLINE int first_of(const float (&times)[3]) {
        const int least = times[1] < times[0] ? 1 : 0;
        return times[2] < times[least] ? 2 : least;
    }

    const SampledFieldView* field_;
    const GridLine& line_;
    const FieldLevel& level_;
    float begin_ = 0, time_ = 0, end_ = 1;
    bool is_done_ = false;
    std::int32_t cell_[3] = {};
};

}  // namespace graze

// LeafPlane: in each of the smallest cubes of a min/max tree, 4 x 4 x 4 cells, a linear function
// and how far the field's value is from it at most. Distances are nearly linear there, so that a
// search knows from 12 bytes which part of a path through the cube can meet a level, and looks at
// the samples of one or two cells where bounds alone would have it look at all along the path.
//
// A trilinear blend reproduces a linear function, so its difference from one lies between those of
// the corners. Order 1 adds for each axis u (1 - u) times a blend of differences of slopes
// (line_polynomial.h), at most a quarter of the largest.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/half.h"
#include "field/field_view.h"
#include "field/sampled/sampled_field.h"
#include "parallel/upload.h"

namespace graze {

// In voxels, with u the position from the first sample of the cube: the value, as GridWalk has it,
// is within `error` of offset + slope * u. Rounding is included, that of evaluating this too.
struct LeafPlane {
    float offset;
    Half slope[3];
    Half error;  // infinite where nothing is known
};
static_assert(sizeof(LeafPlane) == 12);

namespace leaf_plane_detail {

// The samples of a cube, at most 5 x 5 x 5.
struct LeafSamples {
    const SampledFieldView& field;
    std::int64_t first, stride_y, stride_z;
    int size[3];  // samples along each axis, 2 to 5

    GRAZE_INLINE std::int64_t index(int x, int y, int z) const {
        return first + x + y * stride_y + z * stride_z;
    }
    GRAZE_INLINE float value(int x, int y, int z) const {  // [voxels]
        const std::int64_t i = index(x, y, z);
        return field.order == FieldOrder::zero ? field.values[i] / field.grid.spacing
                                               : float_from_half(field.samples[i].value);
    }
    GRAZE_INLINE float slope(int axis, int x, int y, int z) const {
        return float_from_half(field.samples[index(x, y, z)].slope[axis]);
    }
};

GRAZE_HD inline LeafPlane fit_plane(const LeafSamples& cube) {
    const int last[3] = {cube.size[0] - 1, cube.size[1] - 1, cube.size[2] - 1};
    // The slopes are those between the means of opposite corners.
    float rise[3] = {0, 0, 0};
    for (int corner = 0; corner < 8; ++corner) {
        const int side[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
        const float value =
            cube.value(side[0] * last[0], side[1] * last[1], side[2] * last[2]) * 0.25f;
        for (int axis = 0; axis < 3; ++axis)
            rise[axis] += side[axis] != 0 ? value : -value;
    }
    LeafPlane plane;
    float slope[3];
    for (int axis = 0; axis < 3; ++axis) {
        plane.slope[axis] = half_from_float(rise[axis] / static_cast<float>(last[axis]));
        slope[axis] = float_from_half(plane.slope[axis]);
    }
    const auto residual = [&](int x, int y, int z) {
        return cube.value(x, y, z) -
               (slope[0] * static_cast<float>(x) + slope[1] * static_cast<float>(y) +
                slope[2] * static_cast<float>(z));
    };
    float least = residual(0, 0, 0), most = least;
    bool is_finite = true;      // comparisons alone would pass over what is not a number
    float bend[3] = {0, 0, 0};  // the largest difference of slopes along an edge
    for (int z = 0; z <= last[2]; ++z) {
        for (int y = 0; y <= last[1]; ++y) {
            for (int x = 0; x <= last[0]; ++x) {
                const float r = residual(x, y, z);
                is_finite = is_finite && std::fabs(r) < 0x1p126f;
                least = min_of(least, r);
                most = max_of(most, r);
                if (cube.field.order == FieldOrder::zero) continue;
                const auto add_edge = [&](int axis, int dx, int dy, int dz) {
                    const float difference =
                        cube.slope(axis, x, y, z) - cube.slope(axis, x + dx, y + dy, z + dz);
                    is_finite = is_finite && std::fabs(difference) < 0x1p126f;
                    bend[axis] = max_of(bend[axis], std::fabs(difference));
                };
                if (x < last[0]) add_edge(0, 1, 0, 0);
                if (y < last[1]) add_edge(1, 0, 1, 0);
                if (z < last[2]) add_edge(2, 0, 0, 1);
            }
        }
    }
    plane.offset = 0.5f * (least + most);
    const float spread = 0.5f * (most - least) + 0.25f * (bend[0] + bend[1] + bend[2]);
    // What rounds here are sums of a few terms, each no larger than the values and four slopes; the
    // half rounds by 2^-11, and below 2^-14 by 2^-25.
    const float rounding = 0x1p-19f * (std::fabs(least) + std::fabs(most) + 16);
    plane.error = half_from_float((spread + rounding) * (1 + 0x1p-9f) + 0x1p-24f);
    // Along a steep plane positions would have to be known more precisely than they are, so that
    // plane_path() could not rely on it.
    const bool is_flat =
        std::fabs(slope[0]) <= 4 && std::fabs(slope[1]) <= 4 && std::fabs(slope[2]) <= 4;
    const bool is_known =
        is_finite && is_flat && spread < 1024 && std::fabs(plane.offset) < 0x1p20f;
    if (!is_known) plane.error = half_from_float(std::numeric_limits<float>::infinity());
    return plane;
}

struct FitLeafPlane {
    SampledFieldView field;
    LeafPlane* planes;  // out

    GRAZE_HD void operator()(std::int64_t leaf) const {
        std::int32_t low[3];  // the cube's first cell, in the grid or in its brick
        std::int64_t first = 0, stride[3] = {1, kBrickSamples, kBrickSamples * kBrickSamples};
        std::int32_t cells[3] = {kBrickCells, kBrickCells, kBrickCells};
        if (field.is_sparse) {
            for (int axis = 0; axis < 3; ++axis)
                low[axis] = static_cast<std::int32_t>(leaf >> axis & 1) * kMinMaxLeafCells;
            first = leaf / 8 * kBrickSize;
        } else {
            const std::int64_t size[2] = {min_max_size(field.grid, 0, 0),
                                          min_max_size(field.grid, 0, 1)};
            low[0] = static_cast<std::int32_t>(leaf % size[0]) * kMinMaxLeafCells;
            low[1] = static_cast<std::int32_t>(leaf / size[0] % size[1]) * kMinMaxLeafCells;
            low[2] = static_cast<std::int32_t>(leaf / (size[0] * size[1])) * kMinMaxLeafCells;
            stride[1] = field.grid.samples(0);
            stride[2] = stride[1] * field.grid.samples(1);
            for (int axis = 0; axis < 3; ++axis)
                cells[axis] = field.grid.cells[axis];
        }
        LeafSamples cube{field, first, stride[1], stride[2], {}};
        for (int axis = 0; axis < 3; ++axis) {
            cube.first += low[axis] * stride[axis];
            cube.size[axis] = min_of(kMinMaxLeafCells, cells[axis] - low[axis]) + 1;
        }
        planes[leaf] = fit_plane(cube);
    }
};

}  // namespace leaf_plane_detail

// The planes of all sampled leaves of a field, in an executor's memory.
class FieldPlanes {
public:
    // views: of the leaves' samples in the executor's memory.
    template <class Executor>
    FieldPlanes(Executor& executor, std::span<const SampledFieldView> views)
        : list_(executor.memory()) {
        std::vector<SampledPlanes> list;
        planes_.reserve(views.size());
        list.reserve(views.size());
        for (const SampledFieldView& view : views) {
            planes_.emplace_back(executor.memory());
            const std::int64_t count = leaf_count(view);
            planes_.back().resize(count);
            executor.for_each("field: planes", count,
                              leaf_plane_detail::FitLeafPlane{view, planes_.back().data()}, 64);
            list.push_back({count > 0 ? planes_.back().data() : nullptr});
        }
        upload(executor, "field: planes", list, list_);
        executor.wait();
    }

    // By FieldNode::index.
    const SampledPlanes* list() const { return list_.data(); }

private:
    static std::int64_t leaf_count(const SampledFieldView& view) {
        const MinMaxTreeView& tree = view.tree;
        if (tree.level_count == 0) return 0;
        if (tree.level_count > 1) return tree.offsets[1] - tree.offsets[0];
        return view.is_sparse ? 0 : min_max_size(view.grid, 0);  // a block has two levels
    }

    std::vector<Buffer<LeafPlane>> planes_;
    Buffer<SampledPlanes> list_;
};

}  // namespace graze

// Choosing how many cells an ElementGrid has along each axis, and where they are, on the host.
#pragma once

#include <algorithm>
#include <cmath>

#include "broad_phase/element_grid_cells.h"

namespace graze {
namespace element_grid_detail {

constexpr double kDensity = 5;  // top cells for each element
// The most cells of the top level, and of a single level, so that ids have 32 bits.
constexpr double kMostTopCells = 1 << 28;
constexpr double kMostCells = 2147483648.0;
// How much the resolution may change before the hierarchy is made anew.
constexpr double kResolutionSlack = 0.1;
// The sides of cells as multiples of the usual box's longest side. CPU time of one thread for the
// pairs of cloth-ball and of n-body, in ms: one level 216 and 353 with 0.5, 229 and 243 with 0.7,
// 234 and 208 with 1, 344 and 185 with 1.5; two levels 220 and 356 with 1, 231 and 274 with 1.4,
// 247 and 198 with 2.
constexpr double kCellPerBox = 1;
constexpr double kTopCellPerBox = 2;

struct Resolution {
    std::uint32_t along[3];
};

// About so many cubes; one along an axis where the scene is thinner than a cube.
inline Resolution cubes_over(const Vec3d& size, double cell_count) {
    int axes[3] = {0, 1, 2};
    std::sort(axes, axes + 3, [&](int a, int b) { return size[a] < size[b]; });
    Resolution result{{1, 1, 1}};
    for (int first = 0; first < 3; ++first) {
        double volume = 1;
        for (int i = first; i < 3; ++i)
            volume *= size[axes[i]];
        const double side = std::pow(volume / cell_count, 1.0 / (3 - first));
        if (!(side > 0) || size[axes[first]] < side) continue;
        for (int i = first; i < 3; ++i) {
            const double along = clamp(std::floor(size[axes[i]] / side), 1.0, cell_count);
            result.along[axes[i]] = static_cast<std::uint32_t>(along);
        }
        break;
    }
    return result;
}

// The same resolution, but with cells that are not smaller than a side.
inline Resolution limited(Resolution resolution, const Vec3d& size, double least_side) {
    for (int axis = 0; axis < 3 && least_side > 0; ++axis) {
        const double most = max_of(std::floor(size[axis] / least_side), 1.0);
        resolution.along[axis] =
            static_cast<std::uint32_t>(min_of(double(resolution.along[axis]), most));
    }
    return resolution;
}

// Cubes with a given side, larger where there would be too many.
inline Resolution cubes_with_side(const Vec3d& size, double side) {
    double along[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double wanted = size[axis] > 0 ? std::floor(size[axis] / side) : 1.0;
        along[axis] = clamp(wanted, 1.0, kMostCells);  // also where the side is zero
    }
    while (along[0] * along[1] * along[2] > kMostCells) {
        double& most = *std::max_element(along, along + 3);
        most = std::floor(most / 2);
    }
    return {{static_cast<std::uint32_t>(along[0]), static_cast<std::uint32_t>(along[1]),
             static_cast<std::uint32_t>(along[2])}};
}

inline bool is_far_from(const Resolution& a, const GridShape& shape) {
    for (int axis = 0; axis < 3; ++axis) {
        const double old = shape.resolution[axis] * 0.5;  // of the top level
        if (std::fabs(a.along[axis] - old) > kResolutionSlack * old) return true;
    }
    return false;
}

inline GridShape shape_over(const Aabb& bounds, const std::uint32_t* resolution) {
    GridShape shape{};
    for (int axis = 0; axis < 3; ++axis) {
        const double low = bounds.min[axis], size = double(bounds.max[axis]) - low;
        shape.origin[axis] = low;
        shape.resolution[axis] = resolution[axis];
        shape.cells_per_unit[axis] = size > 0 && resolution[axis] > 1 ? resolution[axis] / size : 0;
    }
    return shape;
}

}  // namespace element_grid_detail
}  // namespace graze

// The way out of a deep overlap: the direction in which a small motion of a lessens the volume that
// both bodies share the most.
//
// Deep inside, the gradients at a point say where the nearest surface is, which may well lead
// farther in. The volume knows better. When a moves along n by dt, the volume changes by dt times
// the integral of n . N over a's surface inside b, N its outward normal. So the best direction is
// minus the integral of N over a's surface inside b, or, since the normals of the closed surface of
// the overlap sum up to zero, plus that over b's surface inside a. For convex bodies the cube root
// of the volume is concave along any line (Brunn and Minkowski): what lessens it at first lessens
// it for good, until they are apart.
//
// Both integrals are sums over the points of a grid that are near one surface and inside the other
// body. They are sums of whole numbers, which have no order.
#pragma once

#include "narrow_phase/particles/pair_region.h"

namespace graze {

// The grid has about that many points cubed. On 262 deep poses of eight models as many are lost as
// with the 10 that particles have by default (docs/lab/particles.md).
constexpr int kWayOutResolution = 8;

// Sums of normals, in units of 1/1024, and of how many there are.
struct WaySum {
    std::int32_t x = 0, y = 0, z = 0, count = 0;

    GRAZE_INLINE void add(const Vec3& normal) {
        x += static_cast<std::int32_t>(normal.x * 1024);
        y += static_cast<std::int32_t>(normal.y * 1024);
        z += static_cast<std::int32_t>(normal.z * 1024);
        ++count;
    }
    // The unit direction; zero where the normals all but cancel, as around a body that is wholly
    // inside the other.
    GRAZE_INLINE Vec3 direction() const {
        const Vec3 sum{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
        const float all = static_cast<float>(count) * 1024;
        return length(sum) > 0.125f * all ? normalized(sum) : Vec3{0, 0, 0};
    }
};

// The sum over every group-th point of a region's grid from one on.
template <class Look>
GRAZE_HD WaySum sum_way_out(const Look& look, const PairRegion& region, int first, int group) {
    const ParticleGrid grid = make_particle_grid(region.box, kWayOutResolution, region.tolerance);
    const float band = max_of(max_of(grid.step.x, grid.step.y), grid.step.z);
    const auto count = static_cast<std::int32_t>(grid.cell_count());
    WaySum sum;
    for (std::int32_t i = first; i < count; i += group) {
        const std::int32_t row = i / grid.size[0];
        const ParticleCell cell{{i - row * grid.size[0], row % grid.size[1], row / grid.size[1]}};
        const Vec3 point = centre(block_box(grid, 0, cell));
        const FieldValue a = look.value_a(point);
        if (a.distance >= band) continue;
        const FieldValue b = look.value_b(point);
        if (b.distance <= 0 && std::fabs(a.distance) < band) sum.add(-a.gradient);
        if (a.distance <= 0 && std::fabs(b.distance) < band) sum.add(b.gradient);
    }
    return sum;
}

}  // namespace graze

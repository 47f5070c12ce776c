// Where the particles of a pair begin: Algorithm 1 of Krayer et al. (2022), which spreads about N^3
// of them over a box, fewer along its short sides; and a quasi-random alternative.
#pragma once

#include <bit>
#include <cstdint>

#include "graze/aabb.h"

namespace graze {

// Cells that tile a box; their centres are particles.
struct ParticleGrid {
    Vec3 origin;           // [m] the box's least corner
    Vec3 step;             // [m] of a cell
    std::int32_t size[3];  // cells along x, y, z

    GRAZE_INLINE std::int64_t cell_count() const {
        return std::int64_t{size[0]} * size[1] * size[2];
    }
};

// A grid of so many cells along a side has at most this many cells, and so many along one axis.
constexpr int kMaxParticleResolution = 128;
constexpr int kMaxGridSizeBits = 21;
// Cells are looked at in blocks of 2^levels along a side, at most: the longest line of cells then
// has no more than kMostBlocks.
constexpr int kMaxParticleLevels = 11;
// Blocks of one grid that bits are kept of (live_blocks.h).
constexpr int kMostBlocks = 1024;
static_assert(kMostBlocks << kMaxParticleLevels >= 1 << kMaxGridSizeBits);

namespace detail {

// By plain arithmetic, which rounds alike on both machines; within a few rounding errors.
GRAZE_INLINE double cube_root(double x) {
    double y = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) / 3 + 0x2a9f7893782da1ceULL);
    for (int i = 0; i < 5; ++i)
        y = (2 * y + x / (y * y)) / 3;
    return y;
}

GRAZE_INLINE double at_least_one(double x) {
    return max_of(std::floor(x + 0.5), 1.0);
}

}  // namespace detail

// Sides below nearest are as good as none: one cell.
GRAZE_INLINE ParticleGrid make_particle_grid(const Aabb& box, int resolution, float nearest) {
    const Vec3 sides = extent(box);
    // Axes by length, the longest first.
    int first = 0, third = 2;
    for (int axis = 1; axis < 3; ++axis) {
        if (sides[axis] > sides[first]) first = axis;
    }
    for (int axis = 1; axis >= 0; --axis) {
        if (sides[axis] < sides[third]) third = axis;
    }
    if (first == third) third = first == 2 ? 1 : 2;  // all alike
    const int second = 3 - first - third;

    ParticleGrid grid{box.min, sides, {1, 1, 1}};
    if (!(sides[first] > nearest)) return grid;
    // What is nearly flat gets one layer in any case; the limit keeps the products finite.
    const double a2 = max_of(double{sides[second]} / sides[first], 1e-9);
    const double a3 = max_of(double{sides[third]} / sides[first], 1e-9);
    const double wanted = static_cast<double>(resolution) * resolution * resolution;
    double r1 = resolution / detail::cube_root(a2 * a3);
    double r2 = r1 * a2;
    const double r3 = detail::at_least_one(r1 * a3);
    const double excess = std::sqrt(r1 * r2 * r3 / wanted);
    r1 /= excess;
    r2 = detail::at_least_one(r2 / excess);
    r1 = detail::at_least_one(r1 / (r1 * r2 * r3 / wanted));
    grid.size[first] = static_cast<std::int32_t>(r1);
    grid.size[second] = static_cast<std::int32_t>(r2);
    grid.size[third] = static_cast<std::int32_t>(r3);
    for (int axis = 0; axis < 3; ++axis)
        grid.step[axis] = sides[axis] / static_cast<float>(grid.size[axis]);
    return grid;
}

// A cell, or a block of 2^level cells along each axis.
struct ParticleCell {
    std::int32_t at[3];
};

GRAZE_INLINE std::uint64_t pack(const ParticleCell& cell) {
    return static_cast<std::uint64_t>(cell.at[0]) |
           static_cast<std::uint64_t>(cell.at[1]) << kMaxGridSizeBits |
           static_cast<std::uint64_t>(cell.at[2]) << (2 * kMaxGridSizeBits);
}
// How many blocks of 2^level cells there are along an axis.
GRAZE_INLINE std::int32_t block_count(const ParticleGrid& grid, int level, int axis) {
    return (grid.size[axis] + (1 << level) - 1) >> level;
}
// How many cells a block has along an axis; the last one may reach beyond the grid, but for a grid
// of a single block.
GRAZE_INLINE std::int32_t block_size(const ParticleGrid& grid, int level, int axis) {
    return min_of(grid.size[axis], std::int32_t{1} << level);
}

// How many blocks a grid has, and how many cells a block, those beyond the grid included.
GRAZE_INLINE std::int64_t block_count(const ParticleGrid& grid, int level) {
    return std::int64_t{block_count(grid, level, 0)} * block_count(grid, level, 1) *
           block_count(grid, level, 2);
}
GRAZE_INLINE std::int64_t block_cell_count(const ParticleGrid& grid, int level) {
    return std::int64_t{block_size(grid, level, 0)} * block_size(grid, level, 1) *
           block_size(grid, level, 2);
}
// The index-th block, x fastest, and the index of a block.
GRAZE_INLINE ParticleCell block_at(const ParticleGrid& grid, int level, std::uint32_t index) {
    const auto size_x = static_cast<std::uint32_t>(block_count(grid, level, 0));
    const auto size_y = static_cast<std::uint32_t>(block_count(grid, level, 1));
    const std::uint32_t row = index / size_x, layer = row / size_y;
    return {{static_cast<std::int32_t>(index - row * size_x),
             static_cast<std::int32_t>(row - layer * size_y), static_cast<std::int32_t>(layer)}};
}
GRAZE_INLINE std::uint32_t block_index(const ParticleGrid& grid, int level,
                                       const ParticleCell& block) {
    return static_cast<std::uint32_t>(
        block.at[0] +
        block_count(grid, level, 0) * (block.at[1] + block_count(grid, level, 1) * block.at[2]));
}
// The index-th cell of a block.
GRAZE_INLINE ParticleCell cell_of_block(const ParticleGrid& grid, int level,
                                        const ParticleCell& block, std::uint32_t index) {
    ParticleCell cell;
    for (int axis = 0; axis < 3; ++axis) {
        const auto size = static_cast<std::uint32_t>(block_size(grid, level, axis));
        const std::uint32_t rest = index / size;
        cell.at[axis] = static_cast<std::int32_t>(index - rest * size) + (block.at[axis] << level);
        index = rest;
    }
    return cell;
}

// The cells of a grid, block by block, with those of the blocks that are beyond it: how many
// (always below 2^32), which one, and whether it is there.
GRAZE_INLINE std::int64_t blockwise_count(const ParticleGrid& grid, int level) {
    return block_count(grid, level) * block_cell_count(grid, level);
}
GRAZE_INLINE ParticleCell blockwise_cell(const ParticleGrid& grid, int level, std::uint32_t index) {
    const auto cells = static_cast<std::uint32_t>(block_cell_count(grid, level));
    const std::uint32_t block = index / cells;
    return cell_of_block(grid, level, block_at(grid, level, block), index - block * cells);
}
GRAZE_INLINE bool is_in_grid(const ParticleGrid& grid, const ParticleCell& cell) {
    return cell.at[0] < grid.size[0] && cell.at[1] < grid.size[1] && cell.at[2] < grid.size[2];
}

// [m] The box of a block, as far as it is in the grid.
GRAZE_INLINE Aabb block_box(const ParticleGrid& grid, int level, const ParticleCell& block) {
    Aabb box;
    for (int axis = 0; axis < 3; ++axis) {
        const std::int32_t begin = block.at[axis] << level;
        const std::int32_t end = begin + (1 << level);
        box.min[axis] = grid.origin[axis] + grid.step[axis] * static_cast<float>(begin);
        box.max[axis] =
            grid.origin[axis] +
            grid.step[axis] * static_cast<float>(end < grid.size[axis] ? end : grid.size[axis]);
    }
    return box;
}

// The index-th of count points that fill a box evenly: equal steps along z; multiples of the powers
// of 1/1.3247..., the root of x^3 = x + 1, modulo 1, along x and y (Roberts, "The unreasonable
// effectiveness of quasirandom sequences", 2018), in whole numbers so that large indices lose
// nothing.
GRAZE_INLINE Vec3 quasi_random_point(const Aabb& box, std::uint32_t index, std::uint32_t count) {
    const auto part_of_one = [](std::uint32_t x) { return static_cast<float>(x >> 8) * 0x1p-24f; };
    const Vec3 part{part_of_one(0x80000000u + index * 3242174889u),
                    part_of_one(0x80000000u + index * 2447445414u),
                    (static_cast<float>(index) + 0.5f) / static_cast<float>(count)};
    return min_of(box.min + scale(extent(box), part), box.max);
}

}  // namespace graze

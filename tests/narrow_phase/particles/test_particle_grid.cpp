// Tests where particles begin: the resolutions are those of Algorithm 1, cells tile the box, and
// quasi-random points are even.
#include "narrow_phase/particles/particle_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "tests/oracle/case_count.h"

namespace graze {
namespace {

// Computes the resolution as the paper does, in plain doubles and with the standard library's
// roots.
std::array<int, 3> paper_resolution(double b1, double b2, double b3, int n) {
    const double a2 = b2 / b1, a3 = b3 / b1, wanted = std::pow(n, 3);
    double r1 = n / std::cbrt(a2 * a3), r2 = r1 * a2;
    const double r3 = std::max(std::round(r1 * a3), 1.0);
    double q = std::sqrt(r1 * r2 * r3 / wanted);
    r1 /= q;
    r2 = std::max(std::round(r2 / q), 1.0);
    q = r1 * r2 * r3 / wanted;
    r1 = std::max(std::round(r1 / q), 1.0);
    return {static_cast<int>(r1), static_cast<int>(r2), static_cast<int>(r3)};
}

TEST(ParticleGrid, ResolutionsAreThePapers) {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> exponent(-3, 1);
    int equal = 0;
    const int count = oracle::case_count(2000);
    for (int i = 0; i < count; ++i) {
        const Vec3 sides{std::pow(10.0f, exponent(random)), std::pow(10.0f, exponent(random)),
                         std::pow(10.0f, exponent(random))};
        const int n = 1 + i % 40;
        const ParticleGrid grid = make_particle_grid({{1, 2, 3}, Vec3{1, 2, 3} + sides}, n, 0);
        std::array<float, 3> sorted{sides.x, sides.y, sides.z};
        std::sort(sorted.rbegin(), sorted.rend());
        std::array<int, 3> sizes{grid.size[0], grid.size[1], grid.size[2]};
        std::sort(sizes.rbegin(), sizes.rend());
        const Vec3 rounded = extent(Aabb{{1, 2, 3}, Vec3{1, 2, 3} + sides});
        std::array<float, 3> as_stored{rounded.x, rounded.y, rounded.z};
        std::sort(as_stored.rbegin(), as_stored.rend());
        const auto expected = paper_resolution(as_stored[0], as_stored[1], as_stored[2], n);
        equal += sizes == expected;
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_LE(std::abs(sizes[static_cast<std::size_t>(axis)] -
                               expected[static_cast<std::size_t>(axis)]),
                      1);
    }
    EXPECT_GE(equal, count * 99 / 100);  // except where a root rounds at one half
}

TEST(ParticleGrid, LongAxesGetMoreCells) {
    const ParticleGrid grid = make_particle_grid({{0, 0, 0}, {1, 4, 2}}, 8, 0);
    EXPECT_EQ(grid.size[0], 4);
    EXPECT_EQ(grid.size[1], 16);
    EXPECT_EQ(grid.size[2], 8);
}

TEST(ParticleGrid, FlatAndPointLikeBoxes) {
    for (int flat = 0; flat < 3; ++flat) {
        Aabb box{{0, 0, 0}, {1, 1, 1}};
        box.max[flat] = 0;
        const ParticleGrid grid = make_particle_grid(box, 9, 1e-6f);
        EXPECT_EQ(grid.size[flat], 1);
        EXPECT_EQ(grid.cell_count(), 27 * 27);
        box.max[(flat + 1) % 3] = 0;
        const ParticleGrid line = make_particle_grid(box, 9, 1e-6f);
        EXPECT_EQ(line.size[(flat + 2) % 3], 729);
        EXPECT_EQ(line.cell_count(), 729);
    }
    EXPECT_EQ(make_particle_grid({{5, 5, 5}, {5, 5, 5}}, 20, 0).cell_count(), 1);
    EXPECT_EQ(make_particle_grid({{0, 0, 0}, {1e-7f, 1e-8f, 0}}, 20, 1e-6f).cell_count(), 1);
    // This is the longest line that the packing of cells must hold.
    const ParticleGrid longest =
        make_particle_grid({{0, 0, 0}, {0, 1, 0}}, kMaxParticleResolution, 0);
    EXPECT_LE(longest.size[1], 1 << kMaxGridSizeBits);
}

// Every cell comes once, the cells of a block in one run, and blocks tile the box.
TEST(ParticleGrid, EveryCellComesOnceBlockByBlock) {
    const Aabb box{{-1, 2, 0.5f}, {0.5f, 2.9f, 3}};
    const Aabb flat{{0, 0, 0}, {3, 2, 0}};
    for (const Aabb& region : {box, flat}) {
        const ParticleGrid grid = make_particle_grid(region, 7, 1e-6f);
        for (int level = 0; level < 4; ++level) {
            std::set<std::uint64_t> cells, blocks;
            std::uint64_t last = ~std::uint64_t{0};
            double volume = 0;
            for (std::int64_t i = 0; i < blockwise_count(grid, level); ++i) {
                const ParticleCell cell =
                    blockwise_cell(grid, level, static_cast<std::uint32_t>(i));
                const ParticleCell block{
                    {cell.at[0] >> level, cell.at[1] >> level, cell.at[2] >> level}};
                if (pack(block) != last) {
                    EXPECT_TRUE(blocks.insert(pack(block)).second);
                    const Vec3 sides = extent(block_box(grid, level, block));
                    volume +=
                        double{sides.x} * sides.y * (region.max.z == region.min.z ? 1 : sides.z);
                }
                last = pack(block);
                if (is_in_grid(grid, cell)) {
                    EXPECT_TRUE(cells.insert(pack(cell)).second);
                }
            }
            EXPECT_EQ(static_cast<std::int64_t>(cells.size()), grid.cell_count());
            const Vec3 whole = extent(region);
            EXPECT_NEAR(volume,
                        double{whole.x} * whole.y * (region.max.z == region.min.z ? 1 : whole.z),
                        1e-5);
        }
    }
}

// Each octant of the box has its share of the points, within a few.
TEST(ParticleGrid, QuasiRandomPointsAreEven) {
    const Aabb box{{-2, 0, 1}, {2, 1, 5}};
    for (const std::uint32_t count : {64u, 1000u, 8000u}) {
        int octants[8] = {};
        for (std::uint32_t i = 0; i < count; ++i) {
            const Vec3 p = quasi_random_point(box, i, count);
            ASSERT_TRUE(contains(box, p));
            const Vec3 c = centre(box);
            ++octants[(p.x > c.x) + 2 * (p.y > c.y) + 4 * (p.z > c.z)];
        }
        for (const int share : octants)
            EXPECT_NEAR(share, count / 8.0, 3 + std::sqrt(count) / 8);
    }
}

}  // namespace
}  // namespace graze

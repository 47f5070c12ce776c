#include "core/morton.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>

namespace graze {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::uint32_t kLast = (1u << 21) - 1;

// The oracle interleaves bit by bit.
std::uint64_t interleave(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    std::uint64_t code = 0;
    for (int bit = 20; bit >= 0; --bit) {
        code = code << 3 | (x >> bit & 1u) << 2 | (y >> bit & 1u) << 1 | (z >> bit & 1u);
    }
    return code;
}

TEST(Morton, SpreadsEveryBit) {
    for (int bit = 0; bit < 21; ++bit) {
        EXPECT_EQ(spread_bits_3(std::uint64_t{1} << bit), std::uint64_t{1} << (3 * bit));
    }
    EXPECT_EQ(spread_bits_3(kLast), 0x1249249249249249ull);
    EXPECT_EQ(spread_bits_3(~std::uint64_t{0}), 0x1249249249249249ull)
        << "bits above 21 are dropped";
}

TEST(Morton, InterleavesCoordinates) {
    EXPECT_EQ(morton_code(0, 0, 0), 0u);
    EXPECT_EQ(morton_code(1, 0, 0), 4u);
    EXPECT_EQ(morton_code(0, 1, 0), 2u);
    EXPECT_EQ(morton_code(0, 0, 1), 1u);
    EXPECT_EQ(morton_code(kLast, kLast, kLast), (std::uint64_t{1} << 63) - 1);
    std::mt19937 random(1);
    for (int i = 0; i < 10000; ++i) {
        const std::uint32_t x = random() & kLast;
        const std::uint32_t y = random() & kLast;
        const std::uint32_t z = random() & kLast;
        ASSERT_EQ(morton_code(x, y, z), interleave(x, y, z));
    }
}

TEST(MortonGrid, CornersOfTheBoxAreTheFirstAndLastCell) {
    for (const int bit_count : {1, 10, 21}) {
        const MortonGrid grid = MortonGrid::over({{-1, 2, 3}, {1, 4, 5}}, bit_count);
        const std::uint32_t last = (1u << bit_count) - 1;
        EXPECT_EQ(grid.code({-1, 2, 3}), 0u);
        EXPECT_EQ(grid.code({1, 4, 5}), morton_code(last, last, last));
        EXPECT_EQ(grid.code({1, 2, 3}), morton_code(last, 0, 0));
        EXPECT_EQ(grid.code({0, 3, 4}),
                  morton_code(1u << (bit_count - 1), 1u << (bit_count - 1), 1u << (bit_count - 1)));
    }
}

TEST(MortonGrid, CellsAreCubesInAnElongatedBox) {
    const MortonGrid grid = MortonGrid::over({{0, 0, 0}, {8, 1, 2}}, 3);
    EXPECT_EQ(grid.code({7.5f, 0.5f, 1.5f}), morton_code(7, 0, 1));
    EXPECT_EQ(grid.code({0, 1, 2}), morton_code(0, 1, 2));
}

TEST(MortonGrid, PointsOutsideGoToTheNearestCell) {
    const MortonGrid grid = MortonGrid::over({{0, 0, 0}, {1, 1, 1}}, 4);
    EXPECT_EQ(grid.code({-5, 0.5f, 99}), morton_code(0, 8, 15));
    EXPECT_EQ(grid.code({kInf, -kInf, 3e38f}), morton_code(15, 0, 15));
    EXPECT_EQ(grid.code({kNan, 1, kNan}), morton_code(0, 15, 0));
}

TEST(MortonGrid, BoxesWithoutUsableSizeShareOneCell) {
    const Vec3 point{1, 2, 3};
    const Aabb boxes[] = {{point, point},
                          Aabb::empty(),
                          {{-kInf, -kInf, -kInf}, {kInf, kInf, kInf}},
                          {{-3e38f, 0, 0}, {3e38f, 0, 0}},
                          {{0, 0, 0}, {1e-45f, 0, 0}}};
    for (const Aabb& box : boxes) {
        const MortonGrid grid = MortonGrid::over(box, 21);
        for (const Vec3& p :
             {point, Vec3{0, 0, 0}, Vec3{-3e38f, 3e38f, 1}, Vec3{kInf, -kInf, kNan}}) {
            EXPECT_EQ(grid.code(p), 0u);
        }
    }
}

TEST(MortonGrid, OrderFollowsEachAxis) {
    const MortonGrid grid = MortonGrid::over({{-3, -3, -3}, {7, 7, 7}}, 21);
    std::mt19937 random(2);
    std::uniform_real_distribution<float> coordinate(-3.5f, 7.5f);
    for (int i = 0; i < 1000; ++i) {
        const Vec3 low{coordinate(random), coordinate(random), coordinate(random)};
        for (int axis = 0; axis < 3; ++axis) {
            Vec3 high = low;
            high[axis] += 0.25f;
            EXPECT_LE(grid.code(low), grid.code(high));
        }
    }
}

}  // namespace
}  // namespace graze

#include "field/formulas/distance_height_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/field/field_cases.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using oracle::case_count;
using oracle::RandomPoints;

// The blended height at a position, in double, and the border's height beyond the rectangle.
double height_at(const HeightMap& map, double x, double y) {
    const double u = std::clamp((x - map.origin.x) / map.spacing, 0.0, map.size[0] - 1.0);
    const double v = std::clamp((y - map.origin.y) / map.spacing, 0.0, map.size[1] - 1.0);
    const auto i = static_cast<std::size_t>(std::min(u, map.size[0] - 2.0));
    const auto j = static_cast<std::size_t>(std::min(v, map.size[1] - 2.0));
    const auto h = [&](std::size_t a, std::size_t b) {
        return double{map.heights[a + static_cast<std::size_t>(map.size[0]) * b]};
    };
    const double s = u - static_cast<double>(i), t = v - static_cast<double>(j);
    return map.origin.z + (1 - t) * ((1 - s) * h(i, j) + s * h(i + 1, j)) +
           t * ((1 - s) * h(i, j + 1) + s * h(i + 1, j + 1));
}

HeightMap random_map(RandomPoints<float>& random, float steepness) {
    HeightMap map{random.in_box(2), random.uniform(0.1f, 1), {}, {}};
    map.size[0] = random.integer(2, 9);
    map.size[1] = random.integer(2, 9);
    for (int i = 0; i < map.size[0] * map.size[1]; ++i)
        map.heights.push_back(random.uniform(-steepness, steepness) * map.spacing);
    return map;
}

Vec3 random_point(RandomPoints<float>& random, const HeightMap& map) {
    const auto width = static_cast<float>(std::max(map.size[0], map.size[1])) * map.spacing;
    return map.origin + Vec3{random.uniform(-0.5f, 1.5f) * width,
                             random.uniform(-0.5f, 1.5f) * width, random.uniform(-1, 1) * width};
}

TEST(DistanceHeightMap, NeverOverestimates) {
    RandomPoints<float> random(1);
    for (int round = 0; round < case_count(100); ++round) {
        const HeightMap map = random_map(random, round % 2 == 0 ? 0.5f : 4.0f);
        const Field field = Field::height_map(map);
        for (int i = 0; i < 30; ++i) {
            const Vec3 point = random_point(random, map);
            const FieldValue value = field.evaluate(point);
            const double clearance = point.z - height_at(map, point.x, point.y);
            if (std::fabs(clearance) > 1e-4) {
                ASSERT_EQ(value.distance < 0, clearance < 0);
            }
            ASSERT_NEAR(length(value.gradient), 1, 1e-6f);
            // No point of the ground within the clearance is closer.
            for (int k = 0; k < 2000; ++k) {
                const double x = point.x + random.uniform(-1, 1) * clearance;
                const double y = point.y + random.uniform(-1, 1) * clearance;
                const double away =
                    std::hypot(x - point.x, y - point.y, height_at(map, x, y) - point.z);
                ASSERT_LE(std::fabs(value.distance), away + 1e-5);
            }
        }
    }
}

TEST(DistanceHeightMap, NoSteeperThanOne) {
    RandomPoints<float> random(2);
    for (int round = 0; round < case_count(200); ++round) {
        const HeightMap map = random_map(random, 3);
        const Field field = Field::height_map(map);
        for (int i = 0; i < 100; ++i) {
            const Vec3 a = random_point(random, map);
            const Vec3 b =
                i % 2 == 0 ? random_point(random, map) : a + random.in_box(0.1f * map.spacing);
            ASSERT_LE(std::fabs(field.distance(a) - field.distance(b)),
                      distance(a, b) * (1 + 1e-6f) + 1e-5f);
        }
    }
}

// On a slope the bound is the distance, and its gradient the normal.
TEST(DistanceHeightMap, SlopesAreExact) {
    HeightMap map{{-5, -5, 1}, 0.5f, {21, 21}, {}};
    for (int j = 0; j < 21; ++j)
        for (int i = 0; i < 21; ++i)
            map.heights.push_back(0.375f * static_cast<float>(i) - 0.5f * static_cast<float>(j));
    const Field field = Field::height_map(map);
    // The ground goes up by 0.75 along x and down by 1 along y for each metre.
    const Vec3 normal = normalized(Vec3{-0.75f, 1, 1});
    RandomPoints<float> random(3);
    for (int i = 0; i < 1000; ++i) {
        const Vec3 point{random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-3, 3)};
        const FieldValue value = field.evaluate(point);
        const float expected = dot(point - map.origin, normal);
        EXPECT_NEAR(value.distance, expected, 1e-5f);
        EXPECT_LT(distance(value.gradient, normal), 1e-5f);
    }
}

TEST(DistanceHeightMap, GradientIsTheSteepestAscent) {
    RandomPoints<float> random(4);
    const HeightMap map = random_map(random, 1);
    const Field field = Field::height_map(map);
    const float h = 0x1p-9f * map.spacing;
    int compared = 0;
    for (int i = 0; i < 3000; ++i) {
        const Vec3 point = random_point(random, map);
        const FieldValue value = field.evaluate(point);
        Vec3 slope;
        bool is_smooth = true;
        for (int axis = 0; axis < 3; ++axis) {
            Vec3 before = point, after = point;
            before[axis] -= h;
            after[axis] += h;
            const float low = field.distance(before), high = field.distance(after);
            slope[axis] = (high - low) / (after[axis] - before[axis]);
            is_smooth = is_smooth && std::fabs(high - 2 * value.distance + low) < 0.02f * h;
        }
        if (!is_smooth) continue;
        EXPECT_LT(distance(normalized(slope), value.gradient), 0.02f);
        ++compared;
    }
    EXPECT_GT(compared, 1500);
}

// Far above and far below, one cliff does not spoil the bound.
TEST(DistanceHeightMap, FarAwayTheHighestAndLowestPlanesCount) {
    const HeightMap map{{0, 0, 0}, 1, {3, 2}, {0, 0, 100, 0, 0, 100}};
    const Field field = Field::height_map(map);
    EXPECT_NEAR(field.distance({0, 0, 150}), 50, 1e-4f);
    EXPECT_NEAR(field.distance({0, 0, -70}), -70, 1e-4f);
    EXPECT_NEAR(field.distance({0.5f, 0.5f, 1}), 1 / std::hypot(1.0f, 100.0f), 1e-4f);
    EXPECT_EQ(field.bounds().max, (Vec3{INFINITY, INFINITY, 100}));
}

}  // namespace
}  // namespace graze

#include "graze/aabb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace graze {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
const Aabb kUnit{{0, 0, 0}, {1, 1, 1}};

Vec3 random_point(std::mt19937& random) {
    // Few distinct values, so that touching and equal boxes are frequent.
    std::uniform_int_distribution<int> coordinate(-3, 3);
    return {static_cast<float>(coordinate(random)), static_cast<float>(coordinate(random)),
            static_cast<float>(coordinate(random))};
}
Aabb random_box(std::mt19937& random) {
    const Vec3 a = random_point(random);
    const Vec3 b = random_point(random);
    return {min_of(a, b), max_of(a, b)};
}
bool equal(const Aabb& a, const Aabb& b) {
    return a.min == b.min && a.max == b.max;
}

TEST(Aabb, EmptyHoldsNothingAndTouchesNothing) {
    const Aabb empty = Aabb::empty();
    EXPECT_TRUE(empty.is_empty());
    EXPECT_FALSE(contains(empty, Vec3{0, 0, 0}));
    EXPECT_FALSE(overlap(empty, kUnit));
    EXPECT_FALSE(overlap(kUnit, empty));
    EXPECT_FALSE(overlap(empty, empty));
    EXPECT_EQ(distance_sq(empty, Vec3{1, 2, 3}), kInf);
    EXPECT_TRUE(inflate(empty, 1.0f).is_empty());
    EXPECT_TRUE(intersect(empty, kUnit).is_empty());
}

TEST(Aabb, EmptyIsNeutralInMerge) {
    EXPECT_TRUE(equal(merge(Aabb::empty(), kUnit), kUnit));
    EXPECT_TRUE(equal(merge(kUnit, Aabb::empty()), kUnit));
    EXPECT_TRUE(merge(Aabb::empty(), Aabb::empty()).is_empty());
    const Vec3 point{1, -2, 3};
    EXPECT_TRUE(equal(merge(Aabb::empty(), point), Aabb{point, point}));
}

TEST(Aabb, IsEmptyLooksAtEveryAxis) {
    EXPECT_FALSE(kUnit.is_empty());
    EXPECT_FALSE((Aabb{{1, 1, 1}, {1, 1, 1}}).is_empty()) << "a point is a box";
    for (int axis = 0; axis < 3; ++axis) {
        Aabb box = kUnit;
        box.min[axis] = 2;
        EXPECT_TRUE(box.is_empty());
        box.min[axis] = kNan;
        EXPECT_TRUE(box.is_empty());
    }
}

TEST(Aabb, TouchingBoxesOverlap) {
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 step{0, 0, 0};
        step[axis] = 1;
        EXPECT_TRUE(overlap(kUnit, Aabb{kUnit.min + step, kUnit.max + step}));
        step[axis] = std::nextafter(1.0f, 2.0f);
        EXPECT_FALSE(overlap(kUnit, Aabb{kUnit.min + step, kUnit.max + step}));
    }
    EXPECT_TRUE(overlap(kUnit, Aabb{{1, 1, 1}, {2, 2, 2}})) << "corner to corner";
}

TEST(Aabb, OverlapIsAnIntersectionThatIsNotEmpty) {
    std::mt19937 random(1);
    int overlaps = 0;
    for (int i = 0; i < 10000; ++i) {
        const Aabb a = random_box(random);
        const Aabb b = random_box(random);
        const Aabb common = intersect(a, b);
        EXPECT_EQ(overlap(a, b), !common.is_empty());
        EXPECT_EQ(overlap(a, b), overlap(b, a));
        overlaps += overlap(a, b);
        const Vec3 p = random_point(random);
        EXPECT_EQ(contains(a, p) && contains(b, p), contains(common, p));
        const Aabb both = merge(a, b);
        if (contains(a, p) || contains(b, p)) {
            EXPECT_TRUE(contains(both, p));
        }
        EXPECT_TRUE(contains(both, a.min) && contains(both, a.max));
        EXPECT_EQ(distance_sq(a, p) == 0, contains(a, p));
    }
    EXPECT_GT(overlaps, 1000);
    EXPECT_LT(overlaps, 9000);
}

TEST(Aabb, ContainsIsClosed) {
    EXPECT_TRUE(contains(kUnit, Vec3{0, 0, 0}));
    EXPECT_TRUE(contains(kUnit, Vec3{1, 1, 1}));
    EXPECT_FALSE(contains(kUnit, Vec3{0.5f, 0.5f, std::nextafter(1.0f, 2.0f)}));
    EXPECT_FALSE(contains(kUnit, Vec3{0.5f, kNan, 0.5f}));
}

TEST(Aabb, BoxOfTriangle) {
    const Aabb box = box_of(Vec3{1, 5, -1}, Vec3{-2, 3, 0}, Vec3{0, 4, 7});
    EXPECT_TRUE(equal(box, Aabb{{-2, 3, -1}, {1, 5, 7}}));
}

TEST(Aabb, CentreExtentAreaInflate) {
    const Aabb box{{-1, 0, 2}, {3, 6, 4}};
    EXPECT_EQ(centre(box), (Vec3{1, 3, 3}));
    EXPECT_EQ(extent(box), (Vec3{4, 6, 2}));
    EXPECT_EQ(half_area(box), 4 * 6 + 6 * 2 + 2 * 4);
    EXPECT_EQ(half_area(Aabb{{1, 1, 1}, {1, 1, 1}}), 0);
    EXPECT_TRUE(equal(inflate(box, 0.5f), Aabb{{-1.5f, -0.5f, 1.5f}, {3.5f, 6.5f, 4.5f}}));
}

TEST(Aabb, DistanceSq) {
    EXPECT_EQ(distance_sq(kUnit, Vec3{0.5f, 0.5f, 0.5f}), 0);
    EXPECT_EQ(distance_sq(kUnit, Vec3{1, 0, 1}), 0);
    EXPECT_EQ(distance_sq(kUnit, Vec3{3, 0.5f, 0.5f}), 4) << "to a face";
    EXPECT_EQ(distance_sq(kUnit, Vec3{-3, 5, 0.5f}), 25) << "to an edge";
    EXPECT_EQ(distance_sq(kUnit, Vec3{-2, 4, 7}), 49) << "to a corner";
}

TEST(Aabb, DistanceSqIsThatOfTheNearestPoint) {
    std::mt19937 random(2);
    std::uniform_real_distribution<double> coordinate(-4.0, 4.0);
    for (int i = 0; i < 1000; ++i) {
        const Aabb box = random_box(random);
        const Aabbd wide{static_cast<Vec3d>(box.min), static_cast<Vec3d>(box.max)};
        const Vec3d p{coordinate(random), coordinate(random), coordinate(random)};
        const Vec3d nearest = max_of(wide.min, min_of(wide.max, p));
        EXPECT_DOUBLE_EQ(distance_sq(wide, p), length_sq(p - nearest));
    }
}

}  // namespace
}  // namespace graze

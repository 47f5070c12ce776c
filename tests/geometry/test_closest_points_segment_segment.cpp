// Closest points of two segments against quadruple precision.
#include "geometry/closest_points_segment_segment.h"

#include <gtest/gtest.h>

#include "tests/oracle/case_count.h"
#include "tests/oracle/closest_brute.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using oracle::RandomPoints;
using oracle::Vec3q;

// Checks one pair; returns the distance's error in units of epsilon * R.
template <class T>
double check(const Vec3T<T>& a0, const Vec3T<T>& a1, const Vec3T<T>& b0, const Vec3T<T>& b1) {
    const auto found = closest_points_segment_segment(a0, a1, b0, b1);
    EXPECT_TRUE(found.s >= 0 && found.s <= 1 && found.t >= 0 && found.t <= 1);
    EXPECT_TRUE(is_finite(found.point_a) && is_finite(found.point_b));
    const auto p = static_cast<Vec3q>(a0), q = static_cast<Vec3q>(a1), r = static_cast<Vec3q>(b0),
               s = static_cast<Vec3q>(b1);
    const double exact = oracle::root(oracle::segment_segment_sq(p, q, r, s));
    const double reach = oracle::root(
        std::max({length_sq(p - r), length_sq(p - s), length_sq(q - r), length_sq(q - s)}));
    const double error = std::abs(std::sqrt(double(found.distance_sq)) - exact);
    return error <= 0 ? 0 : error / (double(std::numeric_limits<T>::epsilon()) * reach);
}

template <class T>
class ClosestPointsSegmentSegmentTest : public testing::Test {};
using Coordinates = testing::Types<float, double>;
TYPED_TEST_SUITE(ClosestPointsSegmentSegmentTest, Coordinates);

TYPED_TEST(ClosestPointsSegmentSegmentTest, WithinItsBound) {
    RandomPoints<TypeParam> random(51);
    double worst = 0;
    for (int i = 0; i < oracle::case_count(300000); ++i) {
        const TypeParam apart = std::ldexp(TypeParam(1), random.integer(-20, 3));
        const auto shift = random.in_box(apart);
        worst = std::max(worst, check(random.in_box(1), random.in_box(1), random.in_box(1) + shift,
                                      random.in_box(1) + shift));
    }
    this->RecordProperty("worst", std::to_string(worst));
    EXPECT_LE(worst, 16);
}

// Angles from ordinary to none; separations from ordinary to none; one segment much shorter.
TYPED_TEST(ClosestPointsSegmentSegmentTest, NearlyParallel) {
    RandomPoints<TypeParam> random(52);
    double worst = 0;
    for (int i = 0; i < oracle::case_count(400000); ++i) {
        const auto tiny = [&](int high) {
            return random.in_box(std::ldexp(TypeParam(1), -random.integer(0, high)));
        };
        const auto a0 = random.in_box(1), a1 = random.in_box(1), d = a1 - a0;
        const auto start = a0 + d * random.uniform(-1, 1) + tiny(30);
        const TypeParam length = std::ldexp(random.uniform(-1, 1), -random.integer(0, 10));
        worst = std::max(worst, check(a0, a1, start, start + d * length + tiny(30)));
    }
    this->RecordProperty("worst", std::to_string(worst));
    EXPECT_LE(worst, 16);
}

TYPED_TEST(ClosestPointsSegmentSegmentTest, SmallGrid) {
    RandomPoints<TypeParam> random(53);
    double worst = 0;
    for (int i = 0; i < oracle::case_count(300000); ++i) {
        const int reach = 1 + i % 2;
        worst = std::max(worst, check(random.on_grid(reach), random.on_grid(reach),
                                      random.on_grid(reach), random.on_grid(reach)));
    }
    this->RecordProperty("worst", std::to_string(worst));
    EXPECT_LE(worst, 4);
}

TYPED_TEST(ClosestPointsSegmentSegmentTest, OverTheStatedRange) {
    RandomPoints<TypeParam> random(54);
    const int reach = sizeof(TypeParam) == 4 ? 28 : 240;
    double worst = 0;
    for (int i = 0; i < oracle::case_count(100000); ++i) {
        const TypeParam scale = std::ldexp(TypeParam(1), random.integer(-reach, reach));
        worst = std::max(worst, check(random.in_box(1) * scale, random.in_box(1) * scale,
                                      random.in_box(1) * scale, random.in_box(1) * scale));
    }
    EXPECT_LE(worst, 16);
}

TYPED_TEST(ClosestPointsSegmentSegmentTest, NamedCases) {
    using V = Vec3T<TypeParam>;
    const auto crossing =
        closest_points_segment_segment(V{-1, 0, 0}, V{1, 0, 0}, V{0, -1, 2}, V{0, 1, 2});
    EXPECT_EQ(crossing.point_a, (V{0, 0, 0}));
    EXPECT_EQ(crossing.point_b, (V{0, 0, 2}));
    EXPECT_EQ(crossing.distance_sq, TypeParam(4));
    const auto parallel =
        closest_points_segment_segment(V{0, 0, 0}, V{4, 0, 0}, V{1, 3, 0}, V{2, 3, 0});
    EXPECT_EQ(parallel.distance_sq, TypeParam(9));
    const auto points =
        closest_points_segment_segment(V{1, 1, 1}, V{1, 1, 1}, V{1, 1, 3}, V{1, 1, 3});
    EXPECT_EQ(points.distance_sq, TypeParam(4));
    const auto touching =
        closest_points_segment_segment(V{0, 0, 0}, V{1, 0, 0}, V{1, 0, 0}, V{2, 5, 0});
    EXPECT_EQ(touching.distance_sq, TypeParam(0));
    EXPECT_EQ(touching.point_a, (V{1, 0, 0}));
}

}  // namespace
}  // namespace graze

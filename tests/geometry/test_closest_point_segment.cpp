// Closest point on a segment against quadruple precision.
#include "geometry/closest_point_segment.h"

#include <gtest/gtest.h>

#include "tests/oracle/case_count.h"
#include "tests/oracle/closest_brute.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using oracle::RandomPoints;
using oracle::Vec3q;

// Checks one query; returns the distance's error in units of epsilon * R.
template <class T>
double check(const Vec3T<T>& p, const Vec3T<T>& a, const Vec3T<T>& b) {
    const auto found = closest_point_segment(p, a, b);
    EXPECT_TRUE(found.t >= 0 && found.t <= 1);
    EXPECT_TRUE(is_finite(found.point));
    if (found.t == 0) {
        EXPECT_EQ(found.point, a);
    }
    if (found.t == 1) {
        EXPECT_EQ(found.point, b);
    }
    const auto pq = static_cast<Vec3q>(p), aq = static_cast<Vec3q>(a), bq = static_cast<Vec3q>(b);
    const double exact = oracle::root(oracle::point_segment_sq(pq, aq, bq));
    const double reach = oracle::root(std::max(length_sq(pq - aq), length_sq(pq - bq)));
    const double error = std::abs(std::sqrt(double(found.distance_sq)) - exact);
    const double unit = double(std::numeric_limits<T>::epsilon()) * reach;
    return error <= 0 ? 0 : error / unit;
}

template <class T>
class ClosestPointSegmentTest : public testing::Test {};
using Coordinates = testing::Types<float, double>;
TYPED_TEST_SUITE(ClosestPointSegmentTest, Coordinates);

TYPED_TEST(ClosestPointSegmentTest, WithinItsBound) {
    RandomPoints<TypeParam> random(31);
    double worst = 0;
    for (int i = 0; i < oracle::case_count(300000); ++i) {
        auto a = random.in_box(1), b = random.in_box(1), p = random.in_box(2);
        if (i % 3 == 1) b = random.nudged(a, 3);  // hardly a segment
        if (i % 5 == 1) p = random.nudged(a + (b - a) * random.uniform(0, 1), 3);  // hardly off it
        if (i % 7 == 1) p = p * TypeParam(1000);
        worst = std::max(worst, check(p, a, b));
    }
    this->RecordProperty("worst", std::to_string(worst));
    EXPECT_LE(worst, 8);
}

TYPED_TEST(ClosestPointSegmentTest, DegenerateAndExactCases) {
    RandomPoints<TypeParam> random(32);
    double worst = 0;
    for (int i = 0; i < oracle::case_count(100000); ++i) {
        const auto a = random.on_grid(1), b = random.on_grid(1), p = random.on_grid(2);
        worst = std::max(worst, check(p, a, b));
    }
    EXPECT_LE(worst, 2);
    using V = Vec3T<TypeParam>;
    EXPECT_EQ(closest_point_segment(V{5, 0, 0}, V{1, 2, 3}, V{1, 2, 3}).point, (V{1, 2, 3}));
    EXPECT_EQ(closest_point_segment(V{1, 7, 0}, V{0, 0, 0}, V{2, 0, 0}).point, (V{1, 0, 0}));
    EXPECT_EQ(closest_point_segment(V{9, 7, 0}, V{0, 0, 0}, V{2, 0, 0}).point, (V{2, 0, 0}));
    EXPECT_EQ(closest_point_segment(V{1, 0, 0}, V{0, 0, 0}, V{2, 0, 0}).distance_sq, TypeParam(0));
}

TYPED_TEST(ClosestPointSegmentTest, OverTheStatedRange) {
    RandomPoints<TypeParam> random(33);
    const int reach = sizeof(TypeParam) == 4 ? 40 : 450;
    double worst = 0;
    for (int i = 0; i < oracle::case_count(50000); ++i) {
        const TypeParam scale = std::ldexp(TypeParam(1), random.integer(-reach, reach));
        worst = std::max(worst, check(random.in_box(1) * scale, random.in_box(1) * scale,
                                      random.in_box(1) * scale));
    }
    EXPECT_LE(worst, 8);
}

}  // namespace
}  // namespace graze

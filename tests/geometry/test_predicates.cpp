// The orientation signs against exact rational arithmetic.
#include "geometry/predicates.h"

#include <gtest/gtest.h>

#include "tests/oracle/case_count.h"
#include "tests/oracle/random_points.h"
#include "tests/oracle/rational.h"

namespace graze {
namespace {

using oracle::RandomPoints;
using oracle::Rational;
using oracle::RationalVec3;
using oracle::to_rational;

template <class T>
Rational exact_volume(const Vec3T<T>& a, const Vec3T<T>& b, const Vec3T<T>& c, const Vec3T<T>& d) {
    const RationalVec3 origin = to_rational(a);
    return dot(cross(to_rational(b) - origin, to_rational(c) - origin), to_rational(d) - origin);
}
template <class T>
int exact_turn(const Vec3T<T>& a, const Vec3T<T>& b, const Vec3T<T>& c) {
    const RationalVec3 origin = to_rational(a);
    return sgn(cross(to_rational(b) - origin, to_rational(c) - origin).z);
}

template <class T>
void expect_exact(const Vec3T<T> (&p)[4], int& zero_count) {
    const Rational volume = exact_volume(p[0], p[1], p[2], p[3]);
    ASSERT_EQ(orient3d(p[0], p[1], p[2], p[3]), sgn(volume));
    const double value = orient3d_value(p[0], p[1], p[2], p[3]);
    const Rational error = abs(Rational(Rational(value) - volume));
    ASSERT_LE(error, Rational(abs(volume) * Rational(0x1p-51)));
    ASSERT_EQ(orient2d(p[0].x, p[0].y, p[1].x, p[1].y, p[2].x, p[2].y),
              exact_turn(p[0], p[1], p[2]));
    // Even permutations keep the sign, odd ones turn it.
    ASSERT_EQ(orient3d(p[1], p[2], p[0], p[3]), sgn(volume));
    ASSERT_EQ(orient3d(p[0], p[1], p[3], p[2]), -sgn(volume));
    ASSERT_EQ(orient3d(p[3], p[1], p[2], p[0]), -sgn(volume));
    zero_count += sgn(volume) == 0;
}

template <class T>
class Predicates : public testing::Test {};
using Coordinates = testing::Types<float, double>;
TYPED_TEST_SUITE(Predicates, Coordinates);

TYPED_TEST(Predicates, RightHandedConvention) {
    using V = Vec3T<TypeParam>;
    EXPECT_EQ(orient3d(V{0, 0, 0}, V{1, 0, 0}, V{0, 1, 0}, V{0, 0, 1}), 1);
    EXPECT_EQ(orient3d(V{0, 0, 0}, V{1, 0, 0}, V{0, 1, 0}, V{5, 5, -1}), -1);
    EXPECT_EQ(orient3d(V{0, 0, 0}, V{1, 0, 0}, V{0, 1, 0}, V{5, 5, 0}), 0);
    EXPECT_EQ(orient2d_along(2, V{0, 0, 9}, V{1, 0, 7}, V{0, 1, -3}), 1);
    EXPECT_EQ(orient2d_along(0, V{9, 0, 0}, V{9, 1, 0}, V{9, 0, 1}), 1);
    EXPECT_EQ(orient2d_along(1, V{0, 9, 0}, V{0, 9, 1}, V{1, 9, 0}), 1);
}

TYPED_TEST(Predicates, ExactOnGridAndUlpsBesideIt) {
    RandomPoints<TypeParam> random(1);
    int zero_count = 0;
    for (int i = 0; i < oracle::case_count(50000); ++i) {
        const TypeParam far = TypeParam(random.integer(0, 1) * 1000);
        Vec3T<TypeParam> p[4];
        for (auto& point : p) {
            point = random.on_grid(2) + Vec3T<TypeParam>{far, far, -far};
            if (i % 3 != 0) point = random.nudged(point, i % 3);
        }
        expect_exact(p, zero_count);
    }
    EXPECT_GT(zero_count, oracle::case_count(500));
}

// The fourth point is rounded from the plane of the others: signs in the last bits.
TYPED_TEST(Predicates, ExactNearThePlane) {
    RandomPoints<TypeParam> random(2);
    int zero_count = 0;
    for (int i = 0; i < oracle::case_count(30000); ++i) {
        Vec3T<TypeParam> p[4] = {random.in_box(1), random.in_box(1), random.in_box(1), {}};
        const TypeParam u = random.uniform(-1, 1), v = random.uniform(-1, 1);
        p[3] = random.nudged(p[0] + (p[1] - p[0]) * u + (p[2] - p[0]) * v, 1);
        if (i % 2 == 0) p[3] = random.nudged(p[0] + (p[1] - p[0]) * u, 1);
        expect_exact(p, zero_count);
    }
}

TYPED_TEST(Predicates, ExactOverTheStatedRange) {
    RandomPoints<TypeParam> random(3);
    const bool is_float = sizeof(TypeParam) == 4;
    const int low = is_float ? -149 : -305, high = is_float ? 128 : 339;
    int zero_count = 0;
    for (int i = 0; i < oracle::case_count(20000); ++i) {
        const int middle = random.integer(low, high);
        const int reach = i % 2 == 0 ? 1000 : 20;
        const int from = std::max(low, middle - reach), to = std::min(high, middle + reach);
        Vec3T<TypeParam> p[4];
        for (auto& point : p)
            point = random.over_exponents(from, to);
        if (i % 3 == 0) p[3] = p[0] + p[1] - p[2];
        if (!is_finite(p[3])) continue;
        // Sums cancel below the smallest double that the predicates promise to handle.
        if (!is_float && i % 3 == 0 && from < low + 60) continue;
        expect_exact(p, zero_count);
    }
}

// The smallest numbers there are, with exact zeros among them.
TEST(PredicatesFloat, ExactForDenormals) {
    RandomPoints<float> random(4);
    const float tiny = std::numeric_limits<float>::denorm_min();
    int zero_count = 0;
    for (int i = 0; i < oracle::case_count(20000); ++i) {
        Vec3 p[4];
        for (Vec3& point : p)
            point = random.on_grid(3) * tiny;
        if (i % 2 == 0) p[0] = random.over_exponents(-149, 128);
        expect_exact(p, zero_count);
    }
    EXPECT_GT(zero_count, oracle::case_count(500));
}

TYPED_TEST(Predicates, CollinearIsExact) {
    RandomPoints<TypeParam> random(5);
    int collinear_count = 0;
    for (int i = 0; i < oracle::case_count(50000); ++i) {
        const auto a = random.on_grid(2), b = random.on_grid(2);
        const auto c = random.nudged(random.on_grid(2), i % 2);
        const bool expected =
            is_zero(cross(to_rational(b) - to_rational(a), to_rational(c) - to_rational(a)));
        ASSERT_EQ(are_collinear(a, b, c), expected);
        collinear_count += expected;
    }
    EXPECT_GT(collinear_count, oracle::case_count(500));
}

}  // namespace
}  // namespace graze

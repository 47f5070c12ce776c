// Closest point on a triangle against quadruple precision: all shapes, all regions.
#include "geometry/closest_point_triangle.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/oracle/case_count.h"
#include "tests/oracle/closest_brute.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using oracle::RandomPoints;
using oracle::Vec3q;

template <class T>
using Corners = std::array<Vec3T<T>, 3>;

// What the answer claims about itself: weights, point and feature fit together.
template <class T>
void check_consistency(const ClosestPointTriangle<T>& found, const Corners<T>& c) {
    const Vec3T<T> w = found.barycentric;
    ASSERT_TRUE(is_finite(found.point) && is_finite(w));
    ASSERT_TRUE(w.x >= 0 && w.y >= 0 && w.z >= 0);
    const T epsilon = std::numeric_limits<T>::epsilon();
    ASSERT_LE(std::abs(w.x + w.y + w.z - 1), 8 * epsilon);
    const int feature = int(found.feature);
    if (feature < 3) {
        ASSERT_EQ(found.point, c[feature]);
        ASSERT_EQ(w[feature], 1);
    } else if (feature < 6) {
        ASSERT_EQ(w[(feature - 3 + 2) % 3], 0);
    }
    T size = 0;
    for (const Vec3T<T>& corner : c)
        size = std::max(size, length(corner));
    ASSERT_LE(distance(found.point, c[0] * w.x + c[1] * w.y + c[2] * w.z), 16 * epsilon * size);
}

// The errors of the distance: over all queries, and over those no nearer than R / 10, in epsilon R.
struct Worst {
    double any = 0, far = 0;
};

template <class T>
void check(const Vec3T<T>& p, const Corners<T>& c, Worst& worst) {
    const auto found = closest_point_triangle(p, c[0], c[1], c[2]);
    check_consistency(found, c);
    const auto pq = static_cast<Vec3q>(p), a = static_cast<Vec3q>(c[0]),
               b = static_cast<Vec3q>(c[1]), d = static_cast<Vec3q>(c[2]);
    const double exact = oracle::root(oracle::point_triangle_sq(pq, a, b, d));
    const double reach =
        oracle::root(std::max({length_sq(pq - a), length_sq(pq - b), length_sq(pq - d)}));
    if (reach == 0) {
        ASSERT_EQ(found.distance_sq, 0);
        return;
    }
    const double error = std::abs(std::sqrt(double(found.distance_sq)) - exact) /
                         (double(std::numeric_limits<T>::epsilon()) * reach);
    worst.any = std::max(worst.any, error);
    if (exact >= reach / 10) worst.far = std::max(worst.far, error);
}

template <class T>
Vec3T<T> beside(RandomPoints<T>& random, const Corners<T>& c, T spread) {
    const T u = random.uniform(T(-0.5), T(1.5)), v = random.uniform(T(-0.5), T(1.5));
    return c[0] + (c[1] - c[0]) * u + (c[2] - c[0]) * v + random.in_box(spread);
}

template <class T>
class ClosestPointTriangleTest : public testing::Test {};
using Coordinates = testing::Types<float, double>;
TYPED_TEST_SUITE(ClosestPointTriangleTest, Coordinates);

TYPED_TEST(ClosestPointTriangleTest, WithinItsBoundForOrdinaryTriangles) {
    RandomPoints<TypeParam> random(41);
    Worst worst;
    for (int i = 0; i < oracle::case_count(300000); ++i) {
        const Corners<TypeParam> c{random.in_box(1), random.in_box(1), random.in_box(1)};
        const auto n = cross(c[1] - c[0], c[2] - c[0]);
        const auto longest =
            std::max({length_sq(c[1] - c[0]), length_sq(c[2] - c[1]), length_sq(c[0] - c[2])});
        if (length(n) < longest / 8) continue;
        const TypeParam spread = std::ldexp(TypeParam(1), random.integer(-20, 20));
        check(beside(random, c, spread), c, worst);
    }
    this->RecordProperty("worst", std::to_string(worst.any) + " far " + std::to_string(worst.far));
    EXPECT_LE(worst.any, 16);
    EXPECT_LE(worst.far, 4);
}

// Needles and caps of every flatness down to exactly collapsed ones.
TYPED_TEST(ClosestPointTriangleTest, NeedlesCapsAndCollapsed) {
    RandomPoints<TypeParam> random(42);
    Worst worst;
    for (int i = 0; i < oracle::case_count(300000); ++i) {
        const TypeParam flatness = std::ldexp(TypeParam(1), -random.integer(0, 40));
        const auto a = random.in_box(1), b = random.in_box(1);
        // A cap (third corner along the edge), a needle (at an end), or anything.
        const TypeParam t = i % 3 == 0 ? random.uniform(0, 1) : TypeParam(i % 3 - 1);
        Corners<TypeParam> c{a, b, a + (b - a) * t + random.in_box(flatness)};
        std::rotate(c.begin(), c.begin() + i % 3, c.end());
        check(beside(random, c, std::ldexp(TypeParam(1), random.integer(-30, 2))), c, worst);
    }
    this->RecordProperty("worst", std::to_string(worst.any) + " far " + std::to_string(worst.far));
    const double epsilon = std::numeric_limits<TypeParam>::epsilon();
    EXPECT_LE(worst.any, sizeof(TypeParam) == 4 ? 16 : 2e-8 / epsilon);
    EXPECT_LE(worst.far, sizeof(TypeParam) == 4 ? 4 : 2e-8 / epsilon);
}

TYPED_TEST(ClosestPointTriangleTest, SmallGrid) {
    RandomPoints<TypeParam> random(43);
    Worst worst;
    for (int i = 0; i < oracle::case_count(300000); ++i) {
        const int reach = 1 + i % 2;
        check(random.on_grid(2),
              {random.on_grid(reach), random.on_grid(reach), random.on_grid(reach)}, worst);
    }
    this->RecordProperty("worst", std::to_string(worst.any) + " far " + std::to_string(worst.far));
    EXPECT_LE(worst.any, 4);
}

TYPED_TEST(ClosestPointTriangleTest, OverTheStatedRange) {
    RandomPoints<TypeParam> random(44);
    const int low = sizeof(TypeParam) == 4 ? -50 : -200, high = sizeof(TypeParam) == 4 ? 56 : 200;
    Worst worst;
    for (int i = 0; i < oracle::case_count(100000); ++i) {
        const TypeParam scale = std::ldexp(TypeParam(1), random.integer(low, high));
        const Corners<TypeParam> c{random.on_grid(2) * scale, random.on_grid(2) * scale,
                                   random.on_grid(2) * scale};
        check(random.in_box(2) * scale, c, worst);
    }
    this->RecordProperty("worst", std::to_string(worst.any) + " far " + std::to_string(worst.far));
    EXPECT_LE(worst.any, 16);
}

TYPED_TEST(ClosestPointTriangleTest, NamesTheFeature) {
    using V = Vec3T<TypeParam>;
    const V a{0, 0, 0}, b{4, 0, 0}, c{0, 4, 0};
    const auto feature = [&](V p) { return closest_point_triangle(p, a, b, c).feature; };
    EXPECT_EQ(feature({1, 1, 7}), TriangleFeature::face);
    EXPECT_EQ(feature({-1, -1, 1}), TriangleFeature::vertex0);
    EXPECT_EQ(feature({9, -1, 1}), TriangleFeature::vertex1);
    EXPECT_EQ(feature({-1, 9, 1}), TriangleFeature::vertex2);
    EXPECT_EQ(feature({2, -1, 1}), TriangleFeature::edge0);
    EXPECT_EQ(feature({3, 3, 1}), TriangleFeature::edge1);
    EXPECT_EQ(feature({-1, 2, 1}), TriangleFeature::edge2);
    EXPECT_EQ(closest_point_triangle(V{9, 9, 9}, a, a, a).point, a);
    EXPECT_EQ(closest_point_triangle(V{1, 9, 0}, a, b, a).point, (V{1, 0, 0}));
}

}  // namespace
}  // namespace graze

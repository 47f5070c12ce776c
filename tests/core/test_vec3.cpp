#include "graze/vec3.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace graze {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Vec3 random_vector(std::mt19937& random) {
    std::uniform_real_distribution<float> coordinate(-10.0f, 10.0f);
    return {coordinate(random), coordinate(random), coordinate(random)};
}

TEST(Vec3, Arithmetic) {
    const Vec3 a{1, 2, 3};
    const Vec3 b{-4, 5, 0.5f};
    EXPECT_EQ(a + b, (Vec3{-3, 7, 3.5f}));
    EXPECT_EQ(a - b, (Vec3{5, -3, 2.5f}));
    EXPECT_EQ(-a, (Vec3{-1, -2, -3}));
    EXPECT_EQ(a * 2.0f, (Vec3{2, 4, 6}));
    EXPECT_EQ(2.0f * a, a * 2.0f);
    EXPECT_EQ(a / 2.0f, (Vec3{0.5f, 1, 1.5f}));
    EXPECT_EQ(scale(a, b), (Vec3{-4, 10, 1.5f}));

    Vec3 c = a;
    c += b;
    EXPECT_EQ(c, a + b);
    c -= b;
    EXPECT_EQ(c, a);
    c *= 3.0f;
    EXPECT_EQ(c, (Vec3{3, 6, 9}));
}

TEST(Vec3, IndexReadsAndWrites) {
    Vec3 a{1, 2, 3};
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_EQ(a[axis], static_cast<float>(axis + 1));
    a[1] = 7;
    EXPECT_EQ(a, (Vec3{1, 7, 3}));
}

TEST(Vec3, EqualityLooksAtEveryComponent) {
    const Vec3 a{1, 2, 3};
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 b = a;
        b[axis] += 1;
        EXPECT_TRUE(a != b);
        EXPECT_FALSE(a == b);
    }
    EXPECT_FALSE((Vec3{kNan, 0, 0}) == (Vec3{kNan, 0, 0}));
    EXPECT_TRUE((Vec3{0.0f, 0, 0}) == (Vec3{-0.0f, 0, 0}));
}

TEST(Vec3, Conversion) {
    const auto narrow = static_cast<Vec3>(Vec3d{1.0 / 3.0, 2.0, -2.7});
    EXPECT_EQ(narrow.x, static_cast<float>(1.0 / 3.0));
    EXPECT_EQ(static_cast<Vec3d>(narrow).z, static_cast<double>(-2.7f));
    EXPECT_EQ(static_cast<Vec3i>(Vec3{1.9f, -1.9f, 0}), (Vec3i{1, -1, 0}));
}

TEST(Vec3, ProductsOfAxes) {
    const Vec3 x{1, 0, 0};
    const Vec3 y{0, 1, 0};
    const Vec3 z{0, 0, 1};
    EXPECT_EQ(cross(x, y), z);
    EXPECT_EQ(cross(y, z), x);
    EXPECT_EQ(cross(z, x), y);
    EXPECT_EQ(dot(x, y), 0);
    EXPECT_EQ(dot(Vec3{1, 2, 3}, Vec3{4, -5, 6}), 12);
}

TEST(Vec3, CrossIsPerpendicularAndAntisymmetric) {
    std::mt19937 random(1);
    for (int i = 0; i < 1000; ++i) {
        const Vec3 a = random_vector(random);
        const Vec3 b = random_vector(random);
        const Vec3 c = cross(a, b);
        const float bound = 1e-6f * length(a) * length(b);
        EXPECT_NEAR(dot(c, a), 0, bound * length(a));
        EXPECT_NEAR(dot(c, b), 0, bound * length(b));
        EXPECT_EQ(cross(b, a), -c);
        // Lagrange: |a x b|^2 + (a.b)^2 = |a|^2 |b|^2
        const float product = length_sq(a) * length_sq(b);
        EXPECT_NEAR(length_sq(c) + dot(a, b) * dot(a, b), product, 1e-5f * product);
    }
    EXPECT_EQ(cross(Vec3{1, 2, 3}, Vec3{2, 4, 6}), (Vec3{0, 0, 0}));
}

TEST(Vec3, LengthAndDistance) {
    EXPECT_EQ(length(Vec3{2, 3, 6}), 7);
    EXPECT_EQ(length_sq(Vec3{2, 3, 6}), 49);
    EXPECT_EQ(length(Vec3{0, 0, 0}), 0);
    EXPECT_EQ(distance(Vec3{1, 1, 1}, Vec3{3, 4, 7}), 7);
    EXPECT_DOUBLE_EQ(length(Vec3d{2e150, 3e150, 6e150}), 7e150);
}

TEST(Vec3, NormalizedIsUnitAndKeepsTheDirection) {
    std::mt19937 random(2);
    for (int i = 0; i < 1000; ++i) {
        const Vec3 a = random_vector(random);
        const Vec3 unit = normalized(a);
        EXPECT_NEAR(length(unit), 1, 3e-7f);
        EXPECT_NEAR(distance(unit * length(a), a), 0, 1e-6f * length(a));
    }
    EXPECT_EQ(normalized(Vec3{0, -1e-10f, 0}), (Vec3{0, -1, 0}));
}

TEST(Vec3, NormalizedZeroIsZero) {
    EXPECT_EQ(normalized(Vec3{0, 0, 0}), (Vec3{0, 0, 0}));
    EXPECT_EQ(normalized(Vec3{-0.0f, 0, -0.0f}), (Vec3{0, 0, 0}));
    EXPECT_EQ(normalized(Vec3d{0, 0, 0}), (Vec3d{0, 0, 0}));
}

TEST(Vec3, MinMaxClamp) {
    EXPECT_EQ(min_of(Vec3{1, 5, -3}, Vec3{2, 4, -4}), (Vec3{1, 4, -4}));
    EXPECT_EQ(max_of(Vec3{1, 5, -3}, Vec3{2, 4, -4}), (Vec3{2, 5, -3}));
    EXPECT_EQ(min_of(3, -3), -3);
    EXPECT_EQ(max_of(3.0, -3.0), 3.0);
    EXPECT_EQ(clamp(5.0f, 0.0f, 1.0f), 1.0f);
    EXPECT_EQ(clamp(-5.0f, 0.0f, 1.0f), 0.0f);
    EXPECT_EQ(clamp(0.25f, 0.0f, 1.0f), 0.25f);
    EXPECT_EQ(clamp(kInf, 0.0f, 1.0f), 1.0f);
}

TEST(Vec3, IsFinite) {
    EXPECT_TRUE(is_finite(Vec3{0, -0.0f, 1}));
    EXPECT_TRUE(
        is_finite(Vec3{std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest(),
                       std::numeric_limits<float>::denorm_min()}));
    for (const float bad : {kInf, -kInf, kNan}) {
        EXPECT_FALSE(is_finite(Vec3{bad, 0, 0}));
        EXPECT_FALSE(is_finite(Vec3{0, bad, 0}));
        EXPECT_FALSE(is_finite(Vec3{0, 0, bad}));
        EXPECT_FALSE(is_finite(Vec3{bad, -bad, bad}));
    }
}

// The functions can be used in constant expressions.
static_assert(dot(cross(Vec3{1, 0, 0}, Vec3{0, 1, 0}), Vec3{0, 0, 2}) == 2);
static_assert(sizeof(Vec3) == 12 && sizeof(Vec3d) == 24);

}  // namespace
}  // namespace graze

#include "graze/quat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace graze {
namespace {

constexpr double kPi = std::numbers::pi;

Quatd random_rotation(std::mt19937& random) {
    std::normal_distribution<double> component;
    return normalized(
        Quatd{component(random), component(random), component(random), component(random)});
}
Vec3d random_vector(std::mt19937& random) {
    std::uniform_real_distribution<double> coordinate(-5.0, 5.0);
    return {coordinate(random), coordinate(random), coordinate(random)};
}
double norm(const Quatd& q) {
    return std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

// Rotation matrix around a unit axis, by Rodrigues: I + sin K + (1 - cos) K^2.
Mat3d rodrigues(const Vec3d& axis, double angle) {
    const Mat3d k{{{0, axis.z, -axis.y}, {-axis.z, 0, axis.x}, {axis.y, -axis.x, 0}}};
    return Mat3d::identity() + k * std::sin(angle) + k * k * (1 - std::cos(angle));
}

TEST(Quat, QuarterTurnsAreRightHanded) {
    const Vec3d x{1, 0, 0};
    const Vec3d y{0, 1, 0};
    const Vec3d z{0, 0, 1};
    const auto turned = [](const Vec3d& axis, const Vec3d& v) {
        return rotate(Quatd::from_axis_angle(axis, kPi / 2), v);
    };
    EXPECT_LT(distance(turned(z, x), y), 1e-15);
    EXPECT_LT(distance(turned(x, y), z), 1e-15);
    EXPECT_LT(distance(turned(y, z), x), 1e-15);
    EXPECT_LT(distance(turned(z, z), z), 1e-15);
}

TEST(Quat, IdentityLeavesEverythingAsItIs) {
    const Vec3d v{1, -2, 3};
    EXPECT_EQ(rotate(Quatd::identity(), v), v);
    EXPECT_EQ(rotate(Quatd::from_axis_angle({0, 1, 0}, 0.0), v), v);
}

TEST(Quat, AgreesWithTheRotationMatrix) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> angles(-7.0, 7.0);
    for (int i = 0; i < 1000; ++i) {
        const Vec3d axis = random_vector(random);  // of any length
        const double angle = angles(random);
        const Vec3d v = random_vector(random);
        const Quatd q = Quatd::from_axis_angle(axis, angle);
        const Vec3d expected = rodrigues(normalized(axis), angle) * v;
        EXPECT_NEAR(norm(q), 1, 1e-15);
        EXPECT_LT(distance(rotate(q, v), expected), 1e-13);
        EXPECT_LT(distance(to_matrix(q) * v, expected), 1e-13);
    }
}

TEST(Quat, MatrixIsAProperRotation) {
    std::mt19937 random(2);
    for (int i = 0; i < 1000; ++i) {
        const Mat3d m = to_matrix(random_rotation(random));
        EXPECT_NEAR(determinant(m), 1, 1e-14);
        const Mat3d product = m * transpose(m);
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column) {
                EXPECT_NEAR(product(row, column), row == column ? 1 : 0, 1e-14);
            }
        }
    }
}

TEST(Quat, ProductIsTheRightRotationFirst) {
    std::mt19937 random(3);
    for (int i = 0; i < 1000; ++i) {
        const Quatd a = random_rotation(random);
        const Quatd b = random_rotation(random);
        const Vec3d v = random_vector(random);
        EXPECT_LT(distance(rotate(a * b, v), rotate(a, rotate(b, v))), 1e-13);
        EXPECT_LT(distance(to_matrix(a * b) * v, to_matrix(a) * (to_matrix(b) * v)), 1e-13);
    }
}

TEST(Quat, ConjugateUndoesAndLengthsStay) {
    std::mt19937 random(4);
    for (int i = 0; i < 1000; ++i) {
        const Quatd q = random_rotation(random);
        const Vec3d v = random_vector(random);
        EXPECT_LT(distance(rotate(conjugate(q), rotate(q, v)), v), 1e-14);
        EXPECT_NEAR(length(rotate(q, v)), length(v), 1e-14);
        // q and -q are the same rotation.
        EXPECT_LT(distance(rotate(Quatd{-q.w, -q.x, -q.y, -q.z}, v), rotate(q, v)), 1e-15);
    }
}

TEST(Quat, HalfTurn) {
    const Quatd q = Quatd::from_axis_angle({0, 0, 3}, kPi);
    EXPECT_LT(distance(rotate(q, Vec3d{1, 2, 3}), Vec3d{-1, -2, 3}), 1e-15);
}

TEST(Quat, NormalizedIsUnitAndZeroBecomesIdentity) {
    const Quatd unit = normalized(Quatd{2, -4, 4, 8});
    EXPECT_DOUBLE_EQ(unit.w, 0.2);
    EXPECT_DOUBLE_EQ(unit.x, -0.4);
    EXPECT_DOUBLE_EQ(unit.y, 0.4);
    EXPECT_DOUBLE_EQ(unit.z, 0.8);
    const Quatd zero = normalized(Quatd{0, 0, 0, 0});
    EXPECT_EQ(zero.w, 1);
    EXPECT_EQ(zero.x, 0);
    EXPECT_EQ(zero.y, 0);
    EXPECT_EQ(zero.z, 0);
}

}  // namespace
}  // namespace graze

#include "graze/mat3.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace graze {
namespace {

// A matrix from its rows; Mat3d is made from columns.
Mat3d from_rows(const Vec3d& r0, const Vec3d& r1, const Vec3d& r2) {
    return transpose(Mat3d{{r0, r1, r2}});
}

Mat3d random_matrix(std::mt19937& random) {
    std::uniform_real_distribution<double> entry(-2.0, 2.0);
    Mat3d m;
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column)
            m(row, column) = entry(random);
    }
    return m;
}

double largest_difference(const Mat3d& a, const Mat3d& b) {
    double largest = 0;
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            largest = std::max(largest, std::abs(a(row, column) - b(row, column)));
        }
    }
    return largest;
}

TEST(Mat3, EntriesAreRowThenColumn) {
    Mat3d m = from_rows({1, 2, 3}, {4, 5, 6}, {7, 8, 9});
    EXPECT_EQ(m(0, 2), 3);
    EXPECT_EQ(m(2, 0), 7);
    EXPECT_EQ(m.columns[1], (Vec3d{2, 5, 8}));
    m(1, 2) = -6;
    EXPECT_EQ(m.columns[2], (Vec3d{3, -6, 9}));
}

TEST(Mat3, TimesVector) {
    const Mat3d m = from_rows({1, 2, 3}, {4, 5, 6}, {7, 8, 9});
    EXPECT_EQ(m * (Vec3d{1, 0, -1}), (Vec3d{-2, -2, -2}));
    EXPECT_EQ(Mat3d::identity() * (Vec3d{1, 2, 3}), (Vec3d{1, 2, 3}));
    EXPECT_EQ(Mat3d::diagonal({2, 3, 4}) * (Vec3d{1, 1, 1}), (Vec3d{2, 3, 4}));
}

TEST(Mat3, ProductIsRowTimesColumn) {
    const Mat3d a = from_rows({1, 2, 3}, {4, 5, 6}, {7, 8, 9});
    const Mat3d b = from_rows({0, 1, 0}, {2, 0, -1}, {1, 1, 1});
    EXPECT_EQ(largest_difference(a * b, from_rows({7, 4, 1}, {16, 10, 1}, {25, 16, 1})), 0);
    EXPECT_EQ(largest_difference(a * Mat3d::identity(), a), 0);
    EXPECT_EQ(largest_difference(Mat3d::identity() * a, a), 0);
}

TEST(Mat3, SumDifferenceScale) {
    const Mat3d a = from_rows({1, 2, 3}, {4, 5, 6}, {7, 8, 9});
    EXPECT_EQ(largest_difference(a + a, a * 2.0), 0);
    EXPECT_EQ(largest_difference(a * 2.0 - a, a), 0);
}

TEST(Mat3, Transpose) {
    std::mt19937 random(1);
    const Mat3d a = random_matrix(random);
    const Mat3d b = random_matrix(random);
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            EXPECT_EQ(transpose(a)(row, column), a(column, row));
        }
    }
    EXPECT_LT(largest_difference(transpose(a * b), transpose(b) * transpose(a)), 1e-14);
}

TEST(Mat3, Determinant) {
    EXPECT_EQ(determinant(Mat3d::identity()), 1);
    EXPECT_EQ(determinant(Mat3d::diagonal({2, 3, -4})), -24);
    EXPECT_EQ(determinant(from_rows({1, 2, 3}, {4, 5, 6}, {7, 8, 9})), 0);
    EXPECT_EQ(determinant(from_rows({0, 1, 0}, {1, 0, 0}, {0, 0, 1})), -1);
    std::mt19937 random(2);
    for (int i = 0; i < 100; ++i) {
        const Mat3d a = random_matrix(random);
        const Mat3d b = random_matrix(random);
        EXPECT_NEAR(determinant(a * b), determinant(a) * determinant(b), 1e-11);
    }
}

TEST(Mat3, InverseUndoes) {
    std::mt19937 random(3);
    int tried = 0;
    for (int i = 0; i < 1000; ++i) {
        const Mat3d a = random_matrix(random);
        if (std::abs(determinant(a)) < 0.01) continue;
        ++tried;
        const double bound = 1e-13 / std::abs(determinant(a));
        EXPECT_LT(largest_difference(a * inverse(a), Mat3d::identity()), bound * 100);
        EXPECT_LT(largest_difference(inverse(a) * a, Mat3d::identity()), bound * 100);
    }
    EXPECT_GT(tried, 900);
    EXPECT_EQ(largest_difference(inverse(Mat3d::diagonal({2, 4, -0.5})),
                                 Mat3d::diagonal({0.5, 0.25, -2})),
              0);
}

TEST(Mat3, InverseOfSingularIsNotFinite) {
    const Mat3d m = inverse(Mat3d::diagonal({1, 1, 0}));
    EXPECT_FALSE(is_finite(m.columns[0]) && is_finite(m.columns[1]) && is_finite(m.columns[2]));
}

TEST(Mat3, OuterProduct) {
    const Vec3d a{1, 2, 3};
    const Vec3d b{4, -5, 6};
    const Mat3d m = outer(a, b);
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column)
            EXPECT_EQ(m(row, column), a[row] * b[column]);
    }
    EXPECT_EQ(m * (Vec3d{1, 1, 1}), a * dot(b, Vec3d{1, 1, 1}));
    EXPECT_EQ(determinant(m), 0);
}

}  // namespace
}  // namespace graze

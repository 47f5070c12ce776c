#include "graze/transform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace graze {
namespace {

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}

    double real(double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(engine_);
    }
    Vec3d point() { return {real(-5, 5), real(-5, 5), real(-5, 5)}; }
    Transformd transform() {
        return {point(), Quatd::from_axis_angle(point(), real(-4, 4)), std::exp(real(-2, 2))};
    }

private:
    std::mt19937 engine_;
};

Vec3d corner(const Aabbd& box, int index) {
    return {index & 1 ? box.max.x : box.min.x, index & 2 ? box.max.y : box.min.y,
            index & 4 ? box.max.z : box.min.z};
}

TEST(Transform, IdentityLeavesEverythingAsItIs) {
    const Vec3d p{1, -2, 3};
    EXPECT_EQ(transform_point(Transformd::identity(), p), p);
    EXPECT_EQ(transform_vector(Transformd::identity(), p), p);
    EXPECT_EQ(transform_direction(Transformd::identity(), p), p);
}

TEST(Transform, ScalesThenRotatesThenMoves) {
    const Transformd a_from_b{
        {10, 0, 0}, Quatd::from_axis_angle({0, 0, 1}, std::numbers::pi / 2), 2};
    EXPECT_LT(distance(transform_point(a_from_b, Vec3d{1, 0, 0}), Vec3d{10, 2, 0}), 1e-15);
    EXPECT_LT(distance(transform_vector(a_from_b, Vec3d{1, 0, 0}), Vec3d{0, 2, 0}), 1e-15);
    EXPECT_LT(distance(transform_direction(a_from_b, Vec3d{1, 0, 0}), Vec3d{0, 1, 0}), 1e-15);
}

TEST(Transform, VectorIsADifferenceOfPoints) {
    Random random(1);
    for (int i = 0; i < 1000; ++i) {
        const Transformd t = random.transform();
        const Vec3d p = random.point();
        const Vec3d q = random.point();
        EXPECT_LT(
            distance(transform_point(t, p) - transform_point(t, q), transform_vector(t, p - q)),
            1e-12);
        EXPECT_NEAR(distance(transform_point(t, p), transform_point(t, q)),
                    t.scale * distance(p, q), 1e-12);
    }
}

TEST(Transform, ProductComposes) {
    Random random(2);
    for (int i = 0; i < 1000; ++i) {
        const Transformd a_from_b = random.transform();
        const Transformd b_from_c = random.transform();
        const Vec3d p = random.point();
        EXPECT_LT(distance(transform_point(a_from_b * b_from_c, p),
                           transform_point(a_from_b, transform_point(b_from_c, p))),
                  1e-11);
        EXPECT_LT(distance(transform_direction(a_from_b * b_from_c, p),
                           transform_direction(a_from_b, transform_direction(b_from_c, p))),
                  1e-12);
    }
}

TEST(Transform, InverseComposesToIdentity) {
    Random random(3);
    for (int i = 0; i < 1000; ++i) {
        const Transformd t = random.transform();
        for (const Transformd& around : {inverse(t) * t, t * inverse(t)}) {
            EXPECT_LT(length(around.translation), 1e-12);
            EXPECT_NEAR(std::abs(around.rotation.w), 1, 1e-14);
            EXPECT_NEAR(around.scale, 1, 1e-14);
        }
        const Vec3d p = random.point();
        EXPECT_LT(distance(transform_point(inverse(t), transform_point(t, p)), p), 1e-12);
    }
}

TEST(Transform, BoxIsTheSmallestAroundTheCorners) {
    Random random(4);
    for (int i = 0; i < 1000; ++i) {
        const Transformd t = random.transform();
        const Vec3d p = random.point();
        const Vec3d q = random.point();
        const Aabbd box{min_of(p, q), max_of(p, q)};
        Aabbd corners = Aabbd::empty();
        for (int k = 0; k < 8; ++k)
            corners = merge(corners, transform_point(t, corner(box, k)));
        const Aabbd result = transform_box(t, box);
        EXPECT_LT(distance(result.min, corners.min), 1e-11);
        EXPECT_LT(distance(result.max, corners.max), 1e-11);
        const Aabbd grown = inflate(result, 1e-11);
        EXPECT_TRUE(contains(grown, corners.min) && contains(grown, corners.max));
    }
}

TEST(Transform, BoxInFloatsHoldsTheCornersUpToRounding) {
    Random random(5);
    for (int i = 0; i < 1000; ++i) {
        const Transformd wide = random.transform();
        const Transform t{
            static_cast<Vec3>(wide.translation),
            {static_cast<float>(wide.rotation.w), static_cast<float>(wide.rotation.x),
             static_cast<float>(wide.rotation.y), static_cast<float>(wide.rotation.z)},
            static_cast<float>(wide.scale)};
        const auto p = static_cast<Vec3>(random.point());
        const auto q = static_cast<Vec3>(random.point());
        const Aabb box{min_of(p, q), max_of(p, q)};
        const Aabb grown = inflate(transform_box(t, box), 1e-5f * t.scale * 10 + 1e-5f);
        EXPECT_TRUE(contains(grown, transform_point(t, p)));
        EXPECT_TRUE(contains(grown, transform_point(t, q)));
    }
}

TEST(Transform, BoxesWithoutExtent) {
    Random random(6);
    const Transformd t = random.transform();
    EXPECT_TRUE(transform_box(t, Aabbd::empty()).is_empty());
    const Vec3d p = random.point();
    const Aabbd point = transform_box(t, Aabbd{p, p});
    EXPECT_EQ(point.min, point.max);
    EXPECT_LT(distance(point.min, transform_point(t, p)), 1e-15);
}

}  // namespace
}  // namespace graze

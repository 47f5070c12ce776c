// Poses inside a step against the standard library's sines.
#include "geometry/rigid_motion.h"

#include <gtest/gtest.h>

#include "tests/narrow_phase/sweep/sweep_cases.h"

namespace graze {
namespace {

TEST(RigidMotion, SinesAndArcsAreThoseOfTheLibrary) {
    for (int i = 0; i <= 1000; ++i) {
        const double x = i * (1.5707963267948966 / 1000);
        EXPECT_NEAR(rigid_motion_detail::sine(x), std::sin(x), 3e-16);
        EXPECT_NEAR(rigid_motion_detail::cosine(x), std::cos(x), 3e-16);
        const double s = i * (0.70711 / 1000);
        EXPECT_NEAR(rigid_motion_detail::arc_sine(s), std::asin(s), 4e-16);
    }
}

TEST(RigidMotion, TurnsAlongTheShorterArcAtConstantSpeed) {
    RandomPoints<float> random(3);
    for (int i = 0; i < 500; ++i) {
        const Quat a = random_rotation(random);
        Quat b = random_rotation(random);
        if (i % 5 == 0) {  // nearly the same, or the same but for the sign
            const float near = i % 10 == 0 ? 1e-4f : 0.0f;
            b = normalized(Quat{-a.w, -a.x + near, -a.y, -a.z});
        }
        const RotationArc arc = make_rotation_arc(a, b);
        for (const double t : {0.0, 0.1, 0.5, 0.77, 1.0}) {
            const Quatd expected = slerp(a, b, t), found = rotation_at(arc, t);
            const double cosine = expected.w * found.w + expected.x * found.x +
                                  expected.y * found.y + expected.z * found.z;
            EXPECT_NEAR(std::abs(cosine), 1, 1e-9) << i << " at " << t;
            const double norm_sq =
                found.w * found.w + found.x * found.x + found.y * found.y + found.z * found.z;
            EXPECT_NEAR(norm_sq, 1, 1e-14);
        }
    }
}

TEST(RigidMotion, PosesAtTheEndsAreTheGivenOnes) {
    const Transform from{{1, 2, 3}, normalized(Quat{1, 2, 3, 4}), 2};
    const Transform to{{-1, 0, 5}, normalized(Quat{-4, 1, 0, 2}), 2};
    const auto same = [](const Transform& a, const Transform& b) {
        return a.translation == b.translation && a.rotation.w == b.rotation.w &&
               a.rotation.x == b.rotation.x && a.rotation.y == b.rotation.y &&
               a.rotation.z == b.rotation.z && a.scale == b.scale;
    };
    EXPECT_TRUE(same(pose_at(from, to, 0.0f), from));
    EXPECT_TRUE(same(pose_at(from, to, 1.0f), to));
    EXPECT_EQ(pose_at(from, to, 0.5f).translation, (Vec3{0, 1, 4}));
}

}  // namespace
}  // namespace graze

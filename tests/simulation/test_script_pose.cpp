// Where fixed and kinematic bodies are at a time.
#include "simulation/script_pose.h"

#include <gtest/gtest.h>

#include <cmath>

namespace graze {
namespace {

constexpr double kPi = 3.14159265358979;

TEST(ScriptPose, FixedBodiesStay) {
    SceneBody body;
    body.motion = BodyMotion::fixed;
    body.pose = {{1, 2, 3}, Quat::identity(), 2};
    const Transformd pose = script_pose(body, {5, 5, 5}, 100);
    EXPECT_EQ(pose.translation, (Vec3d{1, 2, 3}));
    EXPECT_EQ(pose.scale, 2);
}

TEST(ScriptPose, VelocitiesTurnAboutTheCentre) {
    SceneBody body;
    body.pose.scale = 2;
    body.velocity = {1, 0, 0};
    body.angular_velocity = {0, 0, static_cast<float>(kPi / 2)};
    const Vec3d centre{1, 0, 0};
    const Transformd pose = script_pose(body, centre, 3);
    EXPECT_LT(distance(transform_point(pose, centre), Vec3d{5, 0, 0}), 1e-6);
    // Three quarters of a turn, which take x to -y.
    EXPECT_LT(distance(transform_point(pose, Vec3d{2, 0, 0}), Vec3d{5, -2, 0}), 1e-6);
}

TEST(ScriptPose, PathsGoStraightAndEvenlyAndEnd) {
    SceneBody body;
    body.pose.translation = {0, 0, 1};
    const Quat quarter = Quat::from_axis_angle({0, 0, 1}, static_cast<float>(kPi / 2));
    body.path = {{1, {0, 0, 2}, Quat::identity()}, {3, {4, 0, 2}, quarter}};
    const auto at = [&](double time) { return script_pose(body, {9, 9, 9}, time); };
    EXPECT_LT(distance(at(0).translation, Vec3d{0, 0, 1}), 1e-9) << "the pose, before the path";
    EXPECT_LT(distance(at(0.5).translation, Vec3d{0, 0, 1.5}), 1e-9);
    EXPECT_LT(distance(at(1.5).translation, Vec3d{1, 0, 2}), 1e-9);
    EXPECT_NEAR(2 * std::asin(at(1.5).rotation.z), kPi / 8, 1e-7);
    EXPECT_NEAR(2 * std::asin(at(2).rotation.z), kPi / 4, 1e-7);
    for (const double time : {3.0, 7.0}) {
        EXPECT_LT(distance(at(time).translation, Vec3d{4, 0, 2}), 1e-9);
        EXPECT_NEAR(2 * std::asin(at(time).rotation.z), kPi / 2, 1e-7);
    }
    // The other sign is the same rotation, so nothing turns.
    body.path[1].rotation = {-1, 0, 0, 0};
    EXPECT_NEAR(std::fabs(at(2).rotation.w), 1, 1e-9);
}

}  // namespace
}  // namespace graze

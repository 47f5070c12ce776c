// The judge of comparisons against what is known by formula: depths, times, sides, distances.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/comparison/compared_meshes.h"

namespace graze {
namespace {

// A sphere's mesh lies inside the sphere by no more than that.
constexpr double kSag = 0.005;

TEST(PairJudge, KnowsTheDepthOfSpheres) {
    JudgedPair spheres(make_sphere(1, 4), make_sphere(0.5f, 4));
    for (const float distance : {1.45f, 1.3f, 1.0f, 0.6f}) {
        const Vec3 direction = normalized(Vec3{1, 0.4f, -0.3f});
        const double depth = spheres(at(direction * distance)).truth.depth;
        EXPECT_NEAR(depth, 1.5 - static_cast<double>(distance), 0.01 + kSag) << distance;
    }
    EXPECT_EQ(spheres(at({1.6f, 0, 0})).truth.depth, 0);
}

TEST(PairJudge, KnowsTheDepthOfScaledAndTurnedBodies) {
    JudgedPair pair(box_mesh({-1, -1, -1}, {1, 1, 1}), make_sphere(0.5f, 4));
    const Transform pose{{0, 0, 1.8f}, Quat::from_axis_angle({1, 1, 0}, 0.7f), 2};
    EXPECT_NEAR(pair(pose).truth.depth, 0.2, 0.01 + kSag);
}

TEST(PairJudge, KnowsWhenSpheresMeet) {
    JudgedPair spheres(make_sphere(1, 4), make_sphere(0.5f, 4));
    // The gap of 3 is crossed at 8 a step.
    const PairJudge::Verdict hit = spheres({at({4.5f, 0, 0}), at({-3.5f, 0, 0})});
    EXPECT_TRUE(hit.truth.touches);
    EXPECT_TRUE(hit.truth.must_be_found);
    EXPECT_NEAR(hit.truth.time, 3.0 / 8, 2 * kSag / 8);
    const PairJudge::Verdict miss = spheres({at({4.5f, 0, 1.6f}), at({-3.5f, 0, 1.6f})});
    EXPECT_FALSE(miss.truth.touches);
    const PairJudge::Verdict already = spheres({at({1.2f, 0, 0}), at({5, 0, 0})});
    EXPECT_TRUE(already.truth.touches);
    EXPECT_EQ(already.truth.time, 0);
}

// A bar turns by a quarter around its middle; its end meets a ball on the way, which the chord of
// the whole turn passes by on the inner side.
TEST(PairJudge, FollowsWhatTurns) {
    const float eighth = 0.78539816f;
    const Mesh ball = moved(make_sphere(0.05f, 3), {std::cos(eighth), std::sin(eighth), 0});
    JudgedPair pair(ball, box_mesh({-1, -0.01f, -0.01f}, {1, 0.01f, 0.01f}));
    const Transform end{{0, 0, 0}, Quat::from_axis_angle({0, 0, 1}, 2 * eighth), 1};
    const PairJudge::Verdict hit = pair({Transform::identity(), end});
    ASSERT_TRUE(hit.truth.touches);
    // The bar's face is 0.01 before its axis, and the ball is seen under an angle of 0.05.
    EXPECT_NEAR(hit.truth.time, (eighth - 0.06) / (2 * eighth), 0.01);
}

TEST(PairJudge, TellsWhatIsOffBothBodies) {
    JudgedPair spheres(make_sphere(1, 4), make_sphere(1, 4));
    const Transform pose = at({1.5f, 0, 0});
    EXPECT_NEAR(spheres.judge_.distance_off({0.75f, 0, 0}, pose), 0, 1e-6);
    EXPECT_NEAR(spheres.judge_.distance_off({0, 0, 0}, pose), 0.5, kSag);
    EXPECT_NEAR(spheres.judge_.distance_off({3, 0, 0}, pose), 2, kSag);
    EXPECT_LT(spheres.judge_.angle_off({0.9f, 0, 0}, {-1, 0, 0}, pose), 0.1);
    EXPECT_NEAR(spheres.judge_.angle_off({0.9f, 0, 0}, {0, 1, 0}, pose), 1.5708, 0.1);
    EXPECT_GT(spheres.judge_.angle_off({0.9f, 0, 0}, {1, 0, 0}, pose), 3);
}

TEST(JudgedBody, TellsWhichMeshesHaveAnInside) {
    CpuExecutor executor;
    EXPECT_TRUE(JudgedBody(executor, make_sphere(1, 3)).has_inside());
    EXPECT_TRUE(JudgedBody(executor, box_mesh({0, 0, 0}, {1, 1, 0.001f})).has_inside());
    EXPECT_FALSE(JudgedBody(executor, make_sheet()).has_inside());
    EXPECT_FALSE(JudgedBody(executor, make_skirt()).has_inside());
    // A sphere without one of its 1,280 triangles still tells, one without the upper half does not.
    Mesh pierced = make_sphere(1, 3);
    pierced.triangles.pop_back();
    EXPECT_TRUE(JudgedBody(executor, pierced).has_inside());
    Mesh half = make_sphere(1, 3);
    std::erase_if(half.triangles, [&](const Triangle& t) { return half.positions[t[0]].z > 0; });
    EXPECT_FALSE(JudgedBody(executor, half).has_inside());
}

// A mesh that is inside out is turned around, as fields take it.
TEST(JudgedBody, TakesAnInvertedMeshForTheSolidThatItBounds) {
    CpuExecutor executor;
    Mesh inverted = make_sphere(1, 3);
    for (Triangle& t : inverted.triangles)
        std::swap(t.v[0], t.v[1]);
    const JudgedBody body(executor, inverted);
    EXPECT_TRUE(body.has_inside());
    EXPECT_TRUE(body.is_inside({0.5f, 0, 0}));
    EXPECT_FALSE(body.is_inside({1.5f, 0, 0}));
}

}  // namespace
}  // namespace graze

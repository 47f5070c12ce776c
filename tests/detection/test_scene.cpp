// Tests what shapes and scenes contain, and which poses they refuse with which words.
#include "graze/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "field/sampled/sampled_field.h"
#include "graze/error.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Shape ball() {
    return Shape::from_field(Field::sphere({0, 0, 0}, 1));
}

bool same(const Transform& a, const Transform& b) {
    return a.translation == b.translation && a.rotation.w == b.rotation.w &&
           a.rotation.x == b.rotation.x && a.rotation.y == b.rotation.y &&
           a.rotation.z == b.rotation.z && a.scale == b.scale;
}

template <class Work>
std::string refusal(const Work& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return "not refused";
}

Transform at(float x, float y, float z) {
    return {{x, y, z}, Quat::identity(), 1};
}

TEST(Shape, KeepsFieldAndMesh) {
    const Shape formula = ball();
    EXPECT_EQ(formula.mesh(), nullptr);
    EXPECT_EQ(formula.field().distance({3, 0, 0}), 2);
    EXPECT_EQ(formula.bounds().max.x, 1);

    const Mesh mesh = sample::cube();
    const Shape built = Shape::from_mesh(mesh, {.field = {.resolution = 16}});
    EXPECT_FALSE(built.has_field()) << "nothing is built before it is needed";
    EXPECT_EQ(built.field_report(), nullptr);
    EXPECT_EQ(built.bounds().max.x, bounds(mesh).max.x);
    ASSERT_NE(built.mesh(), nullptr);
    EXPECT_EQ(built.mesh()->triangles.size(), mesh.triangles.size());
    EXPECT_EQ(built.mesh()->positions, mesh.positions);
    ASSERT_TRUE(built.field().is_sampled());
    EXPECT_TRUE(built.has_field());
    ASSERT_NE(built.field_report(), nullptr);
    EXPECT_EQ(built.field_report()->sign, FieldSign::crossings);

    const Shape given = Shape::from_mesh(mesh, built.field());
    EXPECT_EQ(samples_of(given.field()), samples_of(built.field()));
    EXPECT_NE(given.mesh(), nullptr);
}

TEST(Shape, IsTheSameOnlyAsItsCopies) {
    const Shape a = ball(), b = ball();
    const std::vector<Shape> copies(2, a);
    EXPECT_TRUE(a == copies[1]);
    EXPECT_FALSE(a == b);
    EXPECT_EQ(&a.field(), &copies[1].field());
}

TEST(Shape, RefusesBadMeshes) {
    EXPECT_THROW(Shape::from_mesh(Mesh{}), Error);
    Mesh broken = sample::cube();
    broken.triangles[0].v[1] = 1000;
    EXPECT_THROW(Shape::from_mesh(broken, Field::sphere({0, 0, 0}, 1)), Error);
}

TEST(Scene, NumbersBodiesInOrder) {
    Scene scene;
    EXPECT_EQ(scene.size(), 0u);
    const Shape shape = ball();
    EXPECT_EQ(scene.add(shape), 0u);
    EXPECT_EQ(scene.add(shape, at(1, 2, 3)), 1u);
    EXPECT_EQ(scene.add(Body{.shape = shape, .is_static = true}), 2u);
    EXPECT_EQ(scene.size(), 3u);
    EXPECT_EQ(scene.bodies().size(), 3u);
    EXPECT_TRUE(scene[0].shape == scene[1].shape);
    EXPECT_TRUE(same(scene[0].pose, Transform::identity()));
    // A body that is put somewhere rests there.
    EXPECT_TRUE(same(scene[1].pose, at(1, 2, 3)));
    EXPECT_TRUE(same(scene[1].pose_t1.value_or(scene[1].pose), at(1, 2, 3)));
    EXPECT_FALSE(scene[1].is_static);
    EXPECT_TRUE(scene[2].is_static);
}

TEST(Scene, MovesBodies) {
    Scene scene;
    scene.add(ball());
    scene.set_motion(0, at(1, 0, 0), at(2, 0, 0));
    EXPECT_TRUE(same(scene[0].pose, at(1, 0, 0)));
    EXPECT_TRUE(same(scene[0].pose_t1.value_or(scene[0].pose), at(2, 0, 0)));
    scene.set_pose(0, at(5, 0, 0));
    EXPECT_TRUE(same(scene[0].pose, at(5, 0, 0)));
    EXPECT_TRUE(same(scene[0].pose_t1.value_or(scene[0].pose), at(5, 0, 0)));
    EXPECT_THAT(refusal([&] { scene.set_pose(1, at(0, 0, 0)); }),
                AllOf(HasSubstr("body 1 is not there"), HasSubstr("the scene has 1")));
}

// Rotations that are not quite of unit length, as they come out of a long run, are accepted.
TEST(Scene, TakesRotationsWithRounding) {
    Scene scene;
    Transform pose = at(0, 0, 0);
    pose.rotation = {1.0002f, 0, 0, 0};
    EXPECT_EQ(scene.add(ball(), pose), 0u);
    pose.rotation = {0.6f, 0, -0.8f, 0};
    pose.scale = 1e-3f;
    EXPECT_EQ(scene.add(ball(), pose), 1u);
}

TEST(Scene, RefusesPosesThatAreNone) {
    Scene scene;
    scene.add(ball());
    const auto refused = [&](const Transform& pose) {
        const std::string added = refusal([&] { scene.add(ball(), pose); });
        EXPECT_THAT(added, HasSubstr("body 1"));
        EXPECT_THAT(refusal([&] { scene.set_pose(0, pose); }), HasSubstr("body 0"));
        EXPECT_THAT(refusal([&] { scene.set_motion(0, at(0, 0, 0), pose); }), HasSubstr("body 0"));
        EXPECT_EQ(scene.size(), 1u);
        EXPECT_TRUE(same(scene[0].pose, at(0, 0, 0)));
        return added;
    };
    for (const float bad : {kNan, kInfinity, -kInfinity}) {
        for (int axis = 0; axis < 3; ++axis) {
            Transform pose = at(0, 0, 0);
            pose.translation[axis] = bad;
            EXPECT_THAT(refused(pose), HasSubstr("finite number"));
        }
    }
    for (const Quat& bad : {Quat{0, 0, 0, 0}, Quat{1, 1, 0, 0}, Quat{0.9f, 0, 0, 0},
                            Quat{kNan, 0, 0, 1}, Quat{kInfinity, 0, 0, 0}}) {
        Transform pose = at(0, 0, 0);
        pose.rotation = bad;
        EXPECT_THAT(refused(pose), HasSubstr("unit quaternion"));
    }
    for (const float bad : {0.0f, -1.0f, kNan, kInfinity}) {
        Transform pose = at(0, 0, 0);
        pose.scale = bad;
        EXPECT_THAT(refused(pose), HasSubstr("above 0"));
    }
}

TEST(Scene, BodiesDoNotGrowWithinAStep) {
    Scene scene;
    scene.add(ball());
    Transform large = at(0, 0, 0);
    large.scale = 2;
    EXPECT_THAT(refusal([&] { scene.set_motion(0, at(0, 0, 0), large); }),
                AllOf(HasSubstr("scale is 1"), HasSubstr("2 at its end")));
    scene.set_pose(0, large);
    EXPECT_EQ(scene[0].pose.scale, 2);
}

}  // namespace
}  // namespace graze

#include <gtest/gtest.h>

#include <algorithm>

#include "graze/mass_properties.h"
#include "graze/mesh_report.h"
#include "graze/recording.h"
#include "tests/recording/recording_cases.h"

namespace graze {
namespace {

SceneDescription scene_of(const std::vector<Field>& fields) {
    SceneDescription scene;
    scene.name = "a scene";
    scene.time_step = 0.01;
    scene.frame_steps = 5;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        scene.shapes.push_back({"shape " + std::to_string(i), Shape::from_field(fields[i]), ""});
        SceneBody body;
        body.name = "body " + std::to_string(i);
        body.shape = static_cast<std::uint32_t>(i);
        scene.bodies.push_back(body);
    }
    return scene;
}

TEST(DescribeRecording, NamesWhatTheSceneNames) {
    SceneDescription scene = scene_of({Field::sphere({0, 0, 0}, 1), Field::box({1, 1, 1})});
    scene.bodies[1].motion = BodyMotion::kinematic;
    const RecordingSetup setup = describe_recording(scene);
    EXPECT_EQ(setup.scene_name, "a scene");
    EXPECT_DOUBLE_EQ(setup.frame_time, 0.05);
    ASSERT_EQ(setup.shapes.size(), 2u);
    ASSERT_EQ(setup.bodies.size(), 2u);
    EXPECT_EQ(setup.shapes[1].name, "shape 1");
    EXPECT_EQ(setup.bodies[1].name, "body 1");
    EXPECT_EQ(setup.bodies[1].shape, 1u);
    EXPECT_EQ(setup.bodies[1].motion, BodyMotion::kinematic);
}

TEST(DescribeRecording, TakesTheMeshWhereThereIsOne) {
    SceneDescription scene = scene_of({Field::sphere({0, 0, 0}, 1)});
    const Mesh mesh = testing::tetrahedron(1);
    scene.shapes[0].shape = Shape::from_mesh(mesh, Field::sphere({0, 0, 0}, 1));
    const RecordingSetup setup = describe_recording(scene);
    EXPECT_EQ(setup.shapes[0].mesh.positions, mesh.positions);
    EXPECT_EQ(setup.shapes[0].mesh.triangles, mesh.triangles);
}

TEST(DescribeRecording, TakesTheSurfaceOfAFormula) {
    const RecordingSetup setup = describe_recording(scene_of({Field::sphere({0, 0, 0}, 2)}));
    const MeshReport report = inspect(setup.shapes[0].mesh);
    EXPECT_TRUE(report.is_closed());
    EXPECT_NEAR(report.volume, 33.51, 0.2);
    EXPECT_LT(report.triangle_count, 60000);
}

// The ground as a block whose top is the ground, under all bodies and beyond, wherever they are.
TEST(DescribeRecording, CutsAPieceOutOfAnEndlessPlane) {
    for (const float height : {0.5f, 2.0f, 40.0f}) {
        SceneDescription scene =
            scene_of({Field::plane({0, 0, 1}, 0), Field::sphere({0, 0, 0}, 0.5f)});
        scene.bodies.push_back(scene.bodies[1]);
        scene.bodies[1].pose.translation = {-3, 1, height};
        scene.bodies[2].pose.translation = {4, 2, height};
        scene.bodies[0].pose.translation = {0, 0, -1};  // the ground lies lower
        const Mesh mesh = describe_recording(scene).shapes[0].mesh;
        ASSERT_FALSE(mesh.triangles.empty());
        EXPECT_TRUE(inspect(mesh).is_closed());
        const Aabb box = bounds(mesh);
        EXPECT_NEAR(box.max.z, 0, 1e-3);
        EXPECT_LT(box.min.z, -0.1f);
        EXPECT_TRUE(box.min.x < -3.5f && box.max.x > 4.5f);
        EXPECT_TRUE(box.min.y < 0.5f && box.max.y > 2.5f);
    }
}

TEST(DescribeRecording, CutsAPieceOutOfAPlaneThatIsAlone) {
    const Mesh mesh = describe_recording(scene_of({Field::plane({1, 0, 0}, 0)})).shapes[0].mesh;
    ASSERT_FALSE(mesh.triangles.empty());
    EXPECT_NEAR(bounds(mesh).max.x, 0, 1e-3);
}

}  // namespace
}  // namespace graze

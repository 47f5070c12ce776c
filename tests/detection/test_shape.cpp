// Shapes build what is needed of them once, whoever asks, and can be stopped.
#include "graze/shape.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>
#include <vector>

#include "detection/shape_access.h"
#include "graze/detector.h"
#include "graze/error.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

TEST(Shape, BuildsItsFieldOnceForAllThreads) {
    std::atomic<int> begin_count = 0;
    ShapeOptions options{.field = {.resolution = 24}};
    options.field.progress = [&, last = 2.0](double fraction) mutable {
        if (fraction < last) ++begin_count;  // it starts anew
        last = fraction;
        return true;
    };
    const Shape shape = Shape::from_mesh(sample::torus(24, 12), options);
    const Shape other = Shape::from_mesh(sample::torus(24, 12));
    EXPECT_EQ(begin_count, 0) << "making a shape builds nothing";
    std::vector<const Field*> fields(4);
    std::vector<const MeshFeatures*> features(4);
    std::vector<std::thread> threads;
    threads.reserve(fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
        threads.emplace_back([&, i] {
            fields[i] = &shape.field();
            features[i] = &ShapeAccess::mesh_features(other);
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    for (std::size_t i = 1; i < fields.size(); ++i) {
        EXPECT_EQ(fields[i], fields[0]);
        EXPECT_EQ(features[i], features[0]);
    }
    EXPECT_TRUE(shape.has_field());
    EXPECT_EQ(begin_count, 1);
}

TEST(Shape, CanBeStoppedAndBuiltLater) {
    const Shape shape = Shape::from_mesh(sample::cube(), {.field = {.resolution = 32}});
    int call_count = 0;
    EXPECT_THROW(shape.field([&](double) { return ++call_count < 2; }), Error);
    EXPECT_FALSE(shape.has_field());
    EXPECT_GE(call_count, 2);
    EXPECT_LT(shape.field().distance(centre(shape.bounds())), 0);
}

TEST(Shape, IsPreparedByDetectorsForTheirMethod) {
    Scene scene;
    const Shape torus = Shape::from_mesh(sample::torus(24, 12), {.field = {.resolution = 24}});
    const Shape cube = Shape::from_mesh(sample::cube(), {.field = {.resolution = 24}});
    scene.add(torus);
    scene.add(cube);
    scene.add(torus);
    Detector features(Method::features, Device::cpu());
    double last = -1;
    const auto progress = [&](double fraction) {
        EXPECT_GE(fraction, last);
        EXPECT_LE(fraction, 1);
        last = fraction;
        return true;
    };
    features.prepare(scene, progress);
    EXPECT_EQ(last, 1);
    EXPECT_FALSE(torus.has_field()) << "the method features needs none";
    Detector particles(Method::particles, Device::cpu());
    EXPECT_THROW(particles.prepare(scene, [](double) { return false; }), Error);
    EXPECT_FALSE(torus.has_field());
    last = -1;
    particles.prepare(scene, progress);
    EXPECT_TRUE(torus.has_field());
    EXPECT_TRUE(cube.has_field());
}

TEST(ShapePoints, AreTheVerticesWithNormals) {
    const Mesh mesh = sample::torus(24, 12);
    const Shape shape = Shape::from_mesh(mesh);
    const SurfacePoints& points = shape.points();
    EXPECT_EQ(&points, &shape.points()) << "they are made once";
    EXPECT_EQ(points.positions, mesh.positions);
    for (const Vec3& normal : points.normals)
        EXPECT_NEAR(length(normal), 1, 1e-5);
    const ShapePoints view = ShapeAccess::points(shape);
    ASSERT_EQ(view.tree.point_count, mesh.positions.size());
    for (std::uint32_t i = 0; i < view.tree.point_count; ++i) {
        EXPECT_EQ(view.tree.points[i], points.positions[view.tree.indices[i]]);
        EXPECT_EQ(view.normals[i], points.normals[view.tree.indices[i]]);
    }
    EXPECT_EQ(view.faces.node_count, 0u) << "faces are made where they are asked for";
    EXPECT_FALSE(shape.has_field());
}

TEST(ShapePoints, HaveFacesWhereAskedFor) {
    const Mesh mesh = sample::torus(24, 12);
    const Shape shape = Shape::from_mesh(mesh);
    const ShapePoints view = ShapeAccess::points(shape, true);
    ASSERT_EQ(view.faces.point_count, mesh.triangles.size());
    EXPECT_EQ(view.faces.points, nullptr);
}

// As industrial meshes have them: a vertex for each triangle at a seam, here at every edge.
TEST(ShapePoints, OfOnePositionAreOneInTheTree) {
    const Mesh cube = sample::cube();
    Mesh loose;
    for (const Triangle& t : cube.triangles) {
        const auto first = static_cast<std::uint32_t>(loose.positions.size());
        for (const std::uint32_t vertex : t.v)
            loose.positions.push_back(cube.positions[vertex]);
        loose.triangles.push_back({{first, first + 1, first + 2}});
    }
    loose.positions.push_back({9, 9, 9});  // no triangle names it
    const Shape shape = Shape::from_mesh(loose);
    const SurfacePoints& points = shape.points();
    EXPECT_EQ(points.positions, loose.positions);
    for (std::size_t i = 0; i + 1 < points.normals.size(); ++i) {
        EXPECT_LT(length(points.normals[i] - normalized(points.positions[i])), 1e-6f)
            << "the mean of all triangles there, joined or not";
    }
    EXPECT_EQ(points.normals.back(), (Vec3{0, 0, 0}));
    const ShapePoints view = ShapeAccess::points(shape);
    EXPECT_EQ(view.tree.point_count, 8u);
    EXPECT_LT(view.tree.nodes[0].radius, 1.8f);
}

TEST(ShapePoints, FaceOutwardsWhereAClosedMeshDoesNot) {
    Mesh cube = sample::cube();
    for (Triangle& t : cube.triangles)
        std::swap(t.v[1], t.v[2]);
    const Shape shape = Shape::from_mesh(cube);
    const SurfacePoints& points = shape.points();
    for (std::size_t i = 0; i < points.normals.size(); ++i)
        EXPECT_GT(dot(points.normals[i], points.positions[i]), 0);
}

TEST(ShapePoints, AreSpreadAtASpacing) {
    const Shape shape = Shape::from_mesh(sample::cube(), {.points = {.spacing = 0.2f}});
    const std::size_t count = shape.points().positions.size();
    EXPECT_NEAR(static_cast<double>(count), 24 / (0.2 * 0.2), 60);
    EXPECT_EQ(ShapeAccess::points(shape).tree.point_count, count);
    const Shape stopped = Shape::from_mesh(sample::cube(), {.points = {.spacing = 0.2f}});
    EXPECT_THROW(stopped.points([](double) { return false; }), Error);
    EXPECT_EQ(stopped.points().positions, shape.points().positions);
}

TEST(ShapePoints, AreNoneWithoutAMesh) {
    const Shape shape = Shape::from_field(Field::sphere({0, 0, 0}, 1));
    EXPECT_TRUE(shape.points().positions.empty());
    const ShapePoints view = ShapeAccess::points(shape, true);
    EXPECT_EQ(view.tree.node_count, 0u);
    EXPECT_EQ(view.tree.level_count, 0);
    EXPECT_EQ(view.faces.node_count, 0u);
    const Mesh cloud{{{0, 0, 0}, {1, 0, 0}}, {}};
    EXPECT_EQ(ShapeAccess::points(Shape::from_mesh(cloud, Field::sphere({0, 0, 0}, 1)), true)
                  .tree.point_count,
              2u);
}

TEST(ShapePoints, RefuseWrongSpacings) {
    for (const float spacing :
         {-1.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        EXPECT_THROW(Shape::from_mesh(sample::cube(), {.points = {.spacing = spacing}}), Error);
        EXPECT_THROW(
            Shape::from_mesh(sample::cube(), Field::sphere({0, 0, 0}, 1), {.spacing = spacing}),
            Error);
    }
}

}  // namespace
}  // namespace graze

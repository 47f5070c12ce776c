// Shapes build what is needed of them once, whoever asks, and can be stopped.
#include "graze/shape.h"

#include <gtest/gtest.h>

#include <atomic>
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

}  // namespace
}  // namespace graze

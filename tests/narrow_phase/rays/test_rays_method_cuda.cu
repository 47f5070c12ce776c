// Method::rays on the GPU against the CPU.
#include "graze/split_detector.h"
#include "tests/cuda_test.h"
#include "tests/narrow_phase/rays/wobbling.h"

namespace graze {
namespace {

using RaysMethodCuda = CudaTest;

TEST_F(RaysMethodCuda, GivesTheBytesOfTheCpuStepAfterStep) {
    std::size_t count = 0;
    for (unsigned seed = 0; seed < 24; ++seed) {
        Scene scene = random_ray_scene(seed, true, 10, 1.0f);
        DetectorOptions options{.gap = seed % 2 == 0 ? 0.0f : 0.02f};
        options.rays.cast = seed % 4 == 3 ? RayCast::stackless : RayCast::tree;
        options.rays.is_iterative = seed % 5 != 0;
        options.rays.adapts = seed % 3 != 0;
        Detector cpu(Method::rays, Device::cpu(), options);
        Detector gpu(Method::rays, Device::cuda(), options);
        for (unsigned step = 0; step < 8; ++step) {
            const auto expected = cpu.detect(scene);
            const auto found = gpu.detect(scene);
            ASSERT_EQ(found.size(), expected.size()) << "seed " << seed << ", step " << step;
            for (std::size_t i = 0; i < found.size(); ++i) {
                ASSERT_TRUE(found[i] == expected[i])
                    << "seed " << seed << ", step " << step << ", contact " << i << ": distance "
                    << found[i].distance << " and " << expected[i].distance;
            }
            for (const char* figure : {"rays", "cast_rays", "contained"})
                EXPECT_EQ(gpu.report().figure(figure), cpu.report().figure(figure)) << figure;
            count += found.size();
            nudge(scene, step, 0.004f);
        }
    }
    EXPECT_GT(count, 1000u);
}

// Steps of a scene whose bodies move a little, on both machines; returns the number of contacts.
std::size_t expect_same_bytes(const std::string& name, const DetectorOptions& options,
                              unsigned seed, bool all_shapes = true, int body_count = 8) {
    Scene scene = random_ray_scene(seed, all_shapes, body_count, 0.8f);
    Detector cpu(Method::rays, Device::cpu(), options);
    Detector gpu(Method::rays, Device::cuda(), options);
    std::size_t count = 0;
    for (unsigned step = 0; step < 6; ++step) {
        const auto expected = cpu.detect(scene);
        const auto found = gpu.detect(scene);
        EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end()))
            << name << ", seed " << seed << ", step " << step << ": " << found.size() << " and "
            << expected.size() << " contacts";
        for (const Figure& figure : cpu.report().figures)
            EXPECT_EQ(gpu.report().figure(figure.name), figure.value) << name << " " << figure.name;
        count += found.size();
        nudge(scene, step, 0.004f);
    }
    return count;
}

TEST_F(RaysMethodCuda, GivesTheBytesOfTheCpuByEveryOption) {
    std::size_t count = 0;
    for (unsigned seed = 0; seed < 6; ++seed) {
        for (const bool predicts : {false, true}) {
            for (const bool waits : {false, true}) {
                DetectorOptions options{.gap = seed % 2 == 0 ? 0.0f : 0.02f};
                options.rays.is_cautious = false;
                options.rays.predicts = predicts;
                options.rays.waits = waits;
                options.rays.adapts = seed % 3 == 0;
                count += expect_same_bytes("incautious", options, seed);
            }
        }
        for (const RayResponse response :
             {RayResponse::reprojected, RayResponse::weighted, RayResponse::ray}) {
            DetectorOptions options;
            options.rays.response = response;
            count += expect_same_bytes("response", options, seed);
        }
        DetectorOptions every_triangle{.gap = 0.01f};
        every_triangle.rays.cast = RayCast::every_triangle;
        count += expect_same_bytes("every triangle", every_triangle, seed);
        every_triangle.rays.is_cautious = false;
        count += expect_same_bytes("every triangle, incautious", every_triangle, seed);
        DetectorOptions reduced{.gap = 0.01f};
        reduced.reduction = {.manifold_count = 4, .manifold_slack = 0.01f};
        count += expect_same_bytes("reduced", reduced, seed);
        reduced.reduction = {.deepest_count = 3};
        count += expect_same_bytes("deepest", reduced, seed);
        DetectorOptions extended;
        extended.rays.distance_extension = 0.05f;
        extended.rays.is_cautious = seed % 2 == 0;
        count += expect_same_bytes("extended", extended, seed);
    }
    EXPECT_GT(count, 5000u);
}

TEST_F(RaysMethodCuda, ConfirmsWhatTheCpuConfirms) {
    std::size_t count = 0;
    for (unsigned seed = 0; seed < 8; ++seed) {
        for (const bool is_iterative : {false, true}) {
            DetectorOptions options;
            options.rays.confirms_inside = true;
            options.rays.is_iterative = is_iterative;
            count += expect_same_bytes("confirms", options, seed, seed % 2 == 1);
        }
    }
    EXPECT_GT(count, 500u);
    // A ball in the opening and the wall of a bowl; winding numbers go through 1/2 there.
    Mesh bowl = make_sphere(0.4f, 4);
    std::erase_if(bowl.triangles, [&](const Triangle& t) {
        const auto z = [&](int k) { return bowl.positions[t[k]].z; };
        return z(0) > 0.05f && z(1) > 0.05f && z(2) > 0.05f;
    });
    Scene scene;
    scene.add(Shape::from_mesh(bowl));
    scene.add(Shape::from_mesh(irregular(make_sphere(0.5f, 5))), at({0.35f, 0, -0.1f}));
    DetectorOptions options;
    options.rays.confirms_inside = true;
    Detector gpu(Method::rays, Device::cuda(), options);
    const auto found = gpu.detect(scene);
    const std::vector<Contact> expected = cast_rays(scene, options);
    EXPECT_GT(expected.size(), 100u);
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
}

TEST_F(RaysMethodCuda, KeepsPairsWhateverTheOrderOfBodies) {
    // Bodies change places, and one goes: what is known of the others stays, as on the CPU.
    Scene scene = random_ray_scene(4, false, 12, 0.9f);
    Detector cpu(Method::rays, Device::cpu());
    Detector gpu(Method::rays, Device::cuda());
    for (unsigned step = 0; step < 12; ++step) {
        const auto expected = cpu.detect(scene);
        const auto found = gpu.detect(scene);
        EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end()))
            << "step " << step;
        const double rays = cpu.report().figure("rays") + cpu.report().figure("sleeping_rays");
        EXPECT_EQ(gpu.report().figure("cast_rays"), cpu.report().figure("cast_rays"));
        if (step > 2) {
            EXPECT_LT(cpu.report().figure("cast_rays"), 0.3 * rays) << "step " << step;
        }
        std::vector<Body> bodies = scene.bodies();
        if (step % 3 == 1) std::reverse(bodies.begin(), bodies.end());
        if (step % 3 == 2) bodies.erase(bodies.begin() + 2);
        Scene next;
        for (const Body& body : bodies)
            next.add(body);
        scene = next;
        nudge(scene, step, 0.0005f);
    }
}

TEST_F(RaysMethodCuda, GivesTheBytesOfTheCpuWhileBodiesDeform) {
    std::size_t count = 0;
    for (unsigned seed = 0; seed < 12; ++seed) {
        Wobbling wobbling(random_ray_scene(seed, true, 8, 0.8f));
        DetectorOptions options{.gap = seed % 2 == 0 ? 0.0f : 0.02f};
        options.rays.cast = seed % 4 == 3 ? RayCast::stackless : RayCast::tree;
        options.rays.is_iterative = seed % 3 != 0;
        Detector cpu(Method::rays, Device::cpu(), options);
        Detector gpu(Method::rays, Device::cuda(), options);
        if (seed % 2 == 1) wobbling.move(0.02f);  // before any detector has seen it
        for (unsigned step = 0; step < 8; ++step) {
            // The first to see a change is sometimes the one and sometimes the other.
            const auto first = (step % 2 == 0 ? cpu : gpu).detect(wobbling.scene);
            const auto second = (step % 2 == 0 ? gpu : cpu).detect(wobbling.scene);
            const auto expected = step % 2 == 0 ? first : second;
            const auto found = step % 2 == 0 ? second : first;
            ASSERT_EQ(found.size(), expected.size()) << "seed " << seed << ", step " << step;
            for (std::size_t i = 0; i < found.size(); ++i) {
                ASSERT_TRUE(found[i] == expected[i])
                    << "seed " << seed << ", step " << step << ", contact " << i << ": distance "
                    << found[i].distance << " and " << expected[i].distance;
            }
            count += found.size();
            wobbling.move(step % 3 == 0 ? 0.02f : 0.003f);
            nudge(wobbling.scene, step, 0.002f);
        }
    }
    EXPECT_GT(count, 1000u);
}

TEST_F(RaysMethodCuda, FollowsByFeaturesWhileBodiesDeform) {
    Wobbling wobbling(random_ray_scene(1, true, 6));
    Detector cpu(Method::features, Device::cpu(), {.gap = 0.02f});
    Detector gpu(Method::features, Device::cuda(), {.gap = 0.02f});
    for (int step = 0; step < 4; ++step) {
        const auto expected = cpu.detect(wobbling.scene);
        const auto found = gpu.detect(wobbling.scene);
        ASSERT_FALSE(expected.empty());
        EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
        wobbling.move(0.05f);
    }
}

TEST_F(RaysMethodCuda, AllocatesNothingWhileBodiesDeform) {
    Wobbling wobbling(resting_ball());
    Detector detector(Method::rays, Device::cuda(), {.gap = 0.01f});
    for (int step = 0; step < 30; ++step) {
        detector.detect(wobbling.scene);
        wobbling.move(0.004f);
    }
    const std::int64_t device = cuda_memory(0).allocation_count();
    const std::int64_t host = host_memory().allocation_count();
    for (int step = 0; step < 10; ++step) {
        EXPECT_FALSE(detector.detect(wobbling.scene).empty());
        wobbling.move(step % 2 == 0 ? 0.004f : -0.004f);
    }
    EXPECT_EQ(cuda_memory(0).allocation_count(), device);
    EXPECT_EQ(host_memory().allocation_count(), host);
}

TEST_F(RaysMethodCuda, AllocatesNothingInASteadyStep) {
    const Scene scene = random_ray_scene(3, true, 8);
    Detector detector(Method::rays, Device::cuda(), {.gap = 0.02f});
    for (int step = 0; step < 4; ++step)
        detector.detect(scene);
    const std::int64_t device = cuda_memory(0).allocation_count();
    const std::int64_t host = host_memory().allocation_count();
    EXPECT_FALSE(detector.detect(scene).empty());
    EXPECT_EQ(cuda_memory(0).allocation_count(), device);
    EXPECT_EQ(host_memory().allocation_count(), host);
}

TEST_F(RaysMethodCuda, FindsRoomAsScenesGrow) {
    Detector gpu(Method::rays, Device::cuda(), {.gap = 0.01f});
    Detector cpu(Method::rays, Device::cpu(), {.gap = 0.01f});
    for (const int body_count : {2, 12, 40, 3}) {
        const Scene scene = random_ray_scene(7, true, body_count, 1.5f);
        const auto expected = cpu.detect(scene);
        const auto found = gpu.detect(scene);
        ASSERT_EQ(found.size(), expected.size()) << body_count;
        EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin())) << body_count;
    }
}

TEST_F(RaysMethodCuda, GivesTheSameBytesOnSeveralStreams) {
    Scene scene = random_ray_scene(2, true, 24, 1.2f);
    Detector cpu(Method::rays, Device::cpu(), {.gap = 0.01f});
    SplitDetector split(Method::rays, {Device::cuda(), Device::cuda(), Device::cuda()},
                        {.gap = 0.01f});
    for (unsigned step = 0; step < 8; ++step) {
        const auto expected = cpu.detect(scene);
        const auto found = split.detect(scene);
        ASSERT_EQ(found.size(), expected.size()) << "step " << step;
        EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin())) << "step " << step;
        nudge(scene, step, 0.004f);
    }
}

}  // namespace
}  // namespace graze

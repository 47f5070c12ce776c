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

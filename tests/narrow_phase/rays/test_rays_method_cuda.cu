// Method::rays on the GPU against the CPU.
#include "graze/split_detector.h"
#include "tests/cuda_test.h"
#include "tests/narrow_phase/rays/ray_cases.h"

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

// Method::sweep on the GPU against the CPU.
#include "tests/cuda_test.h"
#include "tests/narrow_phase/sweep/sweep_cases.h"

namespace graze {
namespace {

using SweepMethodCuda = CudaTest;

TEST_F(SweepMethodCuda, GivesTheContactsOfTheCpu) {
    std::size_t count = 0;
    for (unsigned seed = 0; seed < 24; ++seed) {
        const Scene scene = random_sweep_scene(seed, 8, 1.0f);
        DetectorOptions options{.gap = seed % 2 == 0 ? 0.0f : 0.02f};
        options.sweep.motion = seed % 3 == 0 ? SweepMotion::straight : SweepMotion::rigid;
        options.sweep.has_faces = seed % 8 == 5;
        if (options.sweep.has_faces) options.sweep.face_tolerance = 0.05f;
        Detector cpu(Method::sweep, Device::cpu(), options);
        Detector gpu(Method::sweep, Device::cuda(), options);
        const auto expected = cpu.detect(scene);
        const auto found = gpu.detect(scene);
        ASSERT_EQ(found.size(), expected.size()) << "seed " << seed;
        for (std::size_t i = 0; i < found.size(); ++i)
            ASSERT_TRUE(found[i] == expected[i])
                << "seed " << seed << ", contact " << i << " of " << found.size() << ": time "
                << found[i].time << " and " << expected[i].time << ", distance "
                << found[i].distance << " and " << expected[i].distance;
        for (const char* figure : {"sweep_nodes", "sweep_points", "without_points"})
            EXPECT_EQ(gpu.report().figure(figure), cpu.report().figure(figure)) << figure;
        count += found.size();
    }
    EXPECT_GT(count, 1000u);
}

TEST_F(SweepMethodCuda, AllocatesNothingInASteadyStep) {
    const Scene scene = random_sweep_scene(3, 8);
    Detector detector(Method::sweep, Device::cuda(), {.gap = 0.02f});
    detector.detect(scene);
    detector.detect(scene);
    const std::int64_t device = cuda_memory(0).allocation_count();
    const std::int64_t host = host_memory().allocation_count();
    EXPECT_FALSE(detector.detect(scene).empty());
    EXPECT_EQ(cuda_memory(0).allocation_count(), device);
    EXPECT_EQ(host_memory().allocation_count(), host);
}

TEST_F(SweepMethodCuda, FindsRoomAsScenesGrow) {
    Detector gpu(Method::sweep, Device::cuda(), {.gap = 0.01f});
    for (const int body_count : {2, 12, 40, 3}) {
        const Scene scene = random_sweep_scene(7, body_count, 1.5f);
        Detector cpu(Method::sweep, Device::cpu(), {.gap = 0.01f});
        const auto expected = cpu.detect(scene);
        const auto found = gpu.detect(scene);
        ASSERT_EQ(found.size(), expected.size()) << body_count;
        EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin())) << body_count;
    }
}

}  // namespace
}  // namespace graze

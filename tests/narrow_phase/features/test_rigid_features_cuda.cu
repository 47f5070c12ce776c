// Method::features gives the same bytes on the GPU as on the CPU.
#include "tests/cuda_test.h"
#include "tests/narrow_phase/features/rigid_cases.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

using RigidFeaturesCuda = CudaTest;

TEST_F(RigidFeaturesCuda, GivesTheBytesOfTheCpu) {
    for (const bool moves : {false, true}) {
        for (unsigned seed = 0; seed < 20; ++seed) {
            const Scene scene = random_rigid_scene(seed, moves, 8);
            const DetectorOptions options{.gap = seed % 2 == 0 ? 0.0f : 0.05f};
            Detector cpu(Method::features, Device::cpu(), options);
            Detector gpu(Method::features, Device::cuda(), options);
            const auto expected = cpu.detect(scene);
            const auto found = gpu.detect(scene);
            ASSERT_EQ(found.size(), expected.size());
            for (std::size_t i = 0; i < found.size(); ++i)
                ASSERT_TRUE(found[i] == expected[i]) << "seed " << seed << ", contact " << i;
            for (const char* figure : {"triangle_pairs", "feature_pairs", "exhausted"})
                EXPECT_EQ(gpu.report().figure(figure), cpu.report().figure(figure)) << figure;
        }
    }
}

TEST_F(RigidFeaturesCuda, AllocatesNothingInASteadyStep) {
    const Scene scene = random_rigid_scene(3, true);
    Detector detector(Method::features, Device::cuda(), {.gap = 0.05f});
    detector.detect(scene);
    detector.detect(scene);
    const std::int64_t device = cuda_memory(0).allocation_count();
    const std::int64_t host = host_memory().allocation_count();
    EXPECT_FALSE(detector.detect(scene).empty());
    EXPECT_EQ(cuda_memory(0).allocation_count(), device);
    EXPECT_EQ(host_memory().allocation_count(), host);
}

TEST_F(RigidFeaturesCuda, FindsRoomAsScenesGrow) {
    Detector gpu(Method::features, Device::cuda(), {.gap = 0.02f});
    for (const int body_count : {2, 10, 40, 3}) {
        const Scene scene = random_rigid_scene(9, body_count % 2 == 0, body_count);
        Detector cpu(Method::features, Device::cpu(), {.gap = 0.02f});
        const auto expected = cpu.detect(scene);
        const auto found = gpu.detect(scene);
        ASSERT_EQ(found.size(), expected.size()) << body_count;
        EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin())) << body_count;
    }
}

}  // namespace
}  // namespace graze

// The GPU's detector gives the CPU's bytes where it searches in full precision, and the CPU's
// answer where it searches by textures; it allocates nothing in a steady step.
#include <gtest/gtest.h>

#include <map>

#include "tests/cuda_test.h"
#include "tests/detection/detector_scenes.h"

namespace graze {
namespace {

class DetectorCuda : public CudaTest {};

DetectorOptions make_options(int resolution, ParticleSampling sampling, ParticleStep step) {
    DetectorOptions options;
    options.particles.resolution = resolution;
    options.particles.sampling = sampling;
    options.particles.step = step;
    options.particles.uses_textures = false;
    return options;
}

TEST_F(DetectorCuda, SameBytesAsTheCpuWithoutTextures) {
    const Scene scene = make_heap(60);
    for (const ParticleSampling sampling :
         {ParticleSampling::grid, ParticleSampling::quasi_random, ParticleSampling::adaptive}) {
        for (const ParticleStep step :
             {ParticleStep::project, ParticleStep::over_relax, ParticleStep::tangent}) {
            for (const int resolution : {1, 5, 13, 20}) {
                DetectorOptions options = make_options(resolution, sampling, step);
                options.gap = resolution == 5 ? 0.02f : 0;
                Detector cpu(Method::particles, Device::cpu(), options);
                Detector gpu(Method::particles, Device::cuda(), options);
                const auto expected = copy(cpu.detect(scene));
                ASSERT_TRUE(resolution == 1 || expected.size() > 100);
                EXPECT_TRUE(copy(gpu.detect(scene)) == expected) << resolution;
                EXPECT_TRUE(copy(gpu.detect(scene)) == expected) << resolution;
                EXPECT_EQ(gpu.report().pair_count, cpu.report().pair_count);
                // Where pairs are few, a GPU looks at cells that the CPU leaves out with their
                // block.
                EXPECT_GE(gpu.report().figure("particles"), cpu.report().figure("particles"));
            }
        }
    }
}

TEST_F(DetectorCuda, SameReductionsAndSeeds) {
    DetectorOptions options = make_options(9, ParticleSampling::adaptive, ParticleStep::tangent);
    options.particles.uses_last_contacts = true;
    options.reduction = {0.05f, 12, 5};
    Detector cpu(Method::particles, Device::cpu(), options);
    Detector gpu(Method::particles, Device::cuda(), options);
    Scene scene = make_heap(40, 2);
    for (int step = 0; step < 5; ++step) {
        for (std::uint32_t i = 1; i < scene.size(); ++i) {
            Transform pose = scene[i].pose;
            pose.translation += Vec3{0.01f * static_cast<float>(i % 3), 0.004f, -0.01f};
            scene.set_pose(i, pose);
        }
        EXPECT_TRUE(copy(gpu.detect(scene)) == copy(cpu.detect(scene))) << step;
    }
    const std::vector<BodyPair> pairs{{0, 3}, {1, 2}, {5, 9}, {5, 11}};
    EXPECT_TRUE(copy(gpu.detect(scene, pairs)) == copy(cpu.detect(scene, pairs)));
}

// So many particles that both machines take the pairs in slices, of different sizes.
TEST_F(DetectorCuda, SlicesOfPairsDoNotShow) {
    DetectorOptions options = make_options(64, ParticleSampling::adaptive, ParticleStep::tangent);
    options.reduction.deepest_count = 12;
    Detector cpu(Method::particles, Device::cpu(), options);
    Detector gpu(Method::particles, Device::cuda(), options);
    const Scene scene = make_heap(30, 6);
    const auto expected = copy(cpu.detect(scene));
    ASSERT_GT(cpu.report().pair_count, 64);
    for (int step = 0; step < 2; ++step) {
        EXPECT_TRUE(copy(gpu.detect(scene)) == expected);
        EXPECT_EQ(gpu.report().found_count, cpu.report().found_count);
        EXPECT_EQ(gpu.report().pair_count, cpu.report().pair_count);
    }
}

// With textures particles take slightly different paths, so a few more or fewer arrive. Every
// contact is one in full precision, and in every pair the deepest is the same within the fields'
// resolution.
TEST_F(DetectorCuda, TexturesFindTheSame) {
    const Scene scene = make_heap(80, 3);
    DetectorOptions options = make_options(12, ParticleSampling::adaptive, ParticleStep::tangent);
    options.particles.tolerance = 0.004f;
    Detector cpu(Method::particles, Device::cpu(), options);
    options.particles.uses_textures = true;
    Detector gpu(Method::particles, Device::cuda(), options);
    const auto expected = copy(cpu.detect(scene)), found = copy(gpu.detect(scene));
    EXPECT_TRUE(copy(gpu.detect(scene)) == found);  // every run gives the same
    EXPECT_NEAR(static_cast<double>(found.size()), static_cast<double>(expected.size()),
                0.02 * static_cast<double>(expected.size()));
    const auto deepest_by_pair = [](const std::vector<Contact>& contacts) {
        std::map<BodyPair, float> deepest;
        for (const Contact& c : contacts) {
            float& value = deepest.try_emplace({c.body_a, c.body_b}, c.distance).first->second;
            value = std::min(value, c.distance);
        }
        return deepest;
    };
    const auto on_cpu = deepest_by_pair(expected), on_gpu = deepest_by_pair(found);
    int differing = 0;
    for (const auto& [pair, depth] : on_cpu) {
        const auto other = on_gpu.find(pair);
        // Only contacts no deeper than the tolerance may be found by one of them alone.
        if (other == on_gpu.end()) {
            EXPECT_GT(depth, -0.004f);
        } else {
            differing += std::abs(other->second - depth) > 0.01f;
        }
    }
    EXPECT_LE(differing, static_cast<int>(on_cpu.size()) / 50);
    for (const Contact& contact : found) {
        for (const std::uint32_t index : {contact.body_a, contact.body_b}) {
            const Body& body = scene[index];
            EXPECT_LT(body.shape.field().transformed(body.pose).distance(contact.position),
                      0.004f + 1e-4f);
        }
    }
}

TEST_F(DetectorCuda, SteadyStepsAllocateNothing) {
    const Scene scene = make_heap(40, 5);
    DetectorOptions options = make_options(8, ParticleSampling::adaptive, ParticleStep::tangent);
    options.particles.uses_textures = true;
    options.reduction.manifold_count = 4;
    Detector detector(Method::particles, Device::cuda(), options);
    for (int i = 0; i < 3; ++i)
        detector.detect(scene);
    const std::int64_t device = cuda_memory(0).allocation_count();
    const std::int64_t pinned = pinned_memory().allocation_count();
    for (int i = 0; i < 3; ++i)
        detector.detect(scene);
    EXPECT_EQ(cuda_memory(0).allocation_count(), device);
    EXPECT_EQ(pinned_memory().allocation_count(), pinned);
}

TEST_F(DetectorCuda, EmptyAndWrongScenes) {
    Detector detector(Method::particles, Device::cuda());
    EXPECT_TRUE(detector.detect(Scene{}).empty());
    Scene planes;
    planes.add(Shape::from_field(Field::plane({0, 0, 1}, 0)));
    planes.add(Shape::from_field(Field::plane({0, 1, 0}, 0)));
    EXPECT_THROW(detector.detect(planes), Error);
    EXPECT_FALSE(detector.detect(make_heap(20)).empty());
}

}  // namespace
}  // namespace graze

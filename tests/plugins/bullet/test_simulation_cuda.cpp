// Tests of simulations whose contacts a GPU finds.
#include <gtest/gtest.h>

#include "graze/build_field.h"
#include "graze_bullet/simulation.h"
#include "tests/plugins/bullet/simulation_scenes.h"

namespace graze {
namespace {

bool has_gpu() {
    return Device::best().kind() == Device::Kind::cuda;
}

// Returns the heap with its rings sampled, so that there is something to search by textures.
SceneDescription sampled_heap(Device device, bool uses_textures) {
    SceneDescription scene = heap_scene(16);
    const Field torus = Field::torus(0.4f, 0.15f);
    FieldOptions options;
    options.resolution = 64;
    scene.shapes[2].shape =
        Shape::from_field(sample_field(torus, choose_grid(torus.bounds(), options), options));
    scene.device = device;
    scene.time_step = 1.0 / 240;  // the last ones fall for more than a second
    scene.detector.particles.uses_textures = uses_textures;
    return scene;
}

TEST(SimulationCuda, RunsAsOnTheCpuWithoutTextures) {
    if (!has_gpu()) GTEST_SKIP() << "no GPU";
    std::uint64_t hashes[2];
    for (const bool on_gpu : {false, true}) {
        const auto simulation =
            bullet::make_simulation(sampled_heap(on_gpu ? Device::best() : Device::cpu(), false));
        for (int i = 0; i < 400; ++i)
            simulation->step();
        EXPECT_GT(simulation->statistics().contact_count, 20);
        hashes[on_gpu ? 1 : 0] = state_hash(simulation->states());
    }
    EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(SimulationCuda, RunsRepeatAndNothingFallsThrough) {
    if (!has_gpu()) GTEST_SKIP() << "no GPU";
    std::uint64_t hashes[2];
    for (std::uint64_t& hash : hashes) {
        const auto simulation = bullet::make_simulation(sampled_heap(Device::best(), true));
        float deepest = 0;
        for (int i = 0; i < 600; ++i) {
            simulation->step();
            // Some bodies begin within each other.
            if (i >= 400) deepest = std::max(deepest, simulation->statistics().deepest_penetration);
        }
        for (std::size_t i = 1; i < simulation->states().size(); ++i)
            EXPECT_GT(simulation->states()[i].pose.translation.z, 0.1f);
        EXPECT_LT(deepest, 0.05f);
        hash = state_hash(simulation->states());
    }
    EXPECT_EQ(hashes[0], hashes[1]);
}

}  // namespace
}  // namespace graze

// Runs the small scenes of the solver penalty and holds them to what should happen: no energy
// appears, nothing falls through, and what touches stays shallow.
#include <gtest/gtest.h>

#include "graze/penalty_simulation.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

class PenaltyScenes : public ::testing::TestWithParam<const char*> {};

TEST_P(PenaltyScenes, FallsOnItsCopyAndStaysAbove) {
    if (GRAZE_SANITIZED != 0) GTEST_SKIP() << "takes too long under a sanitizer";
    SceneLoadOptions options;
    options.cache.is_on = false;
    const auto simulation = make_penalty_simulation(
        load_scene(std::filesystem::path(GRAZE_SOURCE_DIR) / "scenes" / GetParam(), options));
    const SceneDescription& scene = simulation->scene();
    const auto energy = [&] {
        return simulation->statistics().kinetic_energy + simulation->statistics().potential_energy;
    };
    const double begin = energy();
    const auto steps = static_cast<int>(std::lround(scene.duration / scene.time_step));
    int touching = 0;
    float deepest = 0;
    double most = begin;
    for (int i = 0; i < steps; ++i) {
        simulation->step();
        most = std::max(most, energy());
        deepest = std::max(deepest, simulation->statistics().deepest_penetration);
        touching += simulation->statistics().contact_count > 0 ? 1 : 0;
    }
    EXPECT_GT(touching, 50);
    EXPECT_LE(most, begin * 1.001);
    EXPECT_LT(deepest, 0.03f) << "of a body of 1 m";
    // What fell is above the ground but for the springs that carry it.
    const BodyState& state = simulation->states()[2];
    const Aabb box = transform_box(state.pose, scene.shapes[scene.bodies[2].shape].shape.bounds());
    EXPECT_GT(box.max.z, 0.1f);
    EXPECT_GT(state.pose.translation.z, -0.5f);
}

INSTANTIATE_TEST_SUITE_P(Paper, PenaltyScenes,
                         ::testing::Values("paper_bunny_small.json", "paper_bowl_small.json",
                                           "paper_dragon_small.json"));

}  // namespace
}  // namespace graze

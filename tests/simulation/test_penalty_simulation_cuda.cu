// The solver penalty on a GPU: it does what the CPU does, whether it steps or runs, and allocates
// nothing in a steady run.
#include <gtest/gtest.h>

#include "tests/cuda_test.h"
#include "tests/simulation/penalty_scenes.h"

namespace graze {
namespace {

class PenaltySimulationCuda : public CudaTest {};

SceneDescription on_gpu(SceneDescription scene) {
    scene.device = Device::cuda();
    return scene;
}

float farthest_apart(const Simulation& a, const Simulation& b) {
    float farthest = 0;
    for (std::size_t i = 0; i < a.states().size(); ++i) {
        farthest = max_of(farthest,
                          distance(a.states()[i].pose.translation, b.states()[i].pose.translation));
    }
    return farthest;
}

// All of a step is plain arithmetic in a fixed order, so that 0.15 s of a heap, 80 steps of it in
// contact, may differ by rounding at most. A body that fell 0.1 m farther would be a missed
// contact.
TEST_F(PenaltySimulationCuda, AgreesWithTheCpu) {
    for (const bool is_continuous : {true, false}) {
        SceneDescription scene = make_penalty_heap(18);
        scene.solver.penalty.is_continuous = is_continuous;
        const auto cpu = make_penalty_simulation(scene);
        const auto gpu = make_penalty_simulation(on_gpu(scene));
        cpu->run(150);
        gpu->run(150);
        EXPECT_GT(cpu->statistics().contact_count, 4);
        EXPECT_EQ(gpu->statistics().contact_count, cpu->statistics().contact_count);
        EXPECT_EQ(gpu->statistics().pair_count, cpu->statistics().pair_count);
        EXPECT_LE(farthest_apart(*cpu, *gpu), 1e-5f);
        RecordProperty("same_bits", state_hash(*cpu) == state_hash(*gpu) ? 1 : 0);
        const auto expected = cpu->contacts(), found = gpu->contacts();
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_EQ(found[i].body_a, expected[i].body_a);
            EXPECT_EQ(found[i].body_b, expected[i].body_b);
            EXPECT_TRUE(found[i].feature_a == expected[i].feature_a);
            EXPECT_LE(distance(found[i].position, expected[i].position), 1e-4f);
        }
    }
}

// The first run has no room for anything and is done again until it has.
TEST_F(PenaltySimulationCuda, RunsAsItSteps) {
    const SceneDescription scene = on_gpu(make_penalty_heap(12));
    const auto one = make_penalty_simulation(scene), many = make_penalty_simulation(scene);
    for (int i = 0; i < 300; ++i)
        one->step();
    many->run(300);
    EXPECT_GT(many->statistics().contact_count, 0);
    EXPECT_EQ(state_hash(*one), state_hash(*many));
    const auto again = make_penalty_simulation(scene);
    again->run(300);
    EXPECT_EQ(state_hash(*again), state_hash(*many)) << "the same every time";
}

TEST_F(PenaltySimulationCuda, ASteadyRunAllocatesNothing) {
    SceneDescription scene = on_gpu(make_penalty_heap(4));
    const auto simulation = make_penalty_simulation(scene);
    simulation->run(2500);
    const std::int64_t before =
        cuda_memory(0).allocation_count() + pinned_memory().allocation_count();
    simulation->run(20);
    EXPECT_GT(simulation->statistics().contact_count, 0);
    EXPECT_EQ(cuda_memory(0).allocation_count() + pinned_memory().allocation_count(), before);
}

}  // namespace
}  // namespace graze

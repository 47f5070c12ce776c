// The cloth scenes of scenes/, in their small versions: they run without any intersection, and what
// happens is what should happen.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/simulation/cloth_run.h"

namespace graze {
namespace {

constexpr bool kIsWhole = GRAZE_SANITIZED == 0;

SceneDescription load(const std::string& name) {
    return load_scene(std::filesystem::path(GRAZE_SOURCE_DIR) / "scenes" / (name + ".json"));
}
// The steps that take so long; under a sanitizer only a few of them.
int steps_of(double seconds, const SceneDescription& scene) {
    return static_cast<int>(std::lround(seconds / scene.time_step)) / (kIsWhole ? 1 : 20);
}
std::size_t index_of(const SceneDescription& scene, const std::string& name) {
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        if (scene.bodies[i].name == name) return i;
    }
    throw std::out_of_range(name);
}
// The vertices of a body; bodies come one after the other.
std::span<const Vec3> vertices_of(const ClothRun& run, const std::string& name) {
    const SceneDescription& scene = run.simulation().scene();
    const std::size_t body = index_of(scene, name);
    std::size_t first = 0;
    const auto count = [&](std::size_t i) {
        return scene.shapes[scene.bodies[i].shape].shape.mesh()->positions.size();
    };
    for (std::size_t i = 0; i < body; ++i)
        first += count(i);
    return std::span<const Vec3>(run.positions()).subspan(first, count(body));
}

// A change of the solver that is meant to leave motions alone leaves them alone to the last bit.
// One that is not puts the new numbers here. They hold for x86-64 with glibc's sines and powers.
void expect_same_motion(const ClothRun& run, std::uint64_t hash) {
    if (kIsWhole) {
        EXPECT_EQ(run.hash(), hash);
    }
}

TEST(ClothScenes, ASheetFallsOnABallAndIsWoundUp) {
    const SceneDescription scene = load("cloth_ball_small");
    ClothRun run(scene);
    run.run(steps_of(1.5, scene));
    expect_same_motion(run, 0x689b30c2b4311326);
    // It covers the ball and hangs around it.
    float highest = 0;
    for (const Vec3& p : vertices_of(run, "cloth")) {
        highest = std::max(highest, p.z);
        EXPECT_GT(distance(p, Vec3{0, 0, 0.6f}), 0.49f);
        EXPECT_GT(p.z, 0);
    }
    if (!kIsWhole) return;
    EXPECT_NEAR(highest, 1.12, 0.03);
    EXPECT_GT(run.script_steps, 0.95 * steps_of(1.5, scene)) << "the ball turns";
}

TEST(ClothScenes, ABallGoesThroughTheFunnelWithTheSheet) {
    const SceneDescription scene = load("funnel_small");
    ClothRun run(scene);
    run.run(steps_of(1.5, scene));
    expect_same_motion(run, 0x03da71f4a02de549);
    for (const Vec3& p : vertices_of(run, "cloth"))
        EXPECT_LT(p.z, 0.65f);
    if (!kIsWhole) return;
    EXPECT_LT(run.simulation().states()[index_of(scene, "ball")].pose.translation.z, 0.4f)
        << "the ball is in the cone";
}

TEST(ClothScenes, SkirtsTwistWithoutCrossing) {
    const SceneDescription scene = load("skirts_small");
    ClothRun run(scene);
    run.run(steps_of(1.2, scene));
    expect_same_motion(run, 0x57909fb303fdc067);
    for (const char* layer : {"skirt[0]", "skirt[1]", "skirt[2]"}) {
        for (const Vec3& p : vertices_of(run, layer)) {
            EXPECT_LT(p.z, 0.4f);
            EXPECT_GT(std::hypot(p.x, p.y), 0.118f) << "outside of the dancer";
        }
    }
    if (kIsWhole) {
        EXPECT_GT(run.script_steps, 0.9 * steps_of(1.2, scene));
    }
}

TEST(ClothScenes, BodiesGatherInTheBowl) {
    const SceneDescription scene = load("n_body_small");
    ClothRun run(scene);
    run.run(steps_of(1, scene));
    expect_same_motion(run, 0x8c08769bf771d7e5);
    for (std::size_t i = 1; i < scene.bodies.size(); ++i) {
        const Vec3 p = run.simulation().states()[i].pose.translation;
        EXPECT_GT(p.z, 0.1f) << scene.bodies[i].name;
        EXPECT_LT(std::hypot(p.x, p.y), 1.3f) << scene.bodies[i].name;
    }
    const double weight = run.statistics().potential_energy;
    EXPECT_LT(run.statistics().kinetic_energy, weight);
}

}  // namespace
}  // namespace graze

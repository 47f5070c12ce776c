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

// The mean angle [rad] around the z axis through the origin by which vertices went since before,
// of those that were this far [m] from it.
double mean_turn(std::span<const Vec3> before, std::span<const Vec3> now, double least,
                 double most) {
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
        const double radius = std::hypot(before[i].x, before[i].y);
        if (radius < least || radius > most) continue;
        sum += std::atan2(before[i].x * now[i].y - before[i].y * now[i].x,
                          before[i].x * now[i].x + before[i].y * now[i].y);
        ++count;
    }
    return sum / count;
}
std::vector<Vec3> copy_of(std::span<const Vec3> positions) {
    return {positions.begin(), positions.end()};
}

TEST(ClothScenes, ASheetFallsOnABallAndTurnsWithIt) {
    const SceneDescription scene = load("cloth_ball_small");
    ClothRun run(scene);
    double top = 0;  // how far what lies on the ball turns
    std::vector<Vec3> before = copy_of(vertices_of(run, "cloth"));
    run.run(steps_of(scene.duration, scene), [&] {
        const std::span<const Vec3> now = vertices_of(run, "cloth");
        top += mean_turn(before, now, 0.1, 0.3);
        before = copy_of(now);
        for (const Vec3& p : now) {
            ASSERT_GT(distance(p, Vec3{0, 0, 0.6f}), 0.49f);
            ASSERT_GT(p.z, 0);
        }
    });
    expect_same_motion(run, 0x04ddc83db9a58b36);
    EXPECT_LT(run.stretch, 1.05);
    if (!kIsWhole) return;
    EXPECT_NEAR(run.script_steps, steps_of(scene.duration, scene), 1e-6) << "the ball turns once";
    EXPECT_NEAR(top, 6.28, 0.7) << "and takes along what lies on it";
}

TEST(ClothScenes, ABallPullsTheSheetThroughTheFunnel) {
    const SceneDescription scene = load("funnel_small");
    ClothRun run(scene);
    for (const Vec3& p : vertices_of(run, "cloth"))
        EXPECT_GT(p.z, 0.5f) << "above the funnel";
    run.run(steps_of(scene.duration, scene));
    expect_same_motion(run, 0xfe7cd6e56f2c9a8f);
    // Where the throat is full, what is pressed stretches more than anywhere else.
    EXPECT_LT(run.stretch, 1.09);
    if (!kIsWhole) return;
    for (const Vec3& p : vertices_of(run, "cloth"))
        EXPECT_LT(p.z, 0) << "below the throat";
    EXPECT_NEAR(run.script_steps, steps_of(scene.duration, scene), 1e-6);
}

TEST(ClothScenes, SkirtsTouchAndTwist) {
    const SceneDescription scene = load("skirts_small");
    ClothRun run(scene);
    bool has_touched[4][4] = {};
    double twist = 0;  // the greatest angle between waist and hem of the outer layer
    const std::vector<Vec3> start = copy_of(vertices_of(run, "skirt[2]"));
    run.run(steps_of(scene.duration, scene), [&] {
        for (const Contact& contact : run.simulation().contacts())
            has_touched[contact.body_a][contact.body_b] = true;
        const std::span<const Vec3> now = vertices_of(run, "skirt[2]");
        twist = std::max(
            twist, std::fabs(mean_turn(start, now, 0.5, 1) - mean_turn(start, now, 0.1, 0.23)));
        for (const char* layer : {"skirt[0]", "skirt[1]", "skirt[2]"}) {
            for (const Vec3& p : vertices_of(run, layer))
                ASSERT_GT(std::hypot(p.x, p.y), 0.118f) << "outside of the dancer";
        }
    });
    expect_same_motion(run, 0x69f90d599d4bd88c);
    EXPECT_LT(run.stretch, 1.05);
    if (!kIsWhole) return;
    EXPECT_TRUE(has_touched[1][2] && has_touched[2][3]) << "each layer touches the next";
    EXPECT_GT(twist, 0.3);
    EXPECT_NEAR(run.script_steps, steps_of(scene.duration, scene), 1e-6);
}

TEST(ClothScenes, BodiesGatherInTheBowl) {
    const SceneDescription scene = load("n_body_small");
    ClothRun run(scene);
    run.run(steps_of(scene.duration, scene));
    expect_same_motion(run, 0x99dd5d1e47266ac6);
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

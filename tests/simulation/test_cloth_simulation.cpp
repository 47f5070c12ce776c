// The solver cloth on small things with known outcomes: what falls, hangs, lies, slides and is
// pressed, and that nothing ever crosses.
#include "graze/cloth_simulation.h"

#include <gmock/gmock.h>

#include "graze/error.h"
#include "tests/simulation/cloth_run.h"

namespace graze {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Under a sanitizer what things come to in the end is not asked.
constexpr bool kIsWhole = GRAZE_SANITIZED == 0;

// more: further members of the scene; solver: of its solver.
SceneDescription scene_of(const std::string& bodies, const std::string& more = "",
                          const std::string& solver = R"("cloth": {"thickness": 0.02})") {
    const std::string shapes = R"(
        "sheet": {"generated": {"sheet": {"columns": 8, "rows": 8}}},
        "plate": {"generated": {"sheet": {"width": 4, "depth": 4, "columns": 3, "rows": 3}}},
        "ball": {"generated": {"sphere": {"radius": 0.2, "subdivisions": 2}}},
        "bullet": {"generated": {"sphere": {"radius": 0.05, "subdivisions": 1}}})";
    const std::string text = R"({"shapes": {)" + shapes + R"(}, "bodies": [)" + bodies +
                             R"(], "solver": {"kind": "cloth", "angular_damping": 0, )" + solver +
                             "}" + more + "}";
    return parse_scene(text, "scene.json", ".");
}

float lowest(std::span<const Vec3> positions) {
    float z = positions[0].z;
    for (const Vec3& p : positions)
        z = std::min(z, p.z);
    return z;
}

TEST(ClothSimulation, FallsFreely) {
    ClothRun run(scene_of(R"({"shape": "sheet", "motion": "cloth", "velocity": [1, 0, 2]},
                             {"shape": "ball", "pose": {"position": [5, 0, 0]}, "velocity": [0, 1, 0],
                              "angular_velocity": [0, 0, 3]})"));
    const std::vector<Vec3> before = run.positions();
    const double energy = run.statistics().kinetic_energy + run.statistics().potential_energy;
    run.run(30);
    // Half a second, in steps of which each moves by the speed that it ends with.
    const double fall = 9.81 / 3600 * 30 * 31 / 2;
    for (std::size_t i = 0; i < 81; ++i) {
        const Vec3 way = run.positions()[i] - before[i];
        EXPECT_NEAR(way.x, 0.5, 1e-4);
        EXPECT_NEAR(way.y, 0, 1e-4);
        EXPECT_NEAR(way.z, 1 - fall, 1e-4);
    }
    const BodyState& ball = run.simulation().states()[1];
    EXPECT_NEAR(ball.pose.translation.y, 0.5, 1e-4);
    EXPECT_NEAR(ball.pose.translation.z, -fall, 1e-4);
    EXPECT_NEAR(ball.angular_velocity.z, 3, 0.01);
    EXPECT_NEAR(2 * std::asin(ball.pose.rotation.z), 1.5, 0.01);
    EXPECT_NEAR(run.statistics().kinetic_energy + run.statistics().potential_energy, energy,
                0.05 * run.statistics().kinetic_energy);
    EXPECT_EQ(run.cuts, 0);
}

TEST(ClothSimulation, HangsFromItsPinsAndKeepsItsSize) {
    ClothRun run(scene_of(R"({"shape": "sheet", "motion": "cloth",
        "pins": [{"box": {"min": [-1, 0.49, -1], "max": [1, 0.51, 1]}}]})",
                          "", R"("linear_damping": 0.9, "cloth": {"thickness": 0.02})"));
    const std::vector<Vec3> before = run.positions();
    run.run(kIsWhole ? 300 : 12);
    int pinned = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i].y < 0.49f) continue;
        EXPECT_EQ(run.positions()[i], before[i]);
        ++pinned;
    }
    EXPECT_EQ(pinned, 9);
    if (!kIsWhole) return;
    EXPECT_NEAR(lowest(run.positions()), -1, 0.05);
    EXPECT_LT(run.statistics().kinetic_energy, 0.05);
}

TEST(ClothSimulation, PinsGoWithTheirBody) {
    ClothRun run(scene_of(R"({"name": "holder", "shape": "bullet", "motion": "kinematic",
            "pose": {"position": [0, 0.7, 0]}, "path": [{"time": 0.5, "position": [0.3, 0.7, 0.2]}]},
        {"shape": "sheet", "motion": "cloth",
         "pins": [{"box": {"min": [-1, 0.49, -1], "max": [1, 0.51, 1]}, "to": "holder"}]})"));
    const std::vector<Vec3> before = run.positions();
    run.run(40);
    EXPECT_EQ(run.script_parts, 40) << "nothing is in the way";
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i].y < 0.49f) continue;
        EXPECT_LT(distance(run.positions()[i], before[i] + Vec3{0.3f, 0, 0.2f}), 1e-5f);
    }
    EXPECT_LT(distance(run.simulation().states()[0].pose.translation, Vec3{0.3f, 0.7f, 0.2f}),
              1e-6f);
}

// What lies on a plate keeps the thickness above it and comes to rest.
TEST(ClothSimulation, LiesOnAPlate) {
    ClothRun run(scene_of(R"({"shape": "plate", "motion": "fixed"},
        {"shape": "ball", "pose": {"position": [1, 1, 0.5]}},
        {"shape": "sheet", "motion": "cloth", "pose": {"position": [-0.8, -0.7, 0.1]}})"));
    run.run(kIsWhole ? 120 : 12);
    const std::vector<Vec3>& positions = run.positions();
    const std::span<const Vec3> moving(positions.data() + 16, positions.size() - 16);
    EXPECT_GT(lowest(moving), 0);
    if (!kIsWhole) return;
    EXPECT_NEAR(run.simulation().states()[1].pose.translation.z, 0.22, 0.006);
    for (std::size_t i = positions.size() - 81; i < positions.size(); ++i)
        EXPECT_NEAR(positions[i].z, 0.02, 0.006);
    EXPECT_LT(run.statistics().kinetic_energy, 0.05);
    EXPECT_EQ(run.cuts, 0) << "contacts alone hold it";
}

// A turning plate carries along what lies on it where there is friction.
TEST(ClothSimulation, FrictionCarriesAlong) {
    for (const double friction : {0.0, 1.0}) {
        ClothRun run(scene_of(
            R"({"shape": "plate", "motion": "kinematic", "angular_velocity": [0, 0, 1]},
               {"shape": "sheet", "motion": "cloth", "pose": {"position": [0, 0, 0.02]}})",
            R"(, "materials": {"default": {"friction": )" + std::to_string(friction) + "}}"));
        const std::size_t corner = 16;
        const Vec3 before = run.positions()[corner];
        const int steps = kIsWhole ? 60 : 6;
        run.run(steps);
        const Vec3 after = run.positions()[corner];
        const double turned = std::atan2(after.y, after.x) - std::atan2(before.y, before.x);
        EXPECT_NEAR(turned, friction > 0 ? steps / 60.0 : 0, 0.1) << friction;
    }
}

TEST(ClothSimulation, NothingIsTooFast) {
    // 100 m/s, of which a step is 1.7 m: through two layers that are held by their borders.
    const std::string held =
        R"("motion": "cloth", "pins": [{"box": {"min": [-1, 0.49, -1], "max": [1, 0.51, 1]}},
            {"box": {"min": [-1, -0.51, -1], "max": [1, -0.49, 1]}},
            {"box": {"min": [0.49, -1, -1], "max": [0.51, 1, 1]}},
            {"box": {"min": [-0.51, -1, -1], "max": [-0.49, 1, 1]}}])";
    ClothRun run(scene_of(R"({"shape": "sheet", )" + held + R"(},
        {"shape": "sheet", "pose": {"position": [0, 0, -0.1]}, )" +
                          held + R"(},
        {"shape": "bullet", "pose": {"position": [0.03, 0.02, 0.4]}, "velocity": [0, 0, -100]})"));
    run.run(kIsWhole ? 60 : 6);
    EXPECT_GT(run.simulation().states()[2].pose.translation.z, -0.5f) << "caught";
}

// Two plates close on a sheet with a fold in it: there is no way out, and time stands still.
TEST(ClothSimulation, WhatIsPressedStopsThePress) {
    ClothRun run(scene_of(
        R"({"shape": "plate", "motion": "fixed"},
           {"shape": "plate", "motion": "kinematic", "pose": {"position": [0.1, 0.1, 0.5]},
            "velocity": [0, 0, -1]},
           {"shape": "sheet", "motion": "cloth", "pose": {"position": [0, 0, 0.1],
            "rotation": {"axis": [1, 0, 0], "angle": 10}}})"));
    run.run(kIsWhole ? 90 : 9);
    const std::size_t plate = 16;
    for (std::size_t i = 0; i < 16; ++i)
        EXPECT_GT(run.positions()[plate + i].z, 0);
    if (!kIsWhole) return;
    EXPECT_LT(run.script_parts, 40);
    EXPECT_GT(run.script_parts, 20) << "until then nothing is in the way";
}

TEST(ClothSimulation, TheStateDoesNotDependOnThreads) {
    std::uint64_t hashes[2];
    for (const int threads : {1, 2}) {
        SceneDescription scene = scene_of(
            R"({"shape": "ball", "motion": "kinematic", "angular_velocity": [0, 1, 2]},
               {"shape": "bullet", "pose": {"position": [0.1, 0, 0.5]}},
               {"shape": "sheet", "motion": "cloth", "pose": {"position": [0, 0, 0.25]}})");
        scene.device = Device::cpu(threads);
        ClothRun run(scene);
        run.run(kIsWhole ? 60 : 6);
        hashes[threads - 1] = run.hash();
    }
    EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(ClothSimulation, MasksLetThingsPass) {
    // Not by ClothRun: the first ball does cross.
    const auto simulation =
        make_cloth_simulation(scene_of(R"({"shape": "plate", "motion": "fixed", "group": 2},
           {"shape": "ball", "pose": {"position": [1, 1, 0.5]}, "mask": 1},
           {"shape": "ball", "pose": {"position": [-1, 1, 0.5]}})"));
    for (int i = 0; i < 60; ++i)
        simulation->step();
    EXPECT_LT(simulation->states()[1].pose.translation.z, -1);
    EXPECT_GT(simulation->states()[2].pose.translation.z, 0.2f);
}

TEST(ClothSimulation, TellsWhatAStepDid) {
    ClothRun run(scene_of(R"({"shape": "plate", "motion": "fixed"},
        {"shape": "sheet", "motion": "cloth", "pose": {"position": [0, 0, 0.02]}})",
                          "", R"("cloth": {"thickness": 0.02, "checks_intersections": true})"));
    run.run(3);
    const StepStatistics& statistics = run.statistics();
    EXPECT_EQ(statistics.step, 3);
    EXPECT_NEAR(statistics.time, 0.05, 1e-9);
    EXPECT_EQ(statistics.body_count, 2);
    EXPECT_EQ(statistics.awake_count, 1);
    EXPECT_GT(statistics.contact_count, 0);
    std::vector<std::string> names;
    names.reserve(statistics.figures.size());
    for (const Figure& figure : statistics.figures)
        names.emplace_back(figure.name);
    EXPECT_EQ(names, (std::vector<std::string>{"impacts", "rounds", "cut", "script_part",
                                               "intersections"}));
    EXPECT_EQ(statistics.figures[4].value, 0);
    EXPECT_EQ(statistics.figures[3].value, 1);
    EXPECT_TRUE(run.simulation().contacts().empty());
}

TEST(ClothSimulation, RefusesWhatItCannotRun) {
    EXPECT_THAT([] { make_cloth_simulation(SceneDescription{}); },
                ThrowsMessage<Error>(HasSubstr("another solver")));
    const SceneDescription crossing = scene_of(R"({"shape": "plate", "motion": "fixed"},
        {"name": "sunk", "shape": "ball", "pose": {"position": [0, 0, 0.1]}})");
    EXPECT_THAT([&] { make_cloth_simulation(crossing); },
                ThrowsMessage<Error>(AllOf(HasSubstr("'plate[0]' and 'sunk' intersect"),
                                           HasSubstr("move them apart"))));
}

}  // namespace
}  // namespace graze

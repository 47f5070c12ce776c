// The solver cloth on small things with known outcomes: what falls, hangs, lies, slides and is
// pressed, and that nothing ever crosses.
#include "graze/cloth_simulation.h"

#include <gmock/gmock.h>

#include <set>

#include "graze/error.h"
#include "tests/error_of.h"
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

// [m] That things fall from rest in so many steps of 1/60 s, each of 20 small ones.
double fall_in(int steps) {
    const double count = 20.0 * steps;
    return 9.81 / (1200.0 * 1200.0) * count * (count + 1) / 2;
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
    // Half a second, in small steps of which each moves by the speed that it ends with.
    const double fall = fall_in(30);
    for (std::size_t i = 0; i < 81; ++i) {
        const Vec3 motion = run.positions()[i] - before[i];
        EXPECT_NEAR(motion.x, 0.5, 1e-4);
        EXPECT_NEAR(motion.y, 0, 1e-4);
        EXPECT_NEAR(motion.z, 1 - fall, 1e-4);
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

TEST(ClothSimulation, APinThatHoldsNothingIsRefused) {
    const auto pins = [](const std::string& list) {
        return scene_of(R"({"name": "flag", "shape": "sheet", "motion": "cloth", "pins": [)" +
                        list + "]}");
    };
    const std::string edge = R"({"box": {"min": [-1, 0.49, -1], "max": [1, 0.51, 1]}})";
    const std::string nowhere = R"({"box": {"min": [7, 7, 7], "max": [8, 8, 8]}})";
    EXPECT_THAT(testing::error_of([&] { ClothRun run(pins(edge + "," + nowhere)); }),
                ::testing::HasSubstr("pin 1 of flag holds nothing"));
    // Two that hold the same hold.
    EXPECT_EQ(testing::error_of([&] { ClothRun run(pins(edge + "," + edge)); }), "");
}

TEST(ClothSimulation, PinsGoWithTheirBody) {
    ClothRun run(scene_of(R"({"name": "holder", "shape": "bullet", "motion": "kinematic",
            "pose": {"position": [0, 0.7, 0]}, "path": [{"time": 0.5, "position": [0.3, 0.7, 0.2]}]},
        {"shape": "sheet", "motion": "cloth",
         "pins": [{"box": {"min": [-1, 0.49, -1], "max": [1, 0.51, 1]}, "to": "holder"}]})"));
    const std::vector<Vec3> before = run.positions();
    run.run(40);
    EXPECT_EQ(run.script_steps, 40) << "nothing is in the way";
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i].y < 0.49f) continue;
        EXPECT_LT(distance(run.positions()[i], before[i] + Vec3{0.3f, 0, 0.2f}), 1e-5f);
    }
    EXPECT_LT(distance(run.simulation().states()[0].pose.translation, Vec3{0.3f, 0.7f, 0.2f}),
              1e-6f);
}

// The script lifts cloth by its pins, and cloth and a ball on a plate: its work is the energy that
// they get. What starts and stops at 0.3 m/s loses as much as falls from 5 mm give.
TEST(ClothSimulation, TheScriptsWorkIsTheEnergyThatItGives) {
    const std::string holder = R"({"name": "holder", "shape": "bullet", "motion": "kinematic",
            "pose": {"position": [0, 0, 0.7]},
            "path": [{"time": 2}, {"time": 4, "position": [0, 0, 1.3]}]},
        {"shape": "sheet", "motion": "cloth", "pose": {"rotation": {"axis": [1, 0, 0], "angle": 90}},
         "pins": [{"box": {"min": [-1, -1, 0.49], "max": [1, 1, 0.51]}, "to": "holder"}]})";
    const std::string plate = R"({"name": "plate", "shape": "plate", "motion": "kinematic",
            "path": [{"time": 2}, {"time": 4, "position": [0, 0, 0.6]}]},
        {"shape": "ball", "pose": {"position": [1, 1, 0.221]}},
        {"shape": "sheet", "motion": "cloth", "pose": {"position": [0, 0, 0.021]}})";
    for (const std::string& bodies : {holder, plate}) {
        const std::string damped = R"("linear_damping": 0.2, "cloth": {"thickness": 0.02})";
        ClothRun run(scene_of(bodies, "", damped));
        run.run(kIsWhole ? 120 : 4);
        EXPECT_NEAR(run.work, 0, 1e-6) << "it stands still";
        if (!kIsWhole) continue;
        const double before = run.statistics().potential_energy;
        run.run(180);
        const double gain = run.statistics().potential_energy - before;
        EXPECT_GT(gain, 1);
        EXPECT_NEAR(run.work, gain, 0.03 * gain) << bodies;
    }
}

// What lies on a plate keeps the thickness above it and comes to rest.
TEST(ClothSimulation, LiesOnAPlate) {
    ClothRun run(scene_of(R"({"shape": "plate", "motion": "fixed"},
        {"shape": "ball", "pose": {"position": [1, 1, 0.5]}},
        {"shape": "sheet", "motion": "cloth", "pose": {"position": [-0.8, -0.7, 0.1]}})"));
    // The ball, which has corners, rocks for a while.
    run.run(kIsWhole ? 360 : 12);
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
    EXPECT_LT(run.script_steps, 40);
    EXPECT_GT(run.script_steps, 20) << "until then nothing is in the way";
}

// Two plates press a sheet with a fold in it flat for a second, nearer to each other than both keep
// from it. Then they go, faster than it falls: it falls as a whole, and nothing of it stays behind
// or is thrown.
TEST(ClothSimulation, WhatIsLetGoFallsFreely) {
    if (!kIsWhole) GTEST_SKIP() << "takes too long under a sanitizer";
    ClothRun run(scene_of(
        R"({"shape": "plate", "motion": "kinematic", "path": [{"time": 2},
            {"time": 4, "position": [0, 0, -40]}]},
           {"shape": "plate", "motion": "kinematic", "pose": {"position": [0.1, 0.1, 0.5]},
            "path": [{"time": 1, "position": [0.1, 0.1, 0.03]},
                     {"time": 2, "position": [0.1, 0.1, 0.03]},
                     {"time": 4, "position": [0.1, 0.1, 20]}]},
           {"shape": "sheet", "motion": "cloth", "pose": {"position": [0, 0, 0.1],
            "rotation": {"axis": [1, 0, 0], "angle": 10}}})"));
    const auto sheet = [&] { return std::span<const Vec3>(run.positions()).subspan(32); };
    run.run(120);
    for (const Vec3& p : sheet())
        EXPECT_TRUE(p.z > 0 && p.z < 0.03f) << "pressed";
    run.run(6);  // free
    const std::vector<Vec3> before(sheet().begin(), sheet().end());
    const double speed = run.simulation().states()[2].velocity.z;
    run.run(24);
    const double fall = fall_in(24) - speed * 24 / 60;
    double mean = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const double own = before[i].z - sheet()[i].z;
        EXPECT_NEAR(own, fall, 0.1 * fall) << "vertex " << i;
        mean += own / static_cast<double>(before.size());
    }
    EXPECT_NEAR(mean, fall, 0.01 * fall);
    EXPECT_LT(std::fabs(speed), 9.81 * 0.1 + 0.2);
    EXPECT_EQ(run.script_steps, 150);
    EXPECT_LT(run.stretch, 1.05);
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
    EXPECT_EQ(names, (std::vector<std::string>{"impacts", "rounds", "parts", "cut", "script_part",
                                               "script_work", "elastic_energy", "stretch_least",
                                               "stretch_p1", "stretch_p99", "stretch_most",
                                               "intersections"}));
    EXPECT_EQ(run.figure("intersections"), 0);
    EXPECT_EQ(statistics.figures[4].value, 1);
    EXPECT_EQ(statistics.figures[2].value, 1);
    EXPECT_EQ(static_cast<std::int64_t>(run.simulation().contacts().size()),
              statistics.contact_count);
    EXPECT_GE(statistics.found_count, statistics.contact_count);
    EXPECT_GT(statistics.pair_count, 0);
    EXPECT_EQ(statistics.deepest_penetration, 0);
}

// A sheet that lies on a plate, and a ball that flies into both: contacts of all kinds.
TEST(ClothSimulation, ReportsTheContactsThatItUsed) {
    ClothRun run(scene_of(R"({"name": "plate", "shape": "plate", "motion": "fixed"},
        {"name": "ball", "shape": "ball", "pose": {"position": [0, 0, 0.31]},
         "velocity": [0, 0, -20]},
        {"name": "sheet", "shape": "sheet", "motion": "cloth",
         "pose": {"position": [0, 0, 0.02]}})"));
    EXPECT_TRUE(run.simulation().contacts().empty()) << "no step yet";
    std::int64_t impact_count = 0;
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    run.run(kIsWhole ? 40 : 4, [&] {
        const std::span<const Contact> contacts = run.simulation().contacts();
        ASSERT_EQ(static_cast<std::int64_t>(contacts.size()), run.statistics().contact_count);
        const SceneDescription& scene = run.simulation().scene();
        for (const Contact& contact : contacts) {
            ASSERT_LE(contact.body_a, contact.body_b);
            ASSERT_LT(contact.body_b, 3u);
            ASSERT_NEAR(length(contact.normal), 1, 1e-5);
            ASSERT_TRUE(contact.distance >= 0 && contact.distance <= 0.031f);
            ASSERT_TRUE(contact.time >= 0 && contact.time <= 1);
            const Mesh& mesh = *scene.shapes[scene.bodies[contact.body_a].shape].shape.mesh();
            const bool is_vertex = contact.feature_a.kind == FeatureKind::vertex;
            const bool is_face = contact.feature_a.kind == FeatureKind::face;
            if (is_vertex) {
                ASSERT_LT(contact.feature_a.index, mesh.positions.size());
            }
            if (is_face) {
                ASSERT_LT(contact.feature_a.index, mesh.triangles.size());
            }
            // The plate's top, below everything.
            if (contact.body_a == 0) {
                ASSERT_LT(contact.normal.z, 0) << "from the higher body towards the plate";
                ASSERT_TRUE(contact.position.z >= 0 && contact.position.z < 0.016f);
            }
            impact_count += contact.time > 0 ? 1 : 0;
            pairs.insert({contact.body_a, contact.body_b});
        }
    });
    EXPECT_GT(impact_count, 0);
    EXPECT_TRUE(pairs.contains({0, 2}));
    EXPECT_TRUE(pairs.contains({1, 2}));
}

// The highest that a ball's centre gets after its first, second, ... bounce [m] above where it
// rests.
std::vector<double> bounce_heights(ClothRun& run, std::size_t body, double floor, int steps) {
    std::vector<double> heights;
    bool is_rising = false;
    run.run(steps, [&] {
        const BodyState& state = run.simulation().states()[body];
        const bool rises = state.velocity.z > 0;
        if (rises && !is_rising) heights.push_back(0);
        is_rising = rises;
        if (!heights.empty())
            heights.back() = std::max(heights.back(), state.pose.translation.z - floor);
    });
    return heights;
}

std::string with_material(double restitution, double time_step) {
    return R"(, "materials": {"default": {"friction": 0, "restitution": )" +
           std::to_string(restitution) + R"(}}, "time_step": )" + std::to_string(time_step);
}

// A ball comes back to the height that it fell from, for several time steps and heights, bounce
// after bounce; with less restitution to its square of that.
TEST(ClothSimulation, ABallBounces) {
    if (!kIsWhole) GTEST_SKIP() << "takes too long under a sanitizer";
    const std::string ball = R"({"shape": "plate", "motion": "fixed"},
        {"shape": "ball", "pose": {"position": [0.4, 0.3, HEIGHT]}})";
    for (const double rate : {60.0, 120.0, 240.0}) {
        for (const double height : {0.7, 1.0, 1.43}) {
            std::string bodies = ball;
            bodies.replace(bodies.find("HEIGHT"), 6, std::to_string(height));
            ClothRun run(scene_of(bodies, with_material(1, 1 / rate)));
            const double floor = 0.2;  // where it would touch
            const auto heights = bounce_heights(run, 1, floor, static_cast<int>(4 * rate));
            ASSERT_GE(heights.size(), 4u);
            for (std::size_t i = 0; i + 1 < heights.size(); ++i)
                EXPECT_NEAR(heights[i] / (height - floor), 1, 0.02)
                    << "bounce " << i << " from " << height << " at " << rate;
        }
        std::string bodies = ball;
        bodies.replace(bodies.find("HEIGHT"), 6, "1.2");
        ClothRun run(scene_of(bodies, with_material(0.5, 1 / rate)));
        const auto heights = bounce_heights(run, 1, 0.22, static_cast<int>(3 * rate));
        ASSERT_GE(heights.size(), 2u);
        EXPECT_NEAR(heights[0], 0.98 * 0.25, 0.02);
        EXPECT_NEAR(run.simulation().states()[1].pose.translation.z, 0.22, 0.01) << "at rest";
    }
}

TEST(ClothSimulation, WhatIsNotBouncyDoesNotBounce) {
    for (const char* material : {R"("restitution": 0)", R"("restitution": 1)"}) {
        // Of two materials that touch the geometric mean counts: one without any is enough.
        ClothRun run(scene_of(R"({"shape": "plate", "motion": "fixed", "material": "floor"},
                                 {"shape": "ball", "pose": {"position": [0.4, 0.3, 1]}})",
                              R"(, "materials": {"floor": {"restitution": 0}, "default": {)" +
                                  std::string(material) + "}}"));
        const auto heights = bounce_heights(run, 1, 0.22, kIsWhole ? 60 : 6);
        for (const double height : heights)
            EXPECT_LT(height, 0.02);
    }
}

// Two balls of the same mass exchange their velocities, and momentum is what it was.
TEST(ClothSimulation, BallsBounceOffEachOther) {
    ClothRun run(scene_of(R"({"shape": "ball", "pose": {"position": [-0.6, 0, 0]},
                              "velocity": [3, 0, 0]},
                             {"shape": "ball", "pose": {"position": [0, 0, 0]}})",
                          R"(, "gravity": [0, 0, 0])" + with_material(1, 1.0 / 120)));
    run.run(kIsWhole ? 60 : 30);
    const std::span<const BodyState> states = run.simulation().states();
    EXPECT_NEAR(states[0].velocity.x, 0, 0.03);
    EXPECT_NEAR(states[1].velocity.x, 3, 0.03);
    EXPECT_NEAR(states[0].velocity.x + states[1].velocity.x, 3, 1e-4);
}

// A racket that comes at 2 m/s sends a resting ball off at 4.
TEST(ClothSimulation, AScriptedBodyHits) {
    ClothRun run(scene_of(R"({"shape": "plate", "motion": "kinematic", "velocity": [0, 0, 2]},
                             {"shape": "ball", "pose": {"position": [0.4, 0.3, 0.5]}})",
                          R"(, "gravity": [0, 0, 0])" + with_material(1, 1.0 / 60)));
    run.run(30);
    EXPECT_NEAR(run.simulation().states()[1].velocity.z, 4, 0.05);
    EXPECT_EQ(run.script_steps, 30);
    // Half of its energy by taking the ball along, half by the bounce.
    const double energy = run.statistics().kinetic_energy;
    EXPECT_NEAR(run.work, energy, 0.03 * energy);
}

// Cloth that bounces, folded and thrown about among balls: still nothing crosses, which the run
// checks after every step, and nothing explodes.
TEST(ClothSimulation, BouncyClothCrossesNothing) {
    ClothRun run(scene_of(R"({"shape": "plate", "motion": "fixed"},
        {"shape": "ball", "pose": {"position": [0.3, 0.2, 1.0]}, "velocity": [0, 0, -8]},
        {"shape": "ball", "pose": {"position": [-0.3, -0.2, 1.5]}, "velocity": [1, 0, -8]},
        {"shape": "sheet", "motion": "cloth", "pose": {"position": [0, 0, 0.3]}},
        {"shape": "sheet", "motion": "cloth", "pose": {"position": [0.1, 0, 0.5],
         "rotation": {"axis": [1, 0, 0], "angle": 20}}})",
                          with_material(1, 1.0 / 60)));
    const double energy = run.statistics().kinetic_energy + run.statistics().potential_energy;
    run.run(kIsWhole ? 120 : 8, [&] {
        EXPECT_LT(run.statistics().kinetic_energy + run.statistics().potential_energy,
                  1.2 * energy);
    });
}

// Bodies of all kinds that come later: until then nothing meets them, not even what is where they
// will be.
TEST(ClothSimulation, BodiesComeWhenTheirTimeHasCome) {
    ClothRun run(scene_of(
        R"({"name": "early", "shape": "bullet", "pose": {"position": [0.3, 0, 0.4]}},
           {"name": "floor", "shape": "plate", "motion": "fixed", "start_time": 0.5,
            "pose": {"position": [0, 0, -0.5]}},
           {"name": "lift", "shape": "bullet", "motion": "kinematic", "start_time": 0.25,
            "pose": {"position": [-3, 0, 0]}, "velocity": [0, 0, 2]},
           {"name": "late", "shape": "ball", "start_time": 0.25, "velocity": [1, 0, 0],
            "pose": {"position": [2.5, 0, 0.3]}},
           {"name": "cloth", "shape": "sheet", "motion": "cloth", "start_time": 0.5,
            "velocity": [0, 0, 1], "pose": {"position": [0, 0, 0.3]}})"));
    const auto state = [&](std::size_t body) { return run.simulation().states()[body]; };
    EXPECT_EQ(run.statistics().body_count, 1);
    EXPECT_EQ(run.statistics().awake_count, 1);
    const std::vector<Vec3> start = run.positions();
    run.run(15);
    for (std::size_t body = 1; body < 5; ++body)
        EXPECT_FALSE(state(body).is_present) << body;
    EXPECT_EQ(state(2).pose.translation, (Vec3{-3, 0, 0}));
    for (std::size_t v = start.size() - 81; v < start.size(); ++v)
        EXPECT_EQ(run.positions()[v], start[v]) << "cloth that is not there does not fall";
    run.run(15);  // from 0.25 s to 0.5 s
    EXPECT_EQ(run.statistics().body_count, 3);
    EXPECT_TRUE(state(2).is_present && state(3).is_present);
    EXPECT_NEAR(state(2).pose.translation.z, 0.5, 1e-5);
    EXPECT_NEAR(state(3).pose.translation.x, 2.75, 1e-5);
    EXPECT_NEAR(state(3).pose.translation.z, 0.3 - fall_in(15), 1e-5);
    EXPECT_LT(state(0).pose.translation.z, -0.8f) << "through cloth and floor";
    run.run(6);
    EXPECT_EQ(run.statistics().body_count, 5);
    EXPECT_EQ(run.statistics().awake_count, 3);
    EXPECT_TRUE(state(1).is_present && state(4).is_present);
    EXPECT_NEAR(run.positions().back().z, 0.4 - fall_in(6), 1e-4) << "it flies up";
    if (!kIsWhole) return;
    run.run(120);
    for (std::size_t v = start.size() - 81; v < start.size(); ++v)
        EXPECT_GT(run.positions()[v].z, -0.5f) << "the floor holds it";
}

// Until a pin's body comes it holds still; cloth that comes holds on to where the body is by then.
TEST(ClothSimulation, PinsOfBodiesThatComeLater) {
    const std::string pins =
        R"("pins": [{"box": {"min": [-1, 0.49, -1], "max": [1, 0.51, 1]}, "to": "holder"}])";
    const auto holder = [](const std::string& more) {
        return R"({"name": "holder", "shape": "bullet", "motion": "kinematic",
                   "pose": {"position": [0, 0.7, 0]}, "velocity": [0.6, 0, 0])" +
               more + "}, ";
    };
    const auto offset = [](const ClothRun& run, const std::vector<Vec3>& before) {
        const std::size_t pinned = before.size() - 1;  // the last row is within the box
        return run.positions()[pinned] - before[pinned];
    };
    ClothRun late_holder(scene_of(holder(R"(, "start_time": 0.25)") +
                                  R"({"shape": "sheet", "motion": "cloth", )" + pins + "}"));
    const std::vector<Vec3> before = late_holder.positions();
    late_holder.run(15);
    EXPECT_EQ(offset(late_holder, before), (Vec3{0, 0, 0}));
    late_holder.run(10);
    EXPECT_LT(distance(offset(late_holder, before), Vec3{0.1f, 0, 0}), 1e-6f);

    ClothRun late_cloth(scene_of(
        holder("") + R"({"shape": "sheet", "motion": "cloth", "start_time": 0.25, )" + pins + "}"));
    late_cloth.run(15);
    EXPECT_EQ(offset(late_cloth, before), (Vec3{0, 0, 0}));
    late_cloth.run(10);
    EXPECT_LT(distance(offset(late_cloth, before), Vec3{0.1f, 0, 0}), 1e-6f);
}

// One clear error, each time that it is asked to go on; what was there before stays as it was.
TEST(ClothSimulation, WhatComesIntoSomethingIsRefused) {
    const auto simulation = make_cloth_simulation(scene_of(R"({"shape": "plate", "motion": "fixed"},
        {"name": "first", "shape": "ball", "pose": {"position": [0, 0, 0.22]}},
        {"name": "second", "shape": "ball", "pose": {"position": [0.1, 0, 0.3]},
         "start_time": 0.1})"));
    for (int i = 0; i < 6; ++i)
        simulation->step();
    for (int again = 0; again < 2; ++again) {
        EXPECT_THAT([&] { simulation->step(); },
                    ThrowsMessage<Error>(AllOf(HasSubstr("'first' and 'second' intersect after "
                                                         "0.1 s, when one of them comes"),
                                               HasSubstr("another start_time"))));
        EXPECT_EQ(simulation->statistics().step, 6);
        EXPECT_FALSE(simulation->states()[2].is_present);
    }
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

// The solver penalty against closed forms: springs, momentum, rest; and what it promises of
// threads, memory and errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graze/error.h"
#include "graze/mesh_io.h"
#include "parallel/memory.h"
#include "tests/needs_data.h"
#include "tests/oracle/case_count.h"
#include "tests/simulation/penalty_scenes.h"

namespace graze {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr bool kIsWhole = GRAZE_SANITIZED == 0;

// A cube that falls flat on its four lower corners: a spring of four times the stiffness.
SceneDescription falling_cube(float height) {
    SceneDescription scene = make_penalty_ground();
    scene.shapes.push_back(scene_shape("cube", make_cube(), Field::box({0.1f, 0.1f, 0.1f})));
    add_body(scene, 1, {0, 0, 0.1f + height});
    return scene;
}
constexpr double kCubeMass = 500 * 0.2 * 0.2 * 0.2;  // [kg]

TEST(PenaltySimulation, FallsFreely) {
    SceneDescription scene = falling_cube(2);
    const auto simulation = make_penalty_simulation(scene);
    simulation->run(500);
    const BodyState& state = simulation->states()[1];
    EXPECT_NEAR(state.velocity.z, -9.81 * 0.5, 1e-5);
    EXPECT_NEAR(state.pose.translation.z, 2.1 - 9.81 * 0.5 * 0.5 * 0.5 - 9.81 * 0.5 * 5e-4, 1e-5);
    EXPECT_EQ(simulation->statistics().step, 500);
    EXPECT_NEAR(simulation->statistics().time, 0.5, 1e-12);
    EXPECT_NEAR(simulation->statistics().kinetic_energy, kCubeMass * 4.905 * 4.905 / 2, 1e-3);
}

// From the closed form of a mass that meets a spring with speed v: with w^2 = 4 k / m it goes in by
// g / w^2 + sqrt((g / w^2)^2 + (v / w)^2), is inside for 2 (pi - atan(v w / g)) / w, and leaves
// with v. Forces that act half a step late, on the mean, add to the energy; a small step keeps that
// small, and it is measured.
TEST(PenaltySimulation, ACubeBouncesAsOnASpring) {
    const double stiffness = 1000, g = 9.81, height = 0.05;
    for (const bool is_continuous : {true, false}) {
        SceneDescription scene = falling_cube(static_cast<float>(height));
        scene.time_step = 1e-5;
        scene.solver.penalty = {.stiffness = static_cast<float>(stiffness),
                                .damping = 0.0f,
                                .is_continuous = is_continuous,
                                .limits_damping = false};
        const auto simulation = make_penalty_simulation(scene);
        const double w = std::sqrt(4 * stiffness / kCubeMass);
        const double v = std::sqrt(2 * g * height);
        const double sag = g / (w * w);
        const double deepest = sag + std::sqrt(sag * sag + v * v / (w * w));
        const double duration = 2 * (3.14159265358979 - std::atan(v * w / g)) / w;
        double found_deepest = 0;
        int inside = 0;
        bool has_left = false;
        for (int i = 0; i < 25'000 && !has_left; ++i) {
            simulation->step();
            const StepStatistics& statistics = simulation->statistics();
            if (statistics.deepest_penetration > 0) ++inside;
            found_deepest = std::max<double>(found_deepest, statistics.deepest_penetration);
            has_left = inside > 100 && statistics.contact_count == 0;
        }
        ASSERT_TRUE(has_left);
        EXPECT_NEAR(found_deepest, deepest, 2e-3 * deepest);
        EXPECT_NEAR(inside * scene.time_step, duration, 2e-3 * duration);
        EXPECT_NEAR(simulation->states()[1].velocity.z, v, 5e-3 * v);
        EXPECT_NEAR(simulation->states()[1].velocity.x, 0, 1e-4);
        EXPECT_NEAR(length(simulation->states()[1].angular_velocity), 0, 1e-3);
    }
}

TEST(PenaltySimulation, ACubeComesToRestWhereItsSpringsCarryIt) {
    SceneDescription scene = falling_cube(0.02f);
    scene.solver.penalty.stiffness = 5000.0f;
    scene.solver.penalty.damping = 20.0f;
    const auto simulation = make_penalty_simulation(scene);
    simulation->run(3000);
    const double sag = kCubeMass * 9.81 / (4 * 5000);
    EXPECT_NEAR(simulation->states()[1].pose.translation.z, 0.1 - sag, 0.01 * sag);
    EXPECT_NEAR(simulation->statistics().deepest_penetration, sag, 0.01 * sag);
    EXPECT_EQ(simulation->statistics().contact_count, 4);
    EXPECT_LT(simulation->statistics().kinetic_energy, 1e-8);
    const auto contacts = simulation->contacts();
    ASSERT_EQ(contacts.size(), 4u);
    for (const Contact& contact : contacts) {
        EXPECT_EQ(contact.body_a, 0u);
        EXPECT_EQ(contact.body_b, 1u);
        EXPECT_EQ(contact.feature_b.kind, FeatureKind::vertex);
        EXPECT_NEAR(contact.distance, -sag, 0.02 * sag);
        EXPECT_NEAR(contact.normal.z, -1, 1e-6) << "from the cube to the ground";
        EXPECT_EQ(contact.time, 0);
        EXPECT_NEAR(contact.position.z, -sag, 0.02 * sag);
    }
}

// Coulomb's friction: a cube slides v^2 / (2 mu g) far. Without limits damping stops it sooner.
TEST(PenaltySimulation, FrictionStopsASlidingCube) {
    SceneDescription scene = falling_cube(0);
    scene.materials[0].friction = 0.2f;
    scene.solver.penalty.stiffness = 20'000.0f;
    scene.solver.penalty.damping = 30.0f;
    scene.bodies[1].velocity = {1.5f, 0, 0};
    const auto simulation = make_penalty_simulation(scene);
    simulation->run(2000);
    const double expected = 1.5 * 1.5 / (2 * 0.2 * 9.81);
    EXPECT_NEAR(simulation->states()[1].pose.translation.x, expected, 0.03 * expected);
    EXPECT_LT(length(simulation->states()[1].velocity), 2e-3);
    scene.solver.penalty.limits_damping = false;
    const auto paper = make_penalty_simulation(scene);
    paper->run(2000);
    EXPECT_LT(paper->states()[1].pose.translation.x, 0.5 * expected);
}

TEST(PenaltySimulation, TwoBodiesKeepTheirMomentum) {
    SceneDescription scene = make_penalty_heap(0);
    scene.gravity = {0, 0, 0};
    scene.bodies.clear();
    scene.materials.push_back({.name = "heavy", .density = 1500, .friction = 0.8f});
    add_body(scene, 1, {0, 0, 1}, {1, 0.1f, 0}, {1, 2, 3});
    add_body(scene, 2, {0.35f, 0.04f, 1.05f}, {-1, 0, 0.2f}, {-2, 0, 1});
    scene.bodies[1].material = 1;
    const auto simulation = make_penalty_simulation(scene);
    struct Momenta {
        Vec3d linear, angular;
    };
    const auto momenta = [&] {
        Momenta sum{{0, 0, 0}, {0, 0, 0}};
        for (std::size_t i = 0; i < 2; ++i) {
            const SceneShape& shape = scene.shapes[scene.bodies[i].shape];
            const BodyState& state = simulation->states()[i];
            const double density = scene.materials[scene.bodies[i].material].density;
            const double mass = shape.mass->volume * density;
            const auto velocity = static_cast<Vec3d>(state.velocity);
            const Quat& q = state.pose.rotation;
            const Quatd rotation{q.w, q.x, q.y, q.z};
            const Vec3d centre =
                static_cast<Vec3d>(state.pose.translation) + rotate(rotation, shape.mass->centre);
            const Vec3d turn =
                rotate(conjugate(rotation), static_cast<Vec3d>(state.angular_velocity));
            sum.linear += velocity * mass;
            sum.angular += cross(centre, velocity) * mass +
                           rotate(rotation, shape.mass->inertia * turn) * density;
        }
        return sum;
    };
    const Momenta before = momenta();
    int touching = 0;
    for (int i = 0; i < 400; ++i) {
        simulation->step();
        touching += simulation->statistics().contact_count > 0 ? 1 : 0;
    }
    const Momenta after = momenta();
    EXPECT_GT(touching, 5);
    EXPECT_GT(length(simulation->states()[0].velocity - scene.bodies[0].velocity), 0.1f);
    // States are rounded to floats. The forces of a step act in the next one, when the bodies have
    // moved on against each other: by a thousandth of a metre, times 0.5 N s.
    EXPECT_LE(length(after.linear - before.linear), 1e-5 * length(before.linear));
    EXPECT_LE(length(after.angular - before.angular), 2e-3 * length(before.angular));
}

// A bullet goes through a sheet that is thinner than its step; only the continuous method sees it.
TEST(PenaltySimulation, ContinuousForcesStopABullet) {
    for (const bool is_continuous : {true, false}) {
        SceneDescription scene = falling_cube(0.5f);
        scene.gravity = {0, 0, 0};
        scene.shapes[0].shape = Shape::from_field(Field::box({1, 1, 0.02f}));
        scene.bodies[1].velocity = {0, 0, -100};
        scene.time_step = 2e-3;
        scene.solver.penalty.stiffness = 8e5f;
        scene.solver.penalty.is_continuous = is_continuous;
        const auto simulation = make_penalty_simulation(scene);
        // From 0.6 - 0.1 it goes by 0.2 a step: 0.1, -0.1.
        simulation->run(3);
        EXPECT_EQ(simulation->statistics().contact_count > 0, is_continuous);
        simulation->run(1);
        EXPECT_EQ(simulation->states()[1].velocity.z > -99, is_continuous);
    }
}

TEST(PenaltySimulation, BothInterpolationsAndSearchesAgree) {
    std::vector<float> heights;
    for (const bool is_linear : {false, true}) {
        for (const bool uses_tree : {true, false}) {
            SceneDescription scene = make_penalty_heap(4);
            scene.solver.penalty.interpolation =
                is_linear ? PenaltyInterpolation::linear : PenaltyInterpolation::acceleration;
            scene.solver.penalty.uses_tree = uses_tree;
            const auto simulation = make_penalty_simulation(scene);
            simulation->run(250);
            EXPECT_GT(simulation->statistics().contact_count, 0);
            heights.push_back(simulation->states()[1].pose.translation.z);
        }
    }
    EXPECT_NEAR(heights[0], heights[1], 1e-4) << "tree and point by point";
    EXPECT_NEAR(heights[2], heights[3], 1e-4);
    EXPECT_NEAR(heights[0], heights[2], 0.02) << "interpolations";
}

TEST(PenaltySimulation, TheStateDoesNotDependOnThreads) {
    SceneDescription scene = make_penalty_heap(18);
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 2, 5}) {
        scene.device = Device::cpu(threads);
        const auto simulation = make_penalty_simulation(scene);
        simulation->run(kIsWhole ? 400 : 200);
        EXPECT_GT(simulation->statistics().contact_count, 0);
        hashes.push_back(state_hash(*simulation));
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(PenaltySimulation, RunsAsItSteps) {
    const SceneDescription scene = make_penalty_heap(5);
    const auto one = make_penalty_simulation(scene), many = make_penalty_simulation(scene);
    for (int i = 0; i < 120; ++i)
        one->step();
    many->run(120);
    EXPECT_EQ(state_hash(*one), state_hash(*many));
    EXPECT_EQ(one->statistics().step, many->statistics().step);
}

TEST(PenaltySimulation, AHeapComesToRest) {
    if (!kIsWhole) GTEST_SKIP() << "takes too long under a sanitizer";
    const auto simulation = make_penalty_simulation(make_penalty_heap(9));
    const double begin =
        simulation->statistics().kinetic_energy + simulation->statistics().potential_energy;
    double most = begin;
    for (int i = 0; i < 3000; ++i) {
        simulation->step();
        const StepStatistics& now = simulation->statistics();
        most = std::max(most, now.kinetic_energy + now.potential_energy);
    }
    EXPECT_LE(most, begin * 1.001) << "no energy appears";
    EXPECT_LT(simulation->statistics().kinetic_energy, 1e-3 * begin);
    for (std::size_t i = 1; i < simulation->states().size(); ++i)
        EXPECT_GT(simulation->states()[i].pose.translation.z, 0.03f) << i;
}

TEST(PenaltySimulation, TheBunnyLiesOnTheGround) {
    GRAZE_NEEDS_DATA("models/bunny_hr.obj");
    if (!kIsWhole) GTEST_SKIP() << "takes too long under a sanitizer";
    const std::filesystem::path file = data_folder() / "models/bunny_hr.obj";
    Mesh mesh = load_mesh(file);
    const Vec3 sides = extent(bounds(mesh));
    const float scale = 0.2f / std::max({sides.x, sides.y, sides.z});
    const Vec3 middle = centre(bounds(mesh));
    for (Vec3& p : mesh.positions)
        p = (p - middle) * scale;
    SceneDescription scene = make_penalty_ground();
    scene.shapes.push_back(scene_shape("bunny", mesh, 64));
    add_body(scene, 1, {0, 0, 0.11f});
    const auto simulation = make_penalty_simulation(scene);
    simulation->run(2000);
    const float height = simulation->states()[1].pose.translation.z;
    const float deepest = simulation->statistics().deepest_penetration;
    EXPECT_LT(deepest, 0.004f);
    EXPECT_LT(simulation->statistics().kinetic_energy, 1e-4);
    simulation->run(500);
    EXPECT_NEAR(simulation->states()[1].pose.translation.z, height, 1e-4) << "it does not sink";
    EXPECT_NEAR(simulation->statistics().deepest_penetration, deepest, 5e-4);
}

TEST(PenaltySimulation, ASteadyStepAllocatesNothing) {
    SceneDescription scene = falling_cube(0.01f);
    scene.solver.penalty.stiffness = 20'000.0f;
    const auto simulation = make_penalty_simulation(scene);
    simulation->run(1500);
    const std::int64_t before = host_memory().allocation_count();
    simulation->run(100);
    EXPECT_GT(simulation->statistics().contact_count, 0);
    EXPECT_EQ(host_memory().allocation_count(), before);
}

TEST(PenaltySimulation, BodiesComeWhenTheirTimeHasCome) {
    SceneDescription scene = falling_cube(1);
    scene.bodies[1].start_time = 0.1;
    const auto simulation = make_penalty_simulation(scene);
    EXPECT_FALSE(simulation->states()[1].is_present);
    simulation->run(90);
    EXPECT_FALSE(simulation->states()[1].is_present);
    EXPECT_EQ(simulation->states()[1].velocity.z, 0);
    simulation->run(60);
    EXPECT_TRUE(simulation->states()[1].is_present);
    EXPECT_NEAR(simulation->states()[1].velocity.z, -9.81 * 0.05, 1e-4);
}

TEST(PenaltySimulation, AKinematicBodyPushes) {
    SceneDescription scene = falling_cube(0);
    scene.gravity = {0, 0, 0};
    scene.bodies.push_back({.name = "pusher",
                            .shape = 1,
                            .motion = BodyMotion::kinematic,
                            .pose = {{-0.25f, 0, 0.1f}, Quat::identity(), 0.5f},
                            .velocity = {1, 0, 0}});
    const auto simulation = make_penalty_simulation(scene);
    simulation->run(500);
    EXPECT_NEAR(simulation->states()[2].pose.translation.x, 0.25, 1e-5);
    // Its face is at 0.3, and the cube's was at -0.1.
    EXPECT_GT(simulation->states()[1].pose.translation.x, 0.38f);
    EXPECT_EQ(simulation->states()[2].velocity, (Vec3{1, 0, 0}));
}

TEST(PenaltySimulation, MasksLetThingsPass) {
    SceneDescription scene = falling_cube(0.1f);
    scene.bodies[1].mask = 2;
    const auto simulation = make_penalty_simulation(scene);
    simulation->run(600);
    EXPECT_LT(simulation->states()[1].pose.translation.z, -1);
}

TEST(PenaltySimulation, TooLongAStepIsAnError) {
    SceneDescription scene = make_penalty_heap(4);
    scene.time_step = 0.01;
    scene.solver.penalty.stiffness = 1e8f;
    const auto simulation = make_penalty_simulation(scene);
    EXPECT_THAT([&] { simulation->run(500); },
                ThrowsMessage<Error>(HasSubstr("make time_step or solver.penalty.stiffness")));
}

TEST(PenaltySimulation, RefusesWhatItCannotRun) {
    const auto expect = [](const char* message, auto change) {
        SceneDescription scene = falling_cube(1);
        change(scene);
        EXPECT_THAT([&] { make_penalty_simulation(scene); },
                    ThrowsMessage<Error>(HasSubstr(message)));
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    expect("another solver", [](SceneDescription& s) { s.solver.kind = SolverKind::bullet; });
    expect("stiffness", [](SceneDescription& s) { s.solver.penalty.stiffness = 0.0f; });
    expect("stiffness", [&](SceneDescription& s) { s.solver.penalty.stiffness = nan; });
    expect("damping", [](SceneDescription& s) { s.solver.penalty.damping = -1.0f; });
    expect("gap", [](SceneDescription& s) { s.detector.gap = -1; });
    expect("has_faces", [](SceneDescription& s) { s.detector.sweep.has_faces = true; });
    expect("time_step", [](SceneDescription& s) { s.time_step = 0; });
    expect("from 0 to 1", [](SceneDescription& s) { s.solver.linear_damping = 2; });
    expect("has no mass", [](SceneDescription& s) { s.shapes[1].mass.reset(); });
    expect("cloth or has a path",
           [](SceneDescription& s) { s.bodies[1].motion = BodyMotion::cloth; });
}

}  // namespace
}  // namespace graze

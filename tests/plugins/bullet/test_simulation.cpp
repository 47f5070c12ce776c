// Tests of scenes moved by Bullet: what single bodies do, and that runs repeat to the last bit.
// Whole scenes are in test_scenes.cpp.
#include "graze/simulation.h"

#include <gmock/gmock.h>

#include <cmath>

#include "graze/error.h"
#include "graze_bullet/simulation.h"
#include "tests/oracle/case_count.h"
#include "tests/plugins/bullet/simulation_scenes.h"

namespace graze {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Simulation, FreeBodiesFollowTheirForces) {
    SceneDescription scene = empty_scene();
    scene.gravity = {0, 0, -1};
    SceneBody pushed = body_at({0, 0, 5});
    const float mass = 1000 * 1.0f * 0.8f * 0.6f;
    pushed.force = {mass * 2, 0, mass};  // lifts its weight, and moves it along x
    SceneBody turned = body_at({5, 0, 5});
    turned.torque = {0, 0, mass * (1.0f + 0.64f) / 12};  // 1 rad/s^2
    turned.velocity = {0, 1, 0};
    scene.bodies = {pushed, turned};
    const auto simulation = bullet::make_simulation(scene);
    for (int i = 0; i < 60; ++i)
        simulation->step();
    const BodyState &first = simulation->states()[0], &second = simulation->states()[1];
    EXPECT_NEAR(first.velocity.x, 2, 0.01f);
    EXPECT_NEAR(first.velocity.z, 0, 0.01f);
    EXPECT_NEAR(first.pose.translation.x, 1, 0.03f);
    EXPECT_NEAR(second.angular_velocity.z, 1, 0.02f);
    EXPECT_NEAR(second.velocity.z, -1, 0.01f);
    EXPECT_NEAR(second.pose.translation.y, 1, 0.01f);
    EXPECT_NEAR(simulation->statistics().time, 1, 1e-9);
}

// The pose is that of the shape's frame, though the body turns about its centre of mass.
TEST(Simulation, TurnsAboutTheCentreOfMass) {
    SceneDescription scene = empty_scene();
    scene.gravity = {0, 0, 0};
    const Vec3 centre{1, 2, 3};
    scene.shapes.push_back(shape_of(
        "off centre", Field::box({0.5f, 0.4f, 0.3f}).transformed({centre, Quat::identity(), 1})));
    SceneBody body = body_at({0, 0, 0}, 2);
    body.pose.scale = 2;
    body.angular_velocity = {0, 0, 1};
    scene.bodies = {body};
    const auto simulation = bullet::make_simulation(scene);
    const double energy = simulation->statistics().kinetic_energy;
    EXPECT_NEAR(energy, 0.5 * 1000 * 0.48 * 8 * (4 + 2.56) / 12, energy * 0.01);
    for (int i = 0; i < 60; ++i)
        simulation->step();
    const Transform& pose = simulation->states()[0].pose;
    EXPECT_LT(length(transform_point(pose, centre) - centre * 2.0f), 1e-3f);
    EXPECT_NEAR(2 * std::acos(pose.rotation.w), 1, 0.01f);
    EXPECT_NEAR(pose.scale, 2, 1e-5f);
    EXPECT_NEAR(simulation->statistics().kinetic_energy, energy, energy * 1e-3);
}

TEST(Simulation, BodiesAppearAtTheirTime) {
    SceneDescription scene = empty_scene();
    scene.bodies = {body_at({0, 0, 0}, 0), body_at({0, 0, 3}), body_at({0, 0, 9})};
    scene.bodies[0].motion = BodyMotion::fixed;
    scene.bodies[2].start_time = 0.5;
    const auto simulation = bullet::make_simulation(scene);
    EXPECT_TRUE(simulation->states()[1].is_present);
    EXPECT_FALSE(simulation->states()[2].is_present);
    for (int i = 0; i < 29; ++i)
        simulation->step();
    EXPECT_FALSE(simulation->states()[2].is_present);
    EXPECT_EQ(simulation->statistics().body_count, 2);
    for (int i = 0; i < 2; ++i)
        simulation->step();
    EXPECT_TRUE(simulation->states()[2].is_present);
    EXPECT_GT(simulation->states()[2].pose.translation.z, 8.9f);
}

// A turning table carries what lies on it along, and is not slowed down by it.
TEST(Simulation, KinematicBodiesCarryOthers) {
    SceneDescription scene = empty_scene();
    scene.shapes.push_back(shape_of("table", Field::cylinder(3, 0.5f)));
    SceneBody table = body_at({0, 0, 0}, 2);
    table.motion = BodyMotion::kinematic;
    table.angular_velocity = {0, 0, 0.5f};
    scene.bodies = {table, body_at({1, 0, 0.8f})};
    const auto simulation = bullet::make_simulation(scene);
    for (int i = 0; i < 120; ++i)
        simulation->step();
    const BodyState &disc = simulation->states()[0], &box = simulation->states()[1];
    EXPECT_NEAR(2 * std::acos(disc.pose.rotation.w), 1, 0.01f);
    const float angle = std::atan2(box.pose.translation.y, box.pose.translation.x);
    EXPECT_NEAR(angle, 1, 0.15f);
    EXPECT_NEAR(box.pose.translation.z, 0.8f, 0.01f);
}

// No contacts are found between two bodies that no force moves.
TEST(Simulation, KinematicAndFixedBodiesDoNotTouch) {
    SceneDescription scene = empty_scene();
    scene.bodies = {body_at({0, 0, 0}, 0), body_at({0, 0, 0})};
    scene.bodies[0].motion = BodyMotion::fixed;
    scene.bodies[1].motion = BodyMotion::kinematic;
    const auto simulation = bullet::make_simulation(scene);
    simulation->step();
    EXPECT_EQ(simulation->statistics().contact_count, 0);
    EXPECT_EQ(simulation->statistics().deepest_penetration, 0);
}

TEST(Simulation, RunsRepeatForAnyNumberOfThreads) {
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 2, 2}) {
        SceneDescription scene = heap_scene(12);
        scene.device = Device::cpu(threads);
        const auto simulation = bullet::make_simulation(scene);
        for (int i = 0; i < oracle::case_count(120); ++i)
            simulation->step();
        EXPECT_GT(simulation->statistics().pair_count, 5);
        hashes.push_back(state_hash(simulation->states()));
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
}

// Contacts name the scene's bodies, the lower first, and the normal leads from b to a.
TEST(Simulation, ContactsAndStatisticsAgree) {
    const auto simulation = bullet::make_simulation(heap_scene(6));
    for (int i = 0; i < oracle::case_count(100); ++i) {
        simulation->step();
        const StepStatistics& sum = simulation->statistics();
        ASSERT_EQ(sum.contact_count, static_cast<std::int64_t>(simulation->contacts().size()));
        ASSERT_GE(sum.found_count, 0);
        float deepest = 0;
        for (const Contact& contact : simulation->contacts()) {
            ASSERT_LT(contact.body_a, contact.body_b);
            ASSERT_LT(contact.body_b, simulation->states().size());
            if (contact.body_a == 0) {
                ASSERT_LT(contact.normal.z, -0.5f);
            }
            deepest = std::max(deepest, -contact.distance);
        }
        ASSERT_EQ(deepest, sum.deepest_penetration);
        double stages = 0;
        for (const StepReport::Stage& stage : sum.stages)
            stages += stage.seconds;
        ASSERT_LE(stages, sum.seconds * 1.001);
    }
}

TEST(Simulation, AnyMethodFindsTheContacts) {
    for (const char* method : {"particles", "features"}) {
        const std::string text = std::string(R"({"method": ")") + method + R"(",
            "time_step": 0.004,
            "shapes": {
                "ball": {"generated": {"sphere": {"radius": 0.2, "subdivisions": 2}},
                         "field": {"resolution": 32}},
                "bowl": {"generated": {"bowl": {"radius": 1, "wall": 0.15, "opening": 100}},
                         "field": {"resolution": 48}}},
            "bodies": [
                {"shape": "bowl", "motion": "fixed"},
                {"shape": "ball", "pose": {"position": [0.1, 0.05, 0.5]}}]})";
        const auto simulation = bullet::make_simulation(parse_scene(text, "drop", "."));
        float deepest = 0;
        for (int i = 0; i < oracle::case_count(250); ++i) {
            simulation->step();
            deepest = std::max(deepest, simulation->statistics().deepest_penetration);
        }
        EXPECT_LT(deepest, 0.01f) << method;
        // The wall's inner side is at 0.15, in the middle of the bowl.
        EXPECT_GT(simulation->states()[1].pose.translation.z, 0.3f) << method;
        bool has_features = false;
        for (const Contact& contact : simulation->contacts())
            has_features = has_features || contact.feature_a.kind != FeatureKind::none;
        EXPECT_EQ(has_features,
                  std::string(method) == "features" && !simulation->contacts().empty())
            << method;
    }
}

TEST(Simulation, HashTellsStatesApart) {
    std::vector<BodyState> states(2);
    states[0].is_present = true;
    const std::uint64_t before = state_hash(states);
    EXPECT_EQ(state_hash(states), before);
    states[0].velocity.x = 1e-30f;
    EXPECT_NE(state_hash(states), before);
    states[0].velocity.x = 0;
    states[1].pose.translation.x = 1;  // not there, so it does not count
    EXPECT_EQ(state_hash(states), before);
    states[1].is_present = true;
    EXPECT_NE(state_hash(states), before);
}

TEST(Simulation, SaysWhatIsWrong) {
    SceneDescription scene = empty_scene();
    scene.bodies = {body_at({0, 0, 0}, 0)};
    EXPECT_THAT([&] { bullet::make_simulation(scene); },
                ThrowsMessage<Error>(HasSubstr("make the body fixed")));
    scene.bodies.clear();
    scene.time_step = 0;
    EXPECT_THAT([&] { bullet::make_simulation(scene); },
                ThrowsMessage<Error>(HasSubstr("time_step")));
}

}  // namespace
}  // namespace graze

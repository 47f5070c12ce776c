// In a SpeculativeWorld nothing passes through anything at 60 Hz: bullets and sheets, balls and
// spinning blades.
#include "graze_bullet/speculative_world.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>

#include "graze/error.h"
#include "graze/generate_mesh.h"
#include "graze_bullet/simulation.h"
#include "tests/oracle/case_count.h"
#include "tests/plugins/bullet/simulation_scenes.h"

namespace graze {
namespace {

constexpr float kPi = 3.14159265f;

SceneShape ball_shape(float radius) {
    const Mesh mesh = make_sphere(radius, 3);
    SceneShape entry{.name = "ball",
                     .shape = Shape::from_mesh(mesh, Field::sphere({0, 0, 0}, radius)),
                     .origin = "generated sphere"};
    entry.mass = mass_properties(mesh);
    return entry;
}

SceneDescription sweep_scene() {
    SceneDescription scene = empty_scene();
    scene.method = Method::sweep;
    scene.time_step = 1.0 / 60;
    scene.solver.sleeps = false;
    return scene;
}

// [m] A ball's radius and half of the sheet's thickness.
constexpr float kBall = 0.0025f, kSheet = 0.0005f;

// A ball is shot at a sheet that lies in z = 0, from above.
SceneDescription shot_scene(const Vec3& from, const Vec3& velocity, float restitution) {
    SceneDescription scene = sweep_scene();
    scene.materials[0].restitution = restitution;
    // It never moves and needs no mass.
    scene.shapes.push_back({.name = "sheet",
                            .shape = Shape::from_field(Field::box({50, 50, kSheet})),
                            .origin = "formula"});
    scene.shapes.push_back(ball_shape(kBall));
    SceneBody sheet = body_at({0, 0, 0}, 2);
    sheet.motion = BodyMotion::fixed;
    SceneBody ball = body_at(from, 3);
    ball.velocity = velocity;
    scene.bodies = {sheet, ball};
    return scene;
}

TEST(SpeculativeWorld, ABulletStopsAtASheet) {
    for (int i = 0; i < oracle::case_count(20); ++i) {
        const float k = static_cast<float>(i);
        // Where it meets the sheet in its step, and from where it comes.
        const Vec3 from{0.3f * k, -0.2f * k, 0.01f + 0.37f * k};
        const float tilt = 0.07f * k;
        const Vec3 velocity = Vec3{std::sin(tilt), 0, -std::cos(tilt)} * 300.0f;
        const auto simulation = bullet::make_simulation(shot_scene(from, velocity, 0));
        for (int step = 0; step < 30; ++step) {
            simulation->step();
            const BodyState& ball = simulation->states()[1];
            if (std::getenv("TALK")) std::printf("%d %d z %g v %g %g cuts %g solves %g looks %g\n", i, step, ball.pose.translation.z, ball.velocity.x, ball.velocity.z, simulation->statistics().figures[2].value, simulation->statistics().figures[1].value, simulation->statistics().figures[0].value);
            ASSERT_GT(ball.pose.translation.z, kSheet + kBall - 1e-4f) << i << " " << step;
        }
        EXPECT_LT(simulation->states()[1].pose.translation.z, kSheet + kBall + 1e-3f) << i;
    }
}

TEST(SpeculativeWorld, ABulletBouncesWhereItTouches) {
    for (int i = 0; i < oracle::case_count(20); ++i) {
        const float k = static_cast<float>(i);
        const float height = 0.01f + 0.37f * k;
        const auto simulation =
            bullet::make_simulation(shot_scene({0, 0, height}, {0, 0, -300}, 0.5f));
        float lowest = height;
        for (int step = 0; step < 10; ++step) {
            simulation->step();
            const BodyState& ball = simulation->states()[1];
            if (std::getenv("TALK")) std::printf("%d %d z %g v %g %g cuts %g solves %g looks %g\n", i, step, ball.pose.translation.z, ball.velocity.x, ball.velocity.z, simulation->statistics().figures[2].value, simulation->statistics().figures[1].value, simulation->statistics().figures[0].value);
            lowest = std::min(lowest, ball.pose.translation.z);
            ASSERT_GT(ball.pose.translation.z, kSheet + kBall - 1e-4f) << i << " " << step;
        }
        // It touches before it turns back, with half of its speed.
        EXPECT_LT(lowest, kSheet + kBall + 1e-4f) << i;
        EXPECT_NEAR(simulation->states()[1].velocity.z, 150, 3) << i;
    }
}

}  // namespace
}  // namespace graze

// In a SpeculativeWorld nothing passes through anything at 60 Hz: bullets and sheets, balls and
// spinning blades, a nut and its bolt.
#include "graze_bullet/speculative_world.h"

#include <gmock/gmock.h>

#include <cmath>

#include "graze/error.h"
#include "graze/generate_mesh.h"
#include "graze/mesh_io.h"
#include "graze_bullet/simulation.h"
#include "tests/needs_data.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/sample_meshes.h"
#include "tests/plugins/bullet/scene_run.h"
#include "tests/plugins/bullet/simulation_scenes.h"

namespace graze {
namespace {

constexpr float kPi = 3.14159265f;
// [m]
constexpr double kNutPlay = 1.5e-4;

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

double figure(const Simulation& simulation, std::string_view name) {
    for (const Figure& figure : simulation.statistics().figures) {
        if (figure.name == name) return figure.value;
    }
    ADD_FAILURE() << "there is no figure " << name;
    return 0;
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
    for (int i = 0; i < oracle::case_count(10); ++i) {
        const float k = static_cast<float>(i);
        // Where it meets the sheet in its step, and from where it comes.
        const Vec3 from{0.6f * k, -0.4f * k, 0.01f + 0.74f * k};
        const float tilt = 0.14f * k;
        const Vec3 velocity = Vec3{std::sin(tilt), 0, -std::cos(tilt)} * 300.0f;
        const auto simulation = bullet::make_simulation(shot_scene(from, velocity, 0));
        for (int step = 0; step < 5; ++step) {
            simulation->step();
            const BodyState& ball = simulation->states()[1];
            ASSERT_GT(ball.pose.translation.z, kSheet + kBall - 1e-4f) << i << " " << step;
            ASSERT_EQ(figure(*simulation, "unresolved"), 0) << i << " " << step;
        }
        // A ball of triangles does not fall onto its middle: some of its speed turns it.
        EXPECT_LT(std::fabs(simulation->states()[1].velocity.z), 15) << i;
    }
}

// The same with samples in place of the formula: 5 voxels are as thick as the sheet.
TEST(SpeculativeWorld, ABulletStopsAtASheetOfSamples) {
    constexpr float kSide = 0.02f;  // [m] half of the sheet's
    Mesh mesh = sample::cube();
    for (Vec3& p : mesh.positions)
        p = {p.x * kSide, p.y * kSide, p.z * kSheet};
    ShapeOptions options;
    options.field.resolution = 200;
    options.field.sparse = true;
    const Shape sheet = Shape::from_mesh(mesh, options);
    ASSERT_TRUE(sheet.field().is_sampled());
    for (int i = 0; i < oracle::case_count(6); ++i) {
        const float k = static_cast<float>(i % 6);
        // From above and from below, straight and slanted.
        const float side = i % 2 == 0 ? 1.0f : -1.0f, tilt = 0.1f * k;
        const float way = 0.02f + 0.9f * k;
        const Vec3 towards{std::sin(tilt), 0, -side * std::cos(tilt)};
        const Vec3 from = Vec3{0.001f * k, -0.001f * k, 0} - towards * way;
        SceneDescription scene = shot_scene(from, towards * 300.0f, 0);
        scene.shapes[2].shape = sheet;
        const auto simulation = bullet::make_simulation(scene);
        for (int step = 0; step < 3; ++step) {
            simulation->step();
            const Vec3 ball = simulation->states()[1].pose.translation;
            ASSERT_EQ(figure(*simulation, "unresolved"), 0) << i << " " << step;
            if (std::max(std::fabs(ball.x), std::fabs(ball.y)) > kSide) break;  // it slid off
            ASSERT_GT(ball.z * side, kSheet + kBall - 1e-4f) << i << " " << step;
        }
    }
}

// The scene file, to its end.
TEST(SpeculativeWorld, NoBulletPassesTheSheetOfTheSceneFile) {
    const SceneDescription scene = load_scene(scene_file("bullet_at_sheet"));
    ASSERT_NEAR(scene.time_step, 1.0 / 60, 1e-12);
    const auto simulation = bullet::make_simulation(scene);
    const auto count = static_cast<int>(std::lround(scene.duration / scene.time_step));
    ASSERT_GE(count, 12);
    std::vector<bool> has_touched(scene.bodies.size(), false);
    for (int step = 0; step < count; ++step) {
        simulation->step();
        EXPECT_EQ(figure(*simulation, "unresolved"), 0) << step;
        for (std::size_t i = 1; i < scene.bodies.size(); ++i) {
            const float side = scene.bodies[i].pose.translation.z > 0 ? 1.0f : -1.0f;
            const BodyState& ball = simulation->states()[i];
            ASSERT_GT(ball.pose.translation.z * side, kSheet + kBall - 1e-4f)
                << scene.bodies[i].name << " " << step;
            // It comes at 260 m/s at least, and is thrown back.
            const bool is_back = ball.velocity.z * side > 20;
            has_touched[i] = has_touched[i] || is_back;
        }
    }
    for (std::size_t i = 1; i < scene.bodies.size(); ++i)
        EXPECT_TRUE(has_touched[i]) << scene.bodies[i].name;
}

// What is looked for at an instant misses the sheet.
TEST(SpeculativeWorld, ABulletPassesWhereNobodyLooksAlongItsWay) {
    SceneDescription scene = shot_scene({0, 0, 1}, {0, 0, -300}, 0);
    scene.method = Method::particles;
    const auto simulation = bullet::make_simulation(scene);
    simulation->step();
    EXPECT_LT(simulation->states()[1].pose.translation.z, -1);
}

TEST(SpeculativeWorld, NeedsAMethodThatLooksIntoTheStep) {
    btDefaultCollisionConfiguration configuration(bullet::collision_settings());
    bullet::DispatcherOptions options;
    options.is_speculative = true;
    EXPECT_THAT([&] { bullet::GrazeDispatcher(&configuration, Device::cpu(), options); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("Method::sweep")));
}

TEST(SpeculativeWorld, ABulletBouncesWhereItTouches) {
    for (int i = 0; i < oracle::case_count(10); ++i) {
        const float k = static_cast<float>(i);
        const float height = 0.01f + 0.74f * k;
        const auto simulation =
            bullet::make_simulation(shot_scene({0, 0, height}, {0, 0, -300}, 0.5f));
        float lowest = height;
        for (int step = 0; step < 4; ++step) {
            simulation->step();
            const BodyState& ball = simulation->states()[1];
            lowest = std::min(lowest, ball.pose.translation.z);
            ASSERT_GT(ball.pose.translation.z, kSheet + kBall - 1e-4f) << i << " " << step;
        }
        // It touches before it turns back, with half of its speed, some of which turns it.
        EXPECT_LT(lowest, kSheet + kBall + 3e-4f) << i;
        EXPECT_GT(simulation->states()[1].velocity.z, 125) << i;
        EXPECT_LT(simulation->states()[1].velocity.z, 151) << i;
    }
}

// Looks at every moment between two steps: a ball's centre is never much nearer to a blade than its
// radius. Between steps that are not cut a ball moves straight and the blades turn evenly.
void expect_outside(const Field& blades, const std::vector<BodyState>& before,
                    std::span<const BodyState> after, float radius, float turn) {
    constexpr int kMoments = 32;
    for (int k = 0; k <= kMoments; ++k) {
        const float t = static_cast<float>(k) / kMoments;
        const Quat rotation =
            normalized(Quat::from_axis_angle({0, 0, 1}, turn * t) * before[0].pose.rotation);
        for (std::size_t i = 1; i < after.size(); ++i) {
            const Vec3 from = before[i].pose.translation, to = after[i].pose.translation;
            const Vec3 centre = from + (to - from) * t;
            ASSERT_GT(blades.distance(rotate(conjugate(rotation), centre)), radius * 0.9f)
                << "ball " << i << " at " << t;
        }
    }
}

// 3,000 turns a minute are 300 degrees in a step of 1/60 s, which is cut into parts; each of these
// is looked at, as a step of its own.
TEST(SpeculativeWorld, NoBallPassesThroughASpinningBlade) {
    SceneDescription scene = load_scene(scene_file("spinning_blades"));
    const float radius = 0.012f;  // of a ball
    const float spin = scene.bodies[0].angular_velocity.z;
    ASSERT_NEAR(spin, 3000 * 2 * kPi / 60, 0.1f);
    ASSERT_NEAR(scene.time_step, 1.0 / 60, 1e-12);
    const auto whole = bullet::make_simulation(scene);
    constexpr int kParts = 8;
    scene.time_step /= kParts;
    const auto simulation = bullet::make_simulation(scene);
    const Field& blades = scene.shapes[scene.bodies[0].shape].shape.field();
    double cuts = 0, unresolved = 0;
    for (int step = 0; step < oracle::case_count(24); ++step) {
        for (int part = 0; part < kParts; ++part) {
            const std::vector<BodyState> before(simulation->states().begin(),
                                                simulation->states().end());
            simulation->step();
            ASSERT_NO_FATAL_FAILURE(expect_outside(blades, before, simulation->states(), radius,
                                                   spin * static_cast<float>(scene.time_step)));
            cuts += figure(*simulation, "cuts");
            unresolved += figure(*simulation, "unresolved");
        }
        whole->step();
        ASSERT_EQ(state_hash(whole->states()), state_hash(simulation->states())) << step;
    }
    EXPECT_EQ(cuts, 0);
    EXPECT_EQ(unresolved, 0);
    if (GRAZE_SANITIZED != 0) return;
    int hit = 0;
    for (std::size_t i = 1; i < simulation->states().size(); ++i) {
        const Vec3 v = simulation->states()[i].velocity;
        hit += std::hypot(v.x, v.y) > 5;
    }
    EXPECT_GE(hit, 4);
}

// [rad] Returns the angle about the z axis from one step to the next.
double turned_about_z(const Quat& before, const Quat& after) {
    const Quat d = after * conjugate(before);
    return 2 * std::atan2(double{d.w < 0 ? -d.z : d.z}, std::fabs(double{d.w}));
}

// [rad/s^2] How fast a nut on a bolt spins up by its weight, on threads that lean by 30 degrees:
// its weight does work along the pitch, and friction along the thread's middle takes some of it.
double spin_up(const MassProperties& nut, double pitch, double radius, double friction) {
    const double rise = pitch / (2 * double{kPi});  // [m/rad]
    const double moment = nut.inertia(2, 2) / nut.volume + rise * rise;
    return 9.81 * (rise - friction * radius / std::cos(double{kPi} / 6)) / moment;
}

// By its weight alone, with a friction of 0.01. In free fall it would pass a whole thread in a
// step.
TEST(SpeculativeWorld, ANutNeverSkipsAThreadAt60Hz) {
    GRAZE_NEEDS_DATA("assemblies");
    const auto folder = data_folder() / "assemblies";
    SceneDescription scene = sweep_scene();
    scene.shapes.clear();
    scene.materials[0].density = 7850;
    scene.materials[0].friction = 0.01f;
    const auto add_shape = [&](const char* name, const char* file, int resolution) {
        ShapeOptions options;
        options.field.resolution = resolution;
        options.field.sparse = true;
        options.field.band = 4;
        options.field.sign = FieldSign::winding;
        SceneShape entry{.name = name,
                         .shape = Shape::from_mesh(load_mesh(folder / file), options),
                         .origin = file};
        entry.mass_source = MassSource::field;
        entry.mass = mass_properties(entry.shape.field());
        scene.shapes.push_back(entry);
    };
    add_shape("bolt", "factory_bolt_m20_loose.obj", 256);
    add_shape("nut", "factory_nut_m20_loose_subdiv_3x.obj", 192);
    SceneBody bolt = body_at({0, 0, 0}, 0);
    bolt.motion = BodyMotion::fixed;
    // There the threads are clear of each other.
    const SceneBody nut = body_at({0, 0, 0.02625f}, 1);
    scene.bodies = {bolt, nut};
    scene.detector.gap = 1e-4f;
    scene.solver.iterations = 50;
    const auto simulation = bullet::make_simulation(scene);
    constexpr double kPitch = 0.0025;
    double angle = 0, unresolved = 0, least = 1, most = -1;
    Quat last = simulation->states()[1].pose.rotation;
    const double start = simulation->states()[1].pose.translation.z;
    const int count = GRAZE_SANITIZED != 0 ? 3 : 135;
    for (int step = 0; step < count; ++step) {
        simulation->step();
        const Transform& pose = simulation->states()[1].pose;
        angle += turned_about_z(last, pose.rotation);
        last = pose.rotation;
        // The nut may move up and down by its play, about 0.2 mm.
        const double offset = pose.translation.z - (start + kPitch * angle / (2 * kPi));
        least = std::min(least, offset);
        most = std::max(most, offset);
        ASSERT_GT(offset, -kNutPlay) << step;
        ASSERT_LT(offset, 0) << step;
        unresolved += figure(*simulation, "unresolved");
    }
    EXPECT_EQ(unresolved, 0);
    RecordProperty("turns", std::to_string(angle / (2 * kPi)));
    RecordProperty("offsets", std::to_string(least) + " " + std::to_string(most));
    // What it does not slide down it loses where facets knock, and while it falls onto its thread.
    if (GRAZE_SANITIZED == 0) {
        const double time = count * scene.time_step;
        const MassProperties& mass = *scene.shapes[1].mass;
        EXPECT_LT(angle, -0.6 * spin_up(mass, kPitch, 0.0094, 0.01) * time * time / 2);
        EXPECT_GT(angle, -spin_up(mass, kPitch, 0.0094, 0) * time * time / 2);
    }
}

// The scene file, for 2 s.
TEST(SpeculativeWorld, TheNutOfTheSceneFileSkipsNoThread) {
    const SceneDescription scene = load_scene(scene_file("nut_bolt_60hz"));
    ASSERT_NEAR(scene.time_step, 1.0 / 60, 1e-12);
    const auto simulation = bullet::make_simulation(scene);
    constexpr double kPitch = 0.0025;
    const int count = GRAZE_SANITIZED != 0 ? 3 : 120;
    const double start = simulation->states()[1].pose.translation.z;
    double angle = 0, least = 1, most = -1;
    Quat last = simulation->states()[1].pose.rotation;
    for (int step = 0; step < count; ++step) {
        simulation->step();
        const Transform& pose = simulation->states()[1].pose;
        angle += turned_about_z(last, pose.rotation);
        last = pose.rotation;
        const double offset = pose.translation.z - (start + kPitch * angle / (2 * kPi));
        least = std::min(least, offset);
        most = std::max(most, offset);
        EXPECT_EQ(figure(*simulation, "unresolved"), 0) << step;
    }
    RecordProperty("turns", std::to_string(angle / (2 * kPi)));
    RecordProperty("offsets", std::to_string(least) + " " + std::to_string(most));
    // From one thread to the next it would be a pitch.
    EXPECT_GT(least, -kPitch / 4);
    EXPECT_LT(most, kPitch / 4);
    if (GRAZE_SANITIZED == 0) {
        EXPECT_LT(angle, -1);
    }
}

}  // namespace
}  // namespace graze

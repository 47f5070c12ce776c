// What bounces comes back as high, and leaves as fast, as its restitution says, whatever the step:
// in a Bullet world of the user's own and in scenes.
#include <btBulletDynamicsCommon.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "graze/generate_mesh.h"
#include "graze/names.h"
#include "graze_bullet/graze_dispatcher.h"
#include "tests/oracle/case_count.h"
#include "tests/plugins/bullet/scene_run.h"
#include "tests/plugins/bullet/simulation_scenes.h"

namespace graze {
namespace {

constexpr double kGravity = 9.81;
// [s]
constexpr double kSteps[] = {0.001, 0.002, 0.005, 1.0 / 240, 1.0 / 120, 1.0 / 60};
// [m] A ball's radius and half of a cube's side.
constexpr float kRadius = 0.1f, kHalf = 0.15f;
// How far heights and speeds may be off.
constexpr double kTolerance = 0.02;
// [m] What rounding may add to a height.
constexpr double kGain = 5e-4;

// A world as anyone has it, with all of Bullet's own settings.
struct BounceWorld {
    BounceWorld()
        : configuration(bullet::collision_settings()),
          dispatcher(&configuration, Device::cpu(1)),
          world(&dispatcher, &broadphase, &solver, &configuration),
          ball(Shape::from_field(Field::sphere({0, 0, 0}, kRadius))),
          cube(Shape::from_field(Field::box({kHalf, kHalf, kHalf}))),
          plane(btVector3(0, 0, 1), 0) {
        world.setGravity(btVector3(0, 0, btScalar(-kGravity)));
    }
    ~BounceWorld() {
        for (const auto& body : bodies)
            world.removeRigidBody(body.get());
    }
    btRigidBody& add(btCollisionShape& shape, const btVector3& position, double mass,
                     double restitution) {
        btVector3 inertia(0, 0, 0);
        if (mass > 0) shape.calculateLocalInertia(btScalar(mass), inertia);
        btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), nullptr, &shape, inertia);
        info.m_startWorldTransform.setIdentity();
        info.m_startWorldTransform.setOrigin(position);
        info.m_restitution = btScalar(restitution);
        bodies.push_back(std::make_unique<btRigidBody>(info));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(bodies.back().get());
        return *bodies.back();
    }
    void step(double seconds) { world.stepSimulation(btScalar(seconds), 0); }

    btDefaultCollisionConfiguration configuration;
    bullet::GrazeDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world;
    bullet::GrazeShape ball, cube;
    btStaticPlaneShape plane;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
};

// Follows a height, and keeps how high each bounce goes.
class Tops {
public:
    explicit Tops(double from) : height_(from) { tops_.push_back(from); }
    void see(double height) {
        if (height > height_)
            top_ = std::max(top_, height);
        else if (top_ > 0) {
            tops_.push_back(top_);
            top_ = 0;
        }
        height_ = height;
    }
    const std::vector<double>& all() const { return tops_; }

private:
    double height_, top_ = 0;
    std::vector<double> tops_;
};

// Each bounce must go restitution^2 as high as the one before, as long as there is much to see.
void expect_tops(const std::vector<double>& tops, double restitution, double gain = kGain) {
    constexpr double kMuch = 0.05, kNothing = 0.02;  // [m]
    double expected = tops[0] * restitution * restitution;
    EXPECT_TRUE(tops.size() > 1 || expected < kMuch) << "it never bounced";
    for (std::size_t i = 1; i < tops.size(); ++i) {
        EXPECT_LE(tops[i], tops[i - 1] + gain) << i << " gains energy";
        if (expected < kMuch) {
            EXPECT_LE(tops[i], expected + kNothing) << i;
        } else {
            EXPECT_NEAR(tops[i], expected, kTolerance * expected) << i;
        }
        expected = tops[i] * restitution * restitution;
    }
}

std::string label(double step, double restitution, double from) {
    return "step " + std::to_string(step) + " restitution " + std::to_string(restitution) +
           " from " + std::to_string(from);
}

// [m] It falls from about 2 m, and so meets the ground in any part of a step.
constexpr double kFrom[] = {2, 1.93};

TEST(BounceSpeed, ABallInABulletWorldComesBackAsHighAsItsRestitutionSays) {
    for (const double step : kSteps) {
        for (const double restitution : {1.0, 0.5, 0.0}) {
            for (const double from : kFrom) {
                SCOPED_TRACE(label(step, restitution, from));
                BounceWorld world;
                world.add(world.plane, btVector3(0, 0, 0), 0, 1);
                const btRigidBody& ball = world.add(
                    world.ball, btVector3(0, 0, btScalar(from + double{kRadius})), 1, restitution);
                Tops tops(from);
                for (int i = 0; i < oracle::case_count(static_cast<int>(3.5 / step)); ++i) {
                    world.step(step);
                    tops.see(ball.getWorldTransform().getOrigin().z() - double{kRadius});
                }
                if (GRAZE_SANITIZED == 0) expect_tops(tops.all(), restitution);
            }
        }
    }
}

SceneShape ball_shape() {
    const Mesh mesh = make_sphere(kRadius, 4);
    SceneShape entry{.name = "ball",
                     .shape = Shape::from_mesh(mesh, Field::sphere({0, 0, 0}, kRadius)),
                     .origin = "generated sphere"};
    entry.mass = mass_properties(mesh);
    return entry;
}

SceneDescription ball_scene(Method method, double step, double restitution) {
    SceneDescription scene = empty_scene();
    if (method == Method::rays) {  // which goes by meshes alone
        const Mesh ground = make_terrain({.size = 4, .height = 1e-6f, .cells = 4});
        scene.shapes[0].shape = Shape::from_mesh(ground, scene.shapes[0].shape.field());
    }
    scene.method = method;
    scene.device = Device::cpu(1);
    scene.time_step = step;
    scene.materials[0].restitution = static_cast<float>(restitution);
    scene.shapes.push_back(ball_shape());
    return scene;
}

void expect_scene_bounces(Method method, double step, double restitution, double from,
                          double gain = kGain) {
    SCOPED_TRACE(std::string(name_of(method)) + " " + label(step, restitution, from));
    SceneDescription scene = ball_scene(method, step, restitution);
    scene.bodies = {body_at({0, 0, 0}, 0),
                    body_at({0, 0, static_cast<float>(from + double{kRadius})}, 2)};
    scene.bodies[0].motion = BodyMotion::fixed;
    const auto simulation = bullet::make_simulation(scene);
    Tops tops(from);
    for (int i = 0; i < oracle::case_count(static_cast<int>(3.5 / step)); ++i) {
        simulation->step();
        tops.see(double{simulation->states()[1].pose.translation.z} - double{kRadius});
    }
    if (GRAZE_SANITIZED == 0) expect_tops(tops.all(), restitution, gain);
}

TEST(BounceSpeed, ABallInASceneComesBackAsHighAsItsRestitutionSays) {
    for (const Method method : {Method::particles, Method::sweep}) {
        for (const double step : kSteps) {
            for (const double restitution : {1.0, 0.5, 0.0}) {
                for (const double from : kFrom)
                    expect_scene_bounces(method, step, restitution, from);
            }
        }
    }
}

// The vertices of a ball of triangles are below its middle in turn, so that it begins to spin, and
// a bounce may take of that what the last one gave.
TEST(BounceSpeed, ABallOfTrianglesComesBackAsHighAsItsRestitutionSays) {
    for (const double step : kSteps) {
        for (const double restitution : {1.0, 0.5})
            expect_scene_bounces(Method::rays, step, restitution, kFrom[1], kTolerance * kFrom[1]);
    }
}

// Speeds of two bodies that met head-on, by the conservation of momentum and by what restitution
// says.
struct Speeds {
    double first, second;
};
Speeds after_impact(double mass_1, double speed_1, double mass_2, double speed_2,
                    double restitution) {
    const double together = (mass_1 * speed_1 + mass_2 * speed_2) / (mass_1 + mass_2);
    const double lost = restitution * (speed_1 - speed_2);
    return {together - mass_2 / (mass_1 + mass_2) * lost,
            together + mass_1 / (mass_1 + mass_2) * lost};
}

TEST(BounceSpeed, BallsInABulletWorldExchangeTheirSpeeds) {
    for (const double step : kSteps) {
        for (const double restitution : {1.0, 0.5, 0.0}) {
            for (const double second_mass : {1.0, 3.0}) {
                for (const double apart : {0.5, 0.507}) {
                    SCOPED_TRACE(label(step, restitution, apart));
                    BounceWorld world;
                    world.world.setGravity(btVector3(0, 0, 0));
                    btRigidBody& first =
                        world.add(world.ball, btVector3(btScalar(-apart), 0, 0), 1, restitution);
                    btRigidBody& second =
                        world.add(world.ball, btVector3(btScalar(apart), 0, 0), second_mass, 1);
                    first.setLinearVelocity(btVector3(2, 0, 0));
                    second.setLinearVelocity(btVector3(-1, 0, 0));
                    for (int i = 0; i < static_cast<int>(0.5 / step); ++i)
                        world.step(step);
                    const Speeds expected = after_impact(1, 2, second_mass, -1, restitution);
                    EXPECT_NEAR(first.getLinearVelocity().x(), expected.first, 3 * kTolerance);
                    EXPECT_NEAR(second.getLinearVelocity().x(), expected.second, 3 * kTolerance);
                    const double before = 2 * 2 + second_mass;
                    const double after = first.getLinearVelocity().length2() +
                                         second_mass * second.getLinearVelocity().length2();
                    EXPECT_LE(after, before * (1 + 1e-5));
                }
            }
        }
    }
}

TEST(BounceSpeed, BallsInASceneExchangeTheirSpeeds) {
    for (const Method method : {Method::particles, Method::sweep, Method::rays}) {
        for (const double step : kSteps) {
            for (const double restitution : {1.0, 0.5, 0.0}) {
                SCOPED_TRACE(std::string(name_of(method)) + " " + label(step, restitution, 0.5));
                SceneDescription scene = ball_scene(method, step, restitution);
                scene.gravity = {0, 0, 0};
                scene.bodies = {body_at({-0.5f, 0, 0}, 2), body_at({0.5f, 0, 0}, 2)};
                scene.bodies[0].velocity = {2, 0, 0};
                scene.bodies[1].velocity = {-1, 0, 0};
                const auto simulation = bullet::make_simulation(scene);
                for (int i = 0; i < static_cast<int>(0.5 / step); ++i)
                    simulation->step();
                const Speeds expected = after_impact(1, 2, 1, -1, restitution);
                EXPECT_NEAR(simulation->states()[0].velocity.x, expected.first, 3 * kTolerance);
                EXPECT_NEAR(simulation->states()[1].velocity.x, expected.second, 3 * kTolerance);
            }
        }
    }
}

// A ball that comes down aslant slides while it touches: friction takes its part of the impulse
// from the way and gives it to the spin.
TEST(BounceSpeed, FrictionActsWithTheImpulseOfTheBounce) {
    constexpr double kHeight = 1, kAcross = 4, kFriction = 0.1;
    for (const double step : kSteps) {
        for (const double restitution : {1.0, 0.5, 0.0}) {
            SCOPED_TRACE(label(step, restitution, kHeight));
            BounceWorld world;
            world.add(world.plane, btVector3(0, 0, 0), 0, 1).setFriction(1);
            btRigidBody& ball = world.add(
                world.ball, btVector3(0, 0, btScalar(kHeight + double{kRadius})), 1, restitution);
            ball.setFriction(btScalar(kFriction));
            ball.setLinearVelocity(btVector3(btScalar(kAcross), 0, 0));
            const double down = std::sqrt(2 * kGravity * kHeight);
            // Until just after the impact, before what lies there is rubbed for long.
            while (ball.getLinearVelocity().z() > -down / 2)
                world.step(step);
            while (ball.getLinearVelocity().z() < -2 * kGravity * step)
                world.step(step);
            const double impulse = kFriction * (1 + restitution) * down;
            // What lands within a step has moved on the ground for a part of it.
            const double rubbed = 2 * kFriction * kGravity * step;
            EXPECT_NEAR(ball.getLinearVelocity().x(), kAcross - impulse,
                        kTolerance * kAcross + rubbed);
            EXPECT_NEAR(ball.getAngularVelocity().y() * double{kRadius}, 2.5 * impulse,
                        2.5 * (kTolerance * kAcross + rubbed));
        }
    }
}

// [J/kg] What steps of this time [s] keep of a cube's energy in the air, for each kilogram. (Bullet
// keeps the spin of a body, which is its energy only where its moments are alike.)
double energy_of(const btRigidBody& cube, double step) {
    const double spin = double{cube.getLocalInertia().x()} * cube.getAngularVelocity().length2();
    const double height = double{cube.getWorldTransform().getOrigin().z()} -
                          double{cube.getLinearVelocity().z()} * step / 2;
    return (cube.getLinearVelocity().length2() + spin) / 2 + kGravity * height;
}

TEST(BounceSpeed, ACubeThatBouncesComesToRest) {
    for (const double step : kSteps) {
        for (const double restitution : {0.5, 0.8}) {
            SCOPED_TRACE(label(step, restitution, 0.5));
            BounceWorld world;
            world.add(world.plane, btVector3(0, 0, 0), 0, 1);
            btRigidBody& cube =
                world.add(world.cube, btVector3(0, 0, btScalar(0.7)), 1, restitution);
            btTransform pose = cube.getWorldTransform();
            pose.setRotation(
                btQuaternion(btVector3(1, btScalar(0.5), 0).normalized(), btScalar(0.4)));
            cube.setWorldTransform(pose);
            double least = energy_of(cube, step), growth = 0;
            const int count = oracle::case_count(static_cast<int>(5 / step));
            for (int i = 0; i < count; ++i) {
                world.step(step);
                const double energy = energy_of(cube, step);
                growth = std::max(growth, (energy - least) / kGravity);
                least = std::min(least, energy);
            }
            if (GRAZE_SANITIZED != 0) continue;
            EXPECT_LT(growth, 0.001);  // [m]
            EXPECT_LT(cube.getLinearVelocity().length(), 0.01);
            EXPECT_LT(cube.getAngularVelocity().length(), 0.02);
            EXPECT_NEAR(cube.getWorldTransform().getOrigin().z(), double{kHalf}, 0.002);
        }
    }
}

}  // namespace
}  // namespace graze

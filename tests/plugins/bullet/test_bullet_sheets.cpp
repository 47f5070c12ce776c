// Tests of open triangle meshes of Bullet's, as most levels of games are: bodies rest and roll on
// them, on either side, and no step throws.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "graze/generate_mesh.h"
#include "graze/mesh_io.h"
#include "graze_bullet/speculative_world.h"
#include "tests/needs_data.h"
#include "tests/oracle/case_count.h"
#include "tests/plugins/bullet/bullet_world.h"

namespace graze::bullet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

enum class Winding { up, down, mixed };

btScalar height_at(btScalar x, btScalar y) {
    return btScalar(0.4) * (1 - std::cos(x) * std::cos(y));
}

// Hills over a square of 20 m around the origin, with a hollow in the middle.
std::unique_ptr<btTriangleMesh> make_hills(Winding winding, int up = 2, int cells = 64) {
    auto mesh = std::make_unique<btTriangleMesh>();
    const auto corner = [&](int i, int j) {
        const btScalar x = btScalar(20) * i / cells - 10, y = btScalar(20) * j / cells - 10;
        btVector3 p(0, 0, 0);
        p[(up + 1) % 3] = x;
        p[(up + 2) % 3] = y;
        p[up] = height_at(x, y);
        return p;
    };
    for (int i = 0; i < cells; ++i) {
        for (int j = 0; j < cells; ++j) {
            const btVector3 a = corner(i, j), b = corner(i + 1, j), c = corner(i + 1, j + 1),
                            d = corner(i, j + 1);
            const bool is_up =
                winding == Winding::up || (winding == Winding::mixed && (i + j) % 3 == 0);
            mesh->addTriangle(a, is_up ? b : c, is_up ? c : b);
            mesh->addTriangle(a, is_up ? c : d, is_up ? d : c);
        }
    }
    return mesh;
}

// [m] How far a body of Bullet's default frame is above the hills, at its lowest point.
btScalar clearance(const btRigidBody& body, const Mesh& mesh) {
    btScalar least = 1e9f;
    for (const Vec3& p : mesh.positions) {
        const btVector3 at = body.getWorldTransform() * btVector3(p.x, p.y, p.z);
        least = std::min(least, at.z() - height_at(at.x(), at.y()));
    }
    return least;
}

TEST(BulletSheets, BodiesRestAndRollOnOpenTerrain) {
    GRAZE_NEEDS_DATA("models/bun_zipper.ply");
    Mesh bunny = load_mesh(data_folder() / "models/bun_zipper.ply");
    const Vec3 middle = (bounds(bunny).min + bounds(bunny).max) * 0.5f;
    for (Vec3& p : bunny.positions)
        p = (p - middle) * (0.6f / extent(bounds(bunny)).x);
    Mesh box{{}, {{0, 1, 3}}};  // only its corners are asked for
    for (int i = 0; i < 8; ++i)
        box.positions.push_back({(i & 1) != 0 ? 0.3f : -0.3f, (i & 2) != 0 ? 0.3f : -0.3f,
                                 (i & 4) != 0 ? 0.2f : -0.2f});
    const Mesh ball = make_sphere(0.3f, 4);
    ShapeOptions coarse;
    coarse.field.resolution = 48;
    GrazeShape ball_shape(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.3f)));
    GrazeShape box_shape(graze::Shape::from_field(Field::box({0.3f, 0.3f, 0.2f})));
    GrazeShape bunny_shape(graze::Shape::from_mesh(bunny, coarse));
    for (const Winding winding : {Winding::up, Winding::down, Winding::mixed}) {
        if (GRAZE_SANITIZED != 0 && winding != Winding::mixed) continue;
        SCOPED_TRACE(static_cast<int>(winding));
        const auto hills = make_hills(winding);
        btBvhTriangleMeshShape terrain(hills.get(), true);
        World world;
        world.add(terrain, btVector3(0, 0, 0), 0);
        btRigidBody& rolling = world.add(ball_shape, btVector3(btScalar(1.2), 0, 1), 1);
        btRigidBody& sliding =
            world.add(box_shape, btVector3(btScalar(-2 * 3.14159), btScalar(0.3), 1), 1);
        btRigidBody& heap = world.add(bunny_shape, btVector3(0, btScalar(2 * 3.14159), 1), 1);
        for (btRigidBody* body : {&rolling, &sliding, &heap})
            body->setDamping(btScalar(0.5), btScalar(0.5));
        btScalar least = 1, fastest = 0;
        for (int i = 0; i < 600; ++i) {
            world.step();
            least = std::min(
                {least, clearance(rolling, ball), clearance(sliding, box), clearance(heap, bunny)});
            fastest = std::max(fastest, rolling.getAngularVelocity().length());
        }
        // Nothing sinks in, where it lands by no more than its way in a step.
        EXPECT_GT(least, -std::sqrt(2 * 10 * 0.8) / 60);
        EXPECT_GT(fastest, 2);                                             // the ball rolled down
        EXPECT_LT(rolling.getWorldTransform().getOrigin().length(), 0.6);  // into the hollow
        // A ball goes on rocking on the facets of the hollow.
        EXPECT_LT(std::fabs(rolling.getLinearVelocity().z()), 0.05);
        for (const btRigidBody* body : {&sliding, &heap})
            EXPECT_LT(body->getLinearVelocity().length(), 0.1);
        EXPECT_NEAR(clearance(rolling, ball), 0, 0.03);
        EXPECT_NEAR(clearance(sliding, box), 0, 0.04);
        EXPECT_NEAR(clearance(heap, bunny), 0, 0.04);
        EXPECT_THAT(world.dispatcher.findings(), ElementsAre(HasSubstr("sheet")));
    }
}

// What is below stays below, along each axis.
TEST(BulletSheets, HaveTwoSides) {
    GrazeShape ball(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.3f)));
    for (const int up : {0, 1, 2}) {
        if (GRAZE_SANITIZED != 0 && up != 1) continue;
        const auto hills = make_hills(Winding::up, up, 24);
        btBvhTriangleMeshShape terrain(hills.get(), true);
        World world;
        btVector3 gravity(0, 0, 0);
        gravity[up] = 10;
        world.world.setGravity(gravity);
        world.add(terrain, btVector3(0, 0, 0), 0);
        btVector3 below(0, 0, 0);
        below[(up + 1) % 3] = btScalar(3.14159);  // under a hilltop
        below[up] = btScalar(-0.5);
        btRigidBody& body = world.add(ball, below, 1);
        body.setDamping(btScalar(0.5), btScalar(0.5));
        world.step(480);
        EXPECT_NEAR(body.getWorldTransform().getOrigin()[up], 0.8 - 0.3, 0.04) << up;
        EXPECT_LT(std::fabs(body.getLinearVelocity()[up]), 0.05);
    }
}

// Bodies that are fast, and those that come around the border.
TEST(BulletSheets, LetNothingThroughButAroundTheBorder) {
    btTriangleMesh sheet;
    const btVector3 a(-3, -3, 0), b(3, -3, 0), c(3, 3, 0), d(-3, 3, 0);
    sheet.addTriangle(a, b, c);
    sheet.addTriangle(a, c, d);
    btBvhTriangleMeshShape floor(&sheet, true);
    GrazeShape ball(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.3f)));
    World world;
    world.add(floor, btVector3(0, 0, 0), 0);
    btRigidBody& fast = world.add(ball, btVector3(0, 0, 5), 1);
    fast.setLinearVelocity(btVector3(0, 0, -40));
    world.step(180);
    EXPECT_NEAR(fast.getWorldTransform().getOrigin().z(), 0.3, 0.02);
    // It rolls over the edge, falls, comes back below the floor, and rises against it.
    fast.setLinearVelocity(btVector3(4, 0, 0));
    for (int i = 0; i < 600 && fast.getWorldTransform().getOrigin().z() > -1; ++i)
        world.step();
    EXPECT_LT(fast.getWorldTransform().getOrigin().z(), -1);
    world.world.setGravity(btVector3(0, 0, 0));
    fast.setGravity(btVector3(0, 0, 0));
    fast.setLinearVelocity(btVector3(-6, 0, 0));
    fast.setAngularVelocity(btVector3(0, 0, 0));
    for (int i = 0; i < 600 && fast.getWorldTransform().getOrigin().x() > 0; ++i)
        world.step();
    fast.setLinearVelocity(btVector3(0, 0, 0));
    fast.setGravity(btVector3(0, 0, 10));
    world.step(240);
    EXPECT_NEAR(fast.getWorldTransform().getOrigin().z(), -0.3, 0.02);
}

// The other methods take the triangles of the solids, or points of them.
TEST(BulletSheets, CarryBodiesByEveryMethod) {
    btTriangleMesh sheet;
    const btVector3 a(-1, -1, 0), b(1, -1, 0), c(1, 1, 0), d(-1, 1, 0);
    sheet.addTriangle(a, b, c);
    sheet.addTriangle(a, c, d);
    btBvhTriangleMeshShape floor(&sheet, true);
    ShapeOptions coarse;
    coarse.field.resolution = 32;
    GrazeShape ball(graze::Shape::from_mesh(make_sphere(0.3f, 3), coarse));
    for (const Method method : {Method::rays, Method::sweep}) {
        DispatcherOptions options;
        options.method = method;
        World world(options);
        world.add(floor, btVector3(0, 0, 0), 0);
        const btRigidBody& above = world.add(ball, btVector3(0, 0, btScalar(0.5)), 1);
        world.step(120);
        EXPECT_NEAR(above.getWorldTransform().getOrigin().z(), 0.3, 0.02);
    }
}

// In a SpeculativeWorld a ball stops where it touches the sheet, from above and from below.
TEST(BulletSheets, StopFastBodiesOfASpeculativeWorld) {
    const auto hills = make_hills(Winding::mixed);
    btBvhTriangleMeshShape terrain(hills.get(), true);
    ShapeOptions coarse;
    coarse.field.resolution = 32;
    GrazeShape ball(graze::Shape::from_mesh(make_sphere(0.1f, 3), coarse));
    DispatcherOptions options;
    options.method = Method::sweep;
    options.is_speculative = true;
    options.detector.gap = 0.004f;
    for (const btScalar side : {btScalar(1), btScalar(-1)}) {
        World parts(options);
        SpeculativeWorld world(&parts.dispatcher, &parts.broadphase, &parts.solver,
                               &parts.configuration);
        world.setGravity(btVector3(0, 0, -10 * side));
        btRigidBody ground(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &terrain));
        btVector3 inertia;
        ball.calculateLocalInertia(1, inertia);
        btRigidBody body(btRigidBody::btRigidBodyConstructionInfo(1, nullptr, &ball, inertia));
        btTransform start = btTransform::getIdentity();
        start.setOrigin(btVector3(btScalar(0.3), btScalar(0.2), 4 * side));
        body.setWorldTransform(start);
        body.setInterpolationWorldTransform(start);
        body.setLinearVelocity(btVector3(0, 0, -150 * side));
        body.setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(&ground);
        world.addRigidBody(&body);
        btScalar least = 1e9f;
        for (int i = 0; i < 60; ++i) {
            world.stepSimulation(btScalar(1) / 60, 0);
            const btVector3 at = body.getWorldTransform().getOrigin();
            least = std::min(least, (at.z() - height_at(at.x(), at.y())) * side);
        }
        // The facets and the field's samples are each up to 0.01 m off the hills.
        EXPECT_GT(least, 0.1 - 0.03);
        EXPECT_LT(least, 0.1 + 0.03);
        EXPECT_EQ(world.report().unresolved_count, 0);
        world.removeRigidBody(&body);
        world.removeRigidBody(&ground);
    }
}

// Floors above each other are no single layer: a shell is around all of them.
TEST(BulletSheets, LayersBecomeShells) {
    btTriangleMesh storeys;
    for (const btScalar z : {btScalar(0), btScalar(2)}) {
        const btVector3 a(-3, -3, z), b(3, -3, z), c(3, 3, z), d(-3, 3, z);
        storeys.addTriangle(a, b, c);
        storeys.addTriangle(a, c, d);
    }
    const btVector3 a(-3, -3, 0), b(-3, 3, 0), c(-3, 3, 2), d(-3, -3, 2);
    storeys.addTriangle(a, b, c);
    storeys.addTriangle(a, c, d);
    btBvhTriangleMeshShape building(&storeys, true);
    GrazeShape ball(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.3f)));
    World world;
    world.add(building, btVector3(0, 0, 0), 0);
    const btRigidBody& below = world.add(ball, btVector3(0, 0, 1), 1);
    const btRigidBody& above = world.add(ball, btVector3(0, 0, 3), 1);
    world.step(240);
    // A shell is as thick as three of its voxels, of which 384 make 6 m.
    const double thickness = 3 * 6.0 / 384;
    EXPECT_NEAR(below.getWorldTransform().getOrigin().z(), 0.3 + thickness / 2, 0.02);
    EXPECT_NEAR(above.getWorldTransform().getOrigin().z(), 2.3 + thickness / 2, 0.02);
    EXPECT_THAT(world.dispatcher.findings(), ElementsAre(HasSubstr("shell")));
    // Another body, with a mesh like it, says nothing new.
    btBvhTriangleMeshShape same(&storeys, true);
    world.add(same, btVector3(20, 0, 0), 0);
    world.add(ball, btVector3(20, 0, 1), 1);
    world.step(3);
    EXPECT_EQ(world.dispatcher.findings().size(), 1u);
}

}  // namespace
}  // namespace graze::bullet

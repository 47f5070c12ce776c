// Tests of graze in a Bullet world: all pairs of shapes, manifolds that persist, queries,
// callbacks.
#include <BulletCollision/CollisionShapes/btHeightfieldTerrainShape.h>
#include <LinearMath/btPoolAllocator.h>
#include <btBulletDynamicsCommon.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "graze/error.h"
#include "graze/generate_mesh.h"
#include "tests/oracle/case_count.h"
#include "tests/plugins/bullet/bullet_world.h"

namespace graze::bullet {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

float deepest(const std::vector<btManifoldPoint>& points) {
    float least = 1;
    for (const btManifoldPoint& point : points)
        least = std::min(least, static_cast<float>(point.getDistance()));
    return least;
}

// A shape of Bullet's whose top lies at z = height.
struct Case {
    const char* name;
    std::unique_ptr<btCollisionShape> shape;
    btScalar height;
    float tolerance;  // [m] of what it becomes
};

// A cube of triangles, two a side.
std::unique_ptr<btTriangleMesh> cube_triangles(btScalar h) {
    auto mesh = std::make_unique<btTriangleMesh>();
    const auto corner = [&](int i) {
        return btVector3((i & 1) != 0 ? h : -h, (i & 2) != 0 ? h : -h, (i & 4) != 0 ? h : -h);
    };
    const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                             {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (const auto& f : faces) {
        mesh->addTriangle(corner(f[0]), corner(f[1]), corner(f[2]));
        mesh->addTriangle(corner(f[0]), corner(f[2]), corner(f[3]));
    }
    return mesh;
}

// A ball of graze's is pressed into the top of each of Bullet's shapes by a tenth: one contact is
// there, as deep as that, and points up.
TEST(BulletPlugin, MeetsEveryShapeOfBullet) {
    const auto mesh = cube_triangles(btScalar(0.5));
    auto hull = std::make_unique<btConvexHullShape>();
    for (int i = 0; i < 8; ++i)
        hull->addPoint(
            btVector3((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1) *
            btScalar(0.5));
    btBoxShape child(btVector3(btScalar(0.2), btScalar(0.2), btScalar(0.2)));
    auto compound = std::make_unique<btCompoundShape>();
    for (const btScalar x : {btScalar(-0.1), btScalar(0.1)})
        compound->addChildShape(
            btTransform(btQuaternion::getIdentity(), btVector3(x, 0, btScalar(0.3))), &child);
    const btVector3 ends[2] = {btVector3(btScalar(-0.3), 0, 0), btVector3(btScalar(0.3), 0, 0)};
    const btScalar radii[2] = {btScalar(0.5), btScalar(0.5)};

    std::vector<Case> cases;
    const auto add = [&](const char* name, auto shape, btScalar height, float tolerance) {
        cases.push_back({name, std::move(shape), height, tolerance});
    };
    const btVector3 half(btScalar(0.5), btScalar(0.5), btScalar(0.5));
    add("sphere", std::make_unique<btSphereShape>(btScalar(0.5)), btScalar(0.5), 1e-3f);
    add("box", std::make_unique<btBoxShape>(half), btScalar(0.5), 1e-3f);
    add("capsule", std::make_unique<btCapsuleShapeX>(btScalar(0.5), btScalar(1)), btScalar(0.5),
        1e-3f);
    add("cylinder y", std::make_unique<btCylinderShape>(half), btScalar(0.5), 1e-3f);
    add("cylinder z", std::make_unique<btCylinderShapeZ>(half), btScalar(0.5), 1e-3f);
    add("plane", std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), btScalar(0.5)),
        btScalar(0.5), 1e-3f);
    add("hull", std::move(hull), btScalar(0.5), 0.01f);
    add("two spheres", std::make_unique<btMultiSphereShape>(ends, radii, 2), btScalar(0.5), 0.02f);
    add("triangles", std::make_unique<btBvhTriangleMeshShape>(mesh.get(), true), btScalar(0.5),
        0.01f);
    add("compound", std::move(compound), btScalar(0.5), 1e-3f);

    GrazeShape ball(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.3f)));
    for (const bool ball_first : {true, false}) {
        for (Case& c : cases) {
            SCOPED_TRACE(std::string(c.name) + (ball_first ? ", the ball first" : ""));
            World world;
            const btVector3 above(0, 0, c.height + btScalar(0.2));
            if (ball_first) world.add(ball, above, 1);
            world.add(*c.shape, btVector3(0, 0, 0), 0);
            if (!ball_first) world.add(ball, above, 1);
            world.world.performDiscreteCollisionDetection();
            const auto points = world.points();
            ASSERT_FALSE(points.empty());
            EXPECT_NEAR(deepest(points), -0.1f, c.tolerance + 1e-3f);
            const auto& lowest = *std::min_element(
                points.begin(), points.end(),
                [](const auto& a, const auto& b) { return a.getDistance() < b.getDistance(); });
            // The normal goes from body 1 to body 0, whichever order Bullet asked for.
            const btPersistentManifold& manifold = *world.dispatcher.getManifoldByIndexInternal(0);
            const bool ball_is_0 = manifold.getBody0()->getCollisionShape() == &ball;
            EXPECT_GT(lowest.m_normalWorldOnB.z() * (ball_is_0 ? 1 : -1), 0.99);
            EXPECT_NEAR(lowest.getPositionWorldOnA().z(),
                        ball_is_0 ? c.height - btScalar(0.1) : c.height, c.tolerance + 0.06);
        }
    }
}

TEST(BulletPlugin, ConesStandOnTheirBase) {
    GrazeShape ball(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.3f)));
    btConeShapeZ cone(btScalar(0.5), 1);
    World world;
    world.add(ball, btVector3(0, 0, btScalar(-0.75)), 1);  // the base is at -0.5
    world.add(cone, btVector3(0, 0, 0), 0);
    world.world.performDiscreteCollisionDetection();
    EXPECT_NEAR(deepest(world.points()), -0.05f, 2e-3f);
}

// There is terrain along two axes, and a hull that does not tell its vertices.
TEST(BulletPlugin, MeetsTerrainAndTriangleHulls) {
    GrazeShape ball(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.3f)));
    // The terrain has hills and a hollow in the middle. btScalar is what Bullet means by PHY_FLOAT.
    std::vector<btScalar> heights;
    for (int i = 0; i < 32 * 32; ++i) {
        const double x = i % 32 - 15.5, y = std::floor(i / 32.0) - 15.5;
        heights.push_back(static_cast<btScalar>(-std::cos(x / 3) * std::cos(y / 3)));
    }
    for (const int up : {1, 2}) {
        if (GRAZE_SANITIZED != 0 && up == 1) continue;
        btHeightfieldTerrainShape terrain(32, 32, heights.data(), 1, -1, 1, up, PHY_FLOAT, false);
        World world;
        btVector3 above(0, 0, 0);
        above[up] = btScalar(-0.5);
        world.world.setGravity(above * 20);
        world.add(terrain, btVector3(0, 0, 0), 0);
        const btRigidBody& body = world.add(ball, above, 1);
        world.step(300);
        EXPECT_NEAR(body.getWorldTransform().getOrigin()[up], -0.7, 0.06);
    }
    const auto mesh = cube_triangles(btScalar(0.5));
    btConvexTriangleMeshShape hull(mesh.get());
    World world;
    world.add(hull, btVector3(0, 0, 0), 0);
    const btRigidBody& body = world.add(ball, btVector3(0, 0, btScalar(0.9)), 1);
    world.step(60);
    EXPECT_NEAR(body.getWorldTransform().getOrigin().z(), 0.8 + hull.getMargin(), 0.02);
}

// Children of compounds within compounds are told apart, and queries find them.
TEST(BulletPlugin, MeetsNestedCompounds) {
    btBoxShape box(btVector3(btScalar(0.2), btScalar(0.2), btScalar(0.2)));
    btTransform pose = btTransform::getIdentity();
    btCompoundShape left, right, both;
    left.addChildShape(pose, &box);
    right.addChildShape(pose, &box);
    pose.setOrigin(btVector3(btScalar(-0.22), 0, 0));
    both.addChildShape(pose, &left);
    pose.setOrigin(btVector3(btScalar(0.22), 0, 0));
    both.addChildShape(pose, &right);
    GrazeShape ball(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.3f)));
    World world;
    btRigidBody& compound = world.add(both, btVector3(0, 0, 0), 0);
    btRigidBody& body = world.add(ball, btVector3(0, 0, btScalar(0.45)), 1);
    world.world.performDiscreteCollisionDetection();
    EXPECT_EQ(world.dispatcher.report().pair_count, 2);
    const auto points = world.points();
    for (const int side : {-1, 1}) {
        EXPECT_TRUE(std::any_of(points.begin(), points.end(), [&](const auto& point) {
            return point.getPositionWorldOnA().x() * side > 0;
        }));
    }
    CountContacts found;
    world.world.contactPairTest(&compound, &body, found);
    EXPECT_GT(found.count, 1);
    EXPECT_LT(found.least, -0.03);
    EXPECT_EQ(world.dispatcher.report().pair_count, 2);  // the query changed nothing
}

// The ball does what Bullet's own sphere does, with its contact of one point.
TEST(BulletPlugin, BallsRollAndBounce) {
    GrazeShape ball(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.3f)));
    btSphereShape own(btScalar(0.3));
    btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
    btScalar speeds[2], tops[2];
    for (const bool is_own : {false, true}) {
        btCollisionShape& shape = is_own ? static_cast<btCollisionShape&>(own) : ball;
        World rolls;
        rolls.add(plane, btVector3(0, 0, 0), 0);
        btRigidBody& rolling = rolls.add(shape, btVector3(0, 0, btScalar(0.3)), 10);
        rolling.setLinearVelocity(btVector3(btScalar(0.9), 0, 0));
        rolling.setAngularVelocity(btVector3(0, 3, 0));
        rolls.step(300);
        speeds[is_own] = rolling.getLinearVelocity().x();
        EXPECT_NEAR(rolling.getWorldTransform().getOrigin().y(), 0, 0.02);

        World bounces;
        bounces.add(plane, btVector3(0, 0, 0), 0).setRestitution(1);
        btRigidBody& bouncing = bounces.add(shape, btVector3(0, 0, btScalar(1.3)), 10);
        bouncing.setRestitution(1);
        tops[is_own] = 0;
        for (int i = 0; i < 150; ++i) {
            bounces.step();
            if (i > 60)
                tops[is_own] = std::max(tops[is_own], bouncing.getWorldTransform().getOrigin().z());
        }
        EXPECT_LT(std::fabs(bouncing.getWorldTransform().getOrigin().x()), 0.01);
    }
    EXPECT_NEAR(speeds[0], speeds[1], 0.01);
    EXPECT_NEAR(tops[0], tops[1], 0.02);
}

// Pairs without a GrazeShape stay Bullet's.
TEST(BulletPlugin, LeavesOtherPairsToBullet) {
    btBoxShape box(btVector3(1, 1, 1));
    World world;
    world.add(box, btVector3(0, 0, 0), 0);
    world.add(box, btVector3(0, 0, btScalar(1.99)), 1);
    world.step();
    EXPECT_EQ(world.points().size(), 4u);
    EXPECT_EQ(world.dispatcher.report().pair_count, 0);
    EXPECT_TRUE(world.dispatcher.contacts().empty());
}

// A table on its four legs has a manifold at each, and more points than one could hold.
TEST(BulletPlugin, HasMoreThanFourPoints) {
    Field table = Field::box({1, 1, 0.05f});
    for (const float x : {-0.8f, 0.8f}) {
        for (const float y : {-0.8f, 0.8f})
            table = unite(
                table,
                Field::box({0.1f, 0.1f, 0.4f}).transformed({{x, y, -0.4f}, Quat::identity(), 1}));
    }
    const MassFrame frame = mass_frame(mass_properties(table), 500);
    GrazeShape shape(graze::Shape::from_field(table), frame.body_from_shape);
    btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
    World world;
    world.add(plane, btVector3(0, 0, 0), 0);
    world.add(shape, btVector3(0, 0, btScalar(0.8) - frame.body_from_shape.translation.z),
              frame.mass);
    world.step(30);
    EXPECT_GE(world.dispatcher.getNumManifolds(), 4);
    const auto points = world.points();
    EXPECT_GE(points.size(), 8u);
    for (const btScalar x : {btScalar(-0.8), btScalar(0.8)}) {
        for (const btScalar y : {btScalar(-0.8), btScalar(0.8)}) {
            EXPECT_TRUE(std::any_of(points.begin(), points.end(), [&](const auto& point) {
                const btVector3 at = point.getPositionWorldOnA();
                return std::fabs(at.x() - x) < 0.12 && std::fabs(at.y() - y) < 0.12;
            }));
        }
    }
}

// The points of a box at rest live on, and their impulses carry its weight, which they only can
// where each step begins with those of the last.
TEST(BulletPlugin, PointsAndTheirImpulsesLast) {
    GrazeShape box(graze::Shape::from_field(Field::box({0.5f, 0.5f, 0.5f})));
    btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
    World world;
    world.world.getSolverInfo().m_numIterations = 1;
    world.add(plane, btVector3(0, 0, 0), 0);
    const btRigidBody& body = world.add(box, btVector3(0, 0, btScalar(0.5)), 2);
    world.step(120);
    constexpr int kSteps = 30;
    btScalar impulse = 0;  // of a step, on average: what one has too much the next has too little
    for (int i = 0; i < kSteps; ++i) {
        world.step();
        const auto points = world.points();
        ASSERT_EQ(points.size(), 4u);
        for (const btManifoldPoint& point : points) {
            EXPECT_GT(point.getLifeTime(), 60);
            impulse += point.getAppliedImpulse() / kSteps;
        }
    }
    EXPECT_NEAR(impulse, 2 * 10.0 / 60, 0.01);
    EXPECT_NEAR(body.getWorldTransform().getOrigin().z(), 0.5, 1e-3);
    EXPECT_LT(body.getLinearVelocity().length(), 0.01);
}

// Points that are tracked come from fields, which have no features; those that rays find have.
TEST(BulletPlugin, GivesOnlyWhatIsFoundWhereNothingIsTracked) {
    ShapeOptions coarse;
    coarse.field.resolution = 32;
    const graze::Shape floor =
        graze::Shape::from_mesh(make_terrain({.size = 4, .height = 1e-6f, .cells = 4}), coarse);
    const graze::Shape ring = graze::Shape::from_mesh(make_torus(), coarse);
    for (const bool tracks : {true, false}) {
        DispatcherOptions options;
        options.method = Method::rays;
        options.tracks_points = tracks;
        World world(options);
        GrazeShape floor_shape(floor), ring_shape(ring);
        world.add(floor_shape, btVector3(0, 0, 0), 0);
        world.add(ring_shape, btVector3(0, 0, btScalar(0.149)), 1);
        world.step(5);
        const std::span<const Contact> contacts = world.dispatcher.contacts();
        EXPECT_GT(contacts.size(), 3u);
        const auto tracked_count = std::count_if(
            contacts.begin(), contacts.end(),
            [](const Contact& contact) { return contact.feature_a.kind == FeatureKind::none; });
        EXPECT_EQ(tracked_count > 0, tracks);
    }
}

TEST(BulletPlugin, AnswersQueries) {
    GrazeShape torus(graze::Shape::from_field(Field::torus(0.5f, 0.15f)));
    btSphereShape ball(btScalar(0.1));
    World world;
    btRigidBody& ring = world.add(torus, btVector3(0, 0, 0), 0);
    btRigidBody& in_hole = world.add(ball, btVector3(0, 0, 0), 1);
    btRigidBody& in_tube = world.add(ball, btVector3(btScalar(0.7), 0, 0), 1);
    CountContacts hole, tube, all, near;
    world.world.contactPairTest(&ring, &in_hole, hole);
    EXPECT_EQ(hole.count, 0);
    world.world.contactPairTest(&in_tube, &ring, tube);
    EXPECT_GT(tube.count, 0);
    EXPECT_NEAR(tube.least, -0.05, 0.005);
    world.world.contactTest(&ring, all);
    EXPECT_EQ(all.count, tube.count);
    near.m_closestDistanceThreshold = btScalar(0.3);  // the tube is 0.25 from the ball in the hole
    world.world.contactPairTest(&ring, &in_hole, near);
    EXPECT_GT(near.count, 0);
    EXPECT_NEAR(near.least, 0.25, 0.01);
    // Queries leave nothing behind.
    EXPECT_EQ(world.points().size(), 0u);
}

TEST(BulletPlugin, RaysMeetItsTriangles) {
    GrazeShape torus(graze::Shape::from_mesh(make_torus()));
    World world;
    world.add(torus, btVector3(0, 0, 0), 0);
    const auto hits = [&](btScalar x) {
        const btVector3 from(x, 0, 1), to(x, 0, -1);
        btCollisionWorld::ClosestRayResultCallback result(from, to);
        world.world.rayTest(from, to, result);
        return result.hasHit() ? result.m_hitPointWorld.z() : btScalar(-9);
    };
    EXPECT_NEAR(hits(btScalar(0.5)), 0.15, 0.01);
    EXPECT_EQ(hits(0), -9);
}

int g_started = 0, g_ended = 0;

TEST(BulletPlugin, TellsUsersOfManifolds) {
    gContactStartedCallback = [](btPersistentManifold* const& /*manifold*/) { ++g_started; };
    gContactEndedCallback = [](btPersistentManifold* const& /*manifold*/) { ++g_ended; };
    GrazeShape ball(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.3f)));
    btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
    {
        World world;
        world.add(plane, btVector3(0, 0, 0), 0);
        btRigidBody& body = world.add(ball, btVector3(0, 0, btScalar(0.3)), 1);
        world.step(10);
        EXPECT_EQ(g_started, 1);
        body.setLinearVelocity(btVector3(0, 0, 5));
        world.step(30);
    }
    EXPECT_EQ(g_started, g_ended);
    gContactStartedCallback = nullptr;
    gContactEndedCallback = nullptr;
}

int g_added = 0, g_destroyed = 0;
bool count_added(btManifoldPoint& point, const btCollisionObjectWrapper* /*w0*/, int /*p0*/,
                 int /*i0*/, const btCollisionObjectWrapper* /*w1*/, int /*p1*/, int /*i1*/) {
    if (point.m_userPersistentData == nullptr) {
        point.m_userPersistentData = new int(1);
        ++g_added;
    }
    return true;
}
bool count_destroyed(void* user) {
    delete static_cast<int*>(user);
    ++g_destroyed;
    return true;
}

// What a user attached to a point stays with it, and each is told of its end once.
TEST(BulletPlugin, TellsUsersOfPoints) {
    gContactAddedCallback = count_added;
    gContactDestroyedCallback = count_destroyed;
    g_added = g_destroyed = 0;
    GrazeShape box(graze::Shape::from_field(Field::box({0.5f, 0.4f, 0.3f})));
    btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
    {
        World world;
        btRigidBody& ground = world.add(plane, btVector3(0, 0, 0), 0);
        ground.setCollisionFlags(ground.getCollisionFlags() |
                                 btCollisionObject::CF_CUSTOM_MATERIAL_CALLBACK);
        btRigidBody& body = world.add(box, btVector3(0, 0, btScalar(0.32)), 1);
        world.step(60);
        EXPECT_GE(g_added, 4);
        EXPECT_LT(g_added, 60);  // not anew in every step
        body.setAngularVelocity(btVector3(3, 1, 0));
        body.setLinearVelocity(btVector3(1, 0, 3));
        world.step(200);
    }
    EXPECT_GT(g_destroyed, 4);
    EXPECT_EQ(g_added, g_destroyed);
    gContactAddedCallback = nullptr;
    gContactDestroyedCallback = nullptr;
}

// Bodies that come and go leave nothing behind in the dispatcher, and the right ones collide.
TEST(BulletPlugin, BodiesComeAndGo) {
    GrazeShape ball(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.5f)));
    btBoxShape box(btVector3(btScalar(0.5), btScalar(0.5), btScalar(0.5)));
    btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
    World world;
    world.add(plane, btVector3(0, 0, 0), 0);
    for (int i = 0; i < 300; ++i) {
        btCollisionShape& shape = i % 2 == 0 ? static_cast<btCollisionShape&>(ball) : box;
        world.add(shape, btVector3(0, 0, btScalar(0.49)), 1);
        world.add(ball, btVector3(btScalar(0.9), 0, btScalar(0.49)), 1);
        world.step();
        ASSERT_EQ(world.dispatcher.report().pair_count, i % 2 == 0 ? 3 : 2);
        for (const Contact& contact : world.dispatcher.contacts())
            ASSERT_LT(std::max(contact.body_a, contact.body_b), 100u);
        world.remove_last();
        world.remove_last();
    }
    EXPECT_EQ(world.dispatcher.getNumManifolds(), 0);
}

TEST(BulletPlugin, GroupsAndScalesAreKept) {
    GrazeShape ball(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.5f)));
    World world;
    btRigidBody& a = world.add(ball, btVector3(0, 0, 0), 1);
    btRigidBody& b = world.add(ball, btVector3(btScalar(0.9), 0, 0), 1);
    a.setIgnoreCollisionCheck(&b, true);
    world.world.performDiscreteCollisionDetection();
    EXPECT_EQ(world.dispatcher.report().pair_count, 0);
    a.setIgnoreCollisionCheck(&b, false);
    world.world.performDiscreteCollisionDetection();
    EXPECT_NEAR(deepest(world.points()), -0.1f, 2e-3f);
    ball.setLocalScaling(btVector3(2, 2, 2));
    world.world.performDiscreteCollisionDetection();
    EXPECT_NEAR(deepest(world.points()), -1.1f, 0.02f);
}

TEST(BulletPlugin, SaysWhatIsWrong) {
    btDefaultCollisionConstructionInfo small;
    small.m_useEpaPenetrationAlgorithm = true;
    btDefaultCollisionConfiguration configuration(small);
    if (configuration.getCollisionAlgorithmPool()->getElementSize() <
        collision_settings().m_customCollisionAlgorithmMaxElementSize) {
        EXPECT_THAT([&] { GrazeDispatcher(&configuration, Device::cpu()); },
                    ThrowsMessage<Error>(HasSubstr("collision_settings()")));
    }
    btDefaultCollisionConfiguration large(collision_settings());
    DispatcherOptions options;
    options.patches.max_patches = 0;
    EXPECT_THAT([&] { GrazeDispatcher(&large, Device::cpu(), options); },
                ThrowsMessage<Error>(HasSubstr("max_patches")));
    GrazeShape ball(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.5f)));
    EXPECT_THAT([&] { ball.setLocalScaling(btVector3(1, 2, 1)); },
                ThrowsMessage<Error>(HasSubstr("one scale")));
    EXPECT_THAT([] { mass_frame(MassProperties{}, 1000); },
                ThrowsMessage<Error>(HasSubstr("no volume")));
}

// The frame of a body has the mass of its density and the moments of a box, wherever its mesh lies.
TEST(BulletPlugin, MassFrameIsPrincipal) {
    const Quat turn = normalized(Quat{1, 0.3f, -0.2f, 0.5f});
    const Field box = Field::box({0.5f, 1, 2}).transformed({{3, -1, 2}, turn, 1});
    const MassFrame frame = mass_frame(mass_properties(box), 100, 2);
    const float mass = 100 * 8 * 8;
    EXPECT_NEAR(frame.mass, mass, mass * 0.01f);
    std::vector<float> moments{frame.inertia.x, frame.inertia.y, frame.inertia.z};
    std::sort(moments.begin(), moments.end());
    // These are the moments of a box of 2 x 4 x 8.
    const std::vector<float> expected{mass / 12 * 20, mass / 12 * 68, mass / 12 * 80};
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(moments[i], expected[i], expected[i] * 0.01f);
    const Vec3 centre = transform_point(frame.body_from_shape, Vec3{3, -1, 2});
    EXPECT_LT(length(centre), 0.01f);
}

}  // namespace
}  // namespace graze::bullet

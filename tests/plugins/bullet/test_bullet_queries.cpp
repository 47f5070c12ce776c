// Tests of what a user asks a Bullet world with graze's shapes: rays, sweeps, contacts at a
// distance.
#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "graze/generate_mesh.h"
#include "graze/mesh_io.h"
#include "tests/count_allocations.h"
#include "tests/needs_data.h"
#include "tests/oracle/case_count.h"
#include "tests/plugins/bullet/bullet_world.h"

namespace graze::bullet {
namespace {

// Bullet's own shape of a mesh's triangles.
struct OwnMesh {
    explicit OwnMesh(Mesh triangles) : mesh(std::move(triangles)) {
        btIndexedMesh indexed;
        indexed.m_numTriangles = static_cast<int>(mesh.triangles.size());
        indexed.m_triangleIndexBase = reinterpret_cast<const unsigned char*>(mesh.triangles.data());
        indexed.m_triangleIndexStride = sizeof(mesh.triangles[0]);
        indexed.m_numVertices = static_cast<int>(mesh.positions.size());
        indexed.m_vertexBase = reinterpret_cast<const unsigned char*>(mesh.positions.data());
        indexed.m_vertexStride = sizeof(Vec3);
        indexed.m_vertexType = PHY_FLOAT;
        array.addIndexedMesh(indexed, PHY_INTEGER);
        shape = std::make_unique<btBvhTriangleMeshShape>(&array, true);
    }
    Mesh mesh;
    btTriangleIndexVertexArray array;
    std::unique_ptr<btBvhTriangleMeshShape> shape;
};

btVector3 random_point(std::mt19937& random, btScalar reach) {
    std::uniform_real_distribution<btScalar> side(-reach, reach);
    const btScalar x = side(random), y = side(random), z = side(random);
    return {x, y, z};
}
btTransform random_pose(std::mt19937& random, btScalar reach) {
    const btVector3 axis = random_point(random, 1) + btVector3(btScalar(0.01), 0, 0);
    return btTransform(btQuaternion(axis.normalized(), random_point(random, 3).x()),
                       random_point(random, reach));
}

// Counts the triangles that a ray is given.
struct CountingRay : btTriangleRaycastCallback {
    using btTriangleRaycastCallback::btTriangleRaycastCallback;
    void processTriangle(btVector3* corners, int part, int index) override {
        ++count;
        btTriangleRaycastCallback::processTriangle(corners, part, index);
    }
    btScalar reportHit(const btVector3& /*normal*/, btScalar fraction, int /*part*/,
                       int index) override {
        hits.insert(index);
        least = std::min(least, fraction);
        return 1;  // all hits are wanted
    }
    std::int64_t count = 0;
    std::set<int> hits;
    btScalar least = 1;
};

// A ray is given the triangles along it, not all those of its box, and no hit is lost.
TEST(BulletQueries, RaysAreGivenTheTrianglesAlongThem) {
    const Mesh mesh = make_torus();
    const GrazeShape torus(graze::Shape::from_mesh(mesh));
    OwnMesh own(mesh);
    std::mt19937 random(1);
    std::int64_t count = 0, own_count = 0;
    std::size_t hit_count = 0;
    for (int i = 0; i < oracle::case_count(1000); ++i) {
        const btVector3 from = random_point(random, 1), to = random_point(random, 1);
        btVector3 min = from, max = from;
        min.setMin(to);
        max.setMax(to);
        CountingRay ray(from, to), own_ray(from, to), every(from, to);
        torus.processAllTriangles(&ray, min, max);
        own.shape->performRaycast(&own_ray, from, to);
        own.shape->processAllTriangles(&every, min, max);
        EXPECT_EQ(ray.hits, every.hits) << i;
        EXPECT_EQ(ray.hits, own_ray.hits) << i;
        EXPECT_EQ(ray.least, own_ray.least) << i;
        count += ray.count;
        own_count += own_ray.count;
        hit_count += ray.hits.size();
    }
    EXPECT_GT(hit_count, 0u);
    EXPECT_LE(count, own_count);
    // Who asks for a box gets all of it, even by a callback for rays.
    CountingRay wide(btVector3(-1, 0, 0), btVector3(1, 0, 0));
    torus.processAllTriangles(&wide, btVector3(-2, -2, -2), btVector3(2, 2, 2));
    EXPECT_EQ(wide.count, static_cast<std::int64_t>(mesh.triangles.size()));
}

// Counts the triangles that a sweep is given, and finds the first hit.
struct CountingSweep : btTriangleConvexcastCallback {
    using btTriangleConvexcastCallback::btTriangleConvexcastCallback;
    void processTriangle(btVector3* corners, int part, int index) override {
        ++count;
        btTriangleConvexcastCallback::processTriangle(corners, part, index);
    }
    btScalar reportHit(const btVector3& /*normal*/, const btVector3& /*point*/, btScalar fraction,
                       int /*part*/, int /*index*/) override {
        least = std::min(least, fraction);
        return least;
    }
    std::int64_t count = 0;
    btScalar least = 1;
};

// The box that Bullet gives with a sweep, as btCollisionWorld::objectQuerySingle has it.
struct SweptBox {
    SweptBox(const btConvexShape& shape, const btTransform& from, const btTransform& to) {
        btTransform turned = to;
        turned.setOrigin(btVector3(0, 0, 0));
        shape.getAabb(turned, min, max);
        btVector3 low = from.getOrigin(), high = from.getOrigin();
        low.setMin(to.getOrigin());
        high.setMax(to.getOrigin());
        whole_min = min + low;
        whole_max = max + high;
    }
    btVector3 min, max, whole_min, whole_max;
};

TEST(BulletQueries, SweepsAreGivenTheTrianglesAlongThem) {
    const Mesh mesh = make_torus({.segments = 48, .sides = 16});
    const GrazeShape torus(graze::Shape::from_mesh(mesh));
    OwnMesh own(mesh);
    btBoxShape box(btVector3(btScalar(0.05), btScalar(0.1), btScalar(0.03)));
    std::mt19937 random(2);
    std::int64_t count = 0, box_count = 0;
    int hit_count = 0;
    for (int i = 0; i < oracle::case_count(400); ++i) {
        btTransform from = random_pose(random, 1);
        const btTransform to = random_pose(random, 1);
        if (i % 4 != 0) from.setBasis(to.getBasis());  // most sweeps do not turn
        const SweptBox swept(box, from, to);
        const btTransform& still = btTransform::getIdentity();
        CountingSweep sweep(&box, from, to, still, torus.getMargin()),
            every(&box, from, to, still, torus.getMargin());
        if (i % 10 == 1) sweep.m_convexShapeFrom = every.m_convexShapeFrom = to;  // it stays there
        own.shape->processAllTriangles(&every, btVector3(-9, -9, -9), btVector3(9, 9, 9));
        torus.processAllTriangles(&sweep, swept.whole_min, swept.whole_max);
        EXPECT_EQ(sweep.least, every.least) << i;
        hit_count += sweep.least < 1 ? 1 : 0;
        count += sweep.count;
        CountingSweep in_box(&box, from, to, still, torus.getMargin());
        own.shape->processAllTriangles(&in_box, swept.whole_min, swept.whole_max);
        box_count += in_box.count;
    }
    EXPECT_GT(hit_count, oracle::case_count(100));
    EXPECT_LT(2 * count, box_count);
}

// Both worlds have the same mesh at the same place, one as a GrazeShape, the other as Bullet's own
// shape, alone or within a compound.
TEST(BulletQueries, RaysHitWhatTheyHitOnBulletsOwnMesh) {
    GRAZE_NEEDS_DATA("models/cow.obj");
    Mesh cow = load_mesh(data_folder() / "models/cow.obj");
    const Aabb box = bounds(cow);
    for (Vec3& p : cow.positions)
        p -= (box.min + box.max) * 0.5f;
    const btScalar reach = btScalar(0.6) * length(extent(box));
    for (const bool in_compound : {false, true}) {
        GrazeShape shape(graze::Shape::from_mesh(cow));
        OwnMesh own(cow);
        btCompoundShape compound, own_compound;
        std::mt19937 random(3);
        const btTransform child = random_pose(random, btScalar(0.2));
        compound.addChildShape(child, &shape);
        own_compound.addChildShape(child, own.shape.get());
        World world, own_world;
        world.add(in_compound ? static_cast<btCollisionShape&>(compound) : shape,
                  btVector3(btScalar(0.1), 0, 0), 0);
        own_world.add(in_compound ? static_cast<btCollisionShape&>(own_compound) : *own.shape,
                      btVector3(btScalar(0.1), 0, 0), 0);
        int hit_count = 0;
        for (int i = 0; i < oracle::case_count(1000); ++i) {
            const btVector3 from = random_point(random, reach), to = random_point(random, reach);
            btCollisionWorld::ClosestRayResultCallback hit(from, to), own_hit(from, to);
            btCollisionWorld::AllHitsRayResultCallback all(from, to), own_all(from, to);
            world.world.rayTest(from, to, hit);
            own_world.world.rayTest(from, to, own_hit);
            world.world.rayTest(from, to, all);
            own_world.world.rayTest(from, to, own_all);
            ASSERT_EQ(hit.hasHit(), own_hit.hasHit()) << i;
            ASSERT_EQ(hit.m_closestHitFraction, own_hit.m_closestHitFraction) << i;
            ASSERT_EQ(all.m_hitFractions.size(), own_all.m_hitFractions.size()) << i;
            hit_count += hit.hasHit() ? 1 : 0;
        }
        EXPECT_GT(hit_count, oracle::case_count(100));
    }
}

// What has no end has no triangles either; its surface is found along the ray.
TEST(BulletQueries, RaysHitFieldsWithoutEnd) {
    HeightMap map{{-2, -2, 0}, 0.5f, {9, 9}, {}};
    for (int i = 0; i < 81; ++i)
        map.heights.push_back(0.3f * std::sin(static_cast<float>(i)));
    GrazeShape ground(graze::Shape::from_field(Field::plane({0, 0, 1}, 0.5f)));
    GrazeShape hills(graze::Shape::from_field(Field::height_map(map)));
    std::mt19937 random(6);
    World plane_world, hill_world;
    plane_world.add(ground, btVector3(0, 0, 1), 0);
    hill_world.add(hills, btVector3(0, 0, 0), 0);
    for (int i = 0; i < 200; ++i) {
        btVector3 from = random_point(random, btScalar(1.9)),
                  to = random_point(random, btScalar(1.9));
        from.setZ(btScalar(2) + from.z() / 4);
        to.setZ(btScalar(-2));
        if (i % 2 != 0) std::swap(from, to);  // from inside
        btCollisionWorld::ClosestRayResultCallback hit(from, to);
        plane_world.world.rayTest(from, to, hit);
        ASSERT_TRUE(hit.hasHit()) << i;
        EXPECT_NEAR(hit.m_hitPointWorld.z(), 1.5, 1e-4);
        EXPECT_NEAR(hit.m_hitNormalWorld.z(), i % 2 == 0 ? 1 : -1, 1e-3);
        btCollisionWorld::AllHitsRayResultCallback all(from, to);
        hill_world.world.rayTest(from, to, all);
        ASSERT_EQ(all.m_hitFractions.size() % 2, 1) << i;  // one end is inside, the other is not
        for (int k = 0; k < all.m_hitPointWorld.size(); ++k) {
            const btVector3& p = all.m_hitPointWorld[k];
            EXPECT_NEAR(hills.shape().field().distance({static_cast<float>(p.x()),
                                                        static_cast<float>(p.y()),
                                                        static_cast<float>(p.z())}),
                        0, 1e-3);
        }
        // Nothing is before the first one.
        btScalar first = 1;
        for (int k = 0; k < all.m_hitFractions.size(); ++k)
            first = std::min(first, all.m_hitFractions[k]);
        const bool begins_inside = from.z() < 0;
        for (int k = 0; k < 50; ++k) {
            const btVector3 p = from.lerp(to, first * btScalar(k) / 51);
            const float distance = hills.shape().field().distance(
                {static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(p.z())});
            EXPECT_EQ(distance < 0, begins_inside);
        }
    }
    const btVector3 up(0, 0, 5), far(3, 0, 5);
    btCollisionWorld::ClosestRayResultCallback none(up, far);
    plane_world.world.rayTest(up, far, none);
    EXPECT_FALSE(none.hasHit());
}

// A query with another distance than the last one's finds its detector ready.
TEST(BulletQueries, AskingAtOtherDistancesBuildsNothing) {
    GrazeShape torus(graze::Shape::from_field(Field::torus(0.5f, 0.15f)));
    btSphereShape ball(btScalar(0.1));
    World world;
    btRigidBody& ring = world.add(torus, btVector3(0, 0, 0), 0);
    btRigidBody& in_hole = world.add(ball, btVector3(0, 0, 0), 1);
    const auto count_of = [&](btScalar first, btScalar second) {
        const std::size_t before = allocation_count;
        for (int i = 0; i < 20; ++i) {
            CountContacts found;
            found.m_closestDistanceThreshold = i % 2 == 0 ? first : second;
            world.world.contactPairTest(&ring, &in_hole, found);
            EXPECT_NEAR(found.least, 0.25, 0.01);
        }
        return allocation_count - before;
    };
    count_of(btScalar(0.3), btScalar(1.7));  // buffers grow to what they need
    const std::size_t same =
        count_of(btScalar(0.3), btScalar(0.3)) / 2 + count_of(btScalar(1.7), btScalar(1.7)) / 2;
    EXPECT_LE(count_of(btScalar(0.3), btScalar(1.7)), same);
    EXPECT_LE(count_of(btScalar(0.45), btScalar(1.2)), same);
}

// Each query asks for the mesh; that it is the one that was there before is seen without joining
// its triangles, and that it is another one, too.
TEST(BulletQueries, MeshesAreJoinedOnce) {
    const auto fields = [](float height) {
        auto mesh = std::make_unique<btTriangleMesh>();
        const int cells = 32;
        const auto corner = [&](int i, int j) {
            return btVector3(btScalar(i) / 8 - 2, btScalar(j) / 8 - 2, height);
        };
        for (int i = 0; i < cells; ++i) {
            for (int j = 0; j < cells; ++j) {
                mesh->addTriangle(corner(i, j), corner(i + 1, j), corner(i + 1, j + 1));
                mesh->addTriangle(corner(i, j), corner(i + 1, j + 1), corner(i, j + 1));
            }
        }
        return mesh;
    };
    const auto low = fields(0), high = fields(0.125f);
    std::optional<btBvhTriangleMeshShape> floor(std::in_place, low.get(), true);
    GrazeShape ball(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.25f)));
    World world;
    btRigidBody& ground = world.add(*floor, btVector3(0, 0, 0), 0);
    btRigidBody& body = world.add(ball, btVector3(0, 0, btScalar(0.5)), 1);
    const auto ask = [&] {
        CountContacts found;
        found.m_closestDistanceThreshold = 1;
        world.world.contactPairTest(&ground, &body, found);
        return found.least;
    };
    EXPECT_NEAR(ask(), 0.25, 1e-3);
    const std::size_t before = allocation_count;
    EXPECT_NEAR(ask(), 0.25, 1e-3);
    EXPECT_LT(allocation_count - before, low->getNumTriangles() / 4u);
    floor.emplace(high.get(), true);  // at the same address, as many
    EXPECT_NEAR(ask(), 0.125, 1e-3);
}

// A sampled field knows distances within its box, which goes two samples beyond the surface; a
// query from far away is told how far the surface is, not the box.
TEST(BulletQueries, DistancesFromFarAwayAreThoseOfTheSurface) {
    ShapeOptions coarse;
    coarse.field.resolution = 24;
    // The ball of 0.5 m has samples 4.5 cm apart.
    GrazeShape sampled(graze::Shape::from_mesh(make_sphere(0.5f, 4), coarse));
    const auto other = make_torus({.radius = 0.3f, .tube_radius = 0.1f});
    GrazeShape torus(graze::Shape::from_mesh(other, coarse));
    btSphereShape ball(btScalar(0.1));
    std::mt19937 random(4);
    for (int i = 0; i < 40; ++i) {
        World world;
        btRigidBody& a = world.add(sampled, btVector3(0, 0, 0), 0);
        const btVector3 away = random_point(random, 1).normalized();
        const btScalar distance = btScalar(0.8) + btScalar(0.1) * btScalar(i);
        btRigidBody& b = world.add(ball, away * (distance + btScalar(0.6)), 1);
        CountContacts found;
        found.m_closestDistanceThreshold = distance + btScalar(0.2);
        world.world.contactPairTest(&a, &b, found);
        ASSERT_GT(found.count, 0) << i;
        EXPECT_NEAR(found.least, distance, 5e-3) << i;
        CountContacts none;  // nothing is nearer than it is
        none.m_closestDistanceThreshold = distance - btScalar(0.01);
        world.world.contactPairTest(&a, &b, none);
        EXPECT_EQ(none.count, 0) << i;
        // The torus lies flat above the ball.
        btRigidBody& c = world.add(torus, btVector3(0, 0, distance + btScalar(0.5)), 1);
        CountContacts ring;
        ring.m_closestDistanceThreshold = distance + btScalar(0.5);
        world.world.contactPairTest(&a, &c, ring);
        ASSERT_GT(ring.count, 0) << i;
        const btScalar centre =
            std::sqrt((distance + btScalar(0.5)) * (distance + btScalar(0.5)) + btScalar(0.09));
        EXPECT_NEAR(ring.least, centre - btScalar(0.6), 8e-3) << i;
    }
}

// The distance between the vertices of two meshes, which are close to each other.
btScalar vertex_distance(const Mesh& a, const btTransform& pose_a, const Mesh& b,
                         const btTransform& pose_b) {
    const auto in_world = [](const Mesh& mesh, const btTransform& pose) {
        std::vector<btVector3> points;
        points.reserve(mesh.positions.size());
        for (const Vec3& p : mesh.positions)
            points.push_back(pose * btVector3(p.x, p.y, p.z));
        return points;
    };
    const std::vector<btVector3> points_a = in_world(a, pose_a), points_b = in_world(b, pose_b);
    btScalar least = BT_LARGE_FLOAT;
    for (const btVector3& p : points_a) {
        for (const btVector3& q : points_b)
            least = std::min(least, (p - q).length2());
    }
    return std::sqrt(least);
}

// Shapes with many places that are nearly the closest.
TEST(BulletQueries, DistancesOfKnotsAreThoseOfTheirVertices) {
    ShapeOptions coarse;
    coarse.field.resolution = 40;
    const Mesh knot = make_knot(), torus = make_torus({.segments = 96, .sides = 32});
    GrazeShape knot_shape(graze::Shape::from_mesh(knot, coarse));
    GrazeShape torus_shape(graze::Shape::from_mesh(torus, coarse));
    std::mt19937 random(5);
    for (int i = 0; i < oracle::case_count(30); ++i) {
        World world;
        btRigidBody& a = world.add(knot_shape, btVector3(0, 0, 0), 0);
        btRigidBody& b = world.add(torus_shape, btVector3(0, 0, 0), 1);
        a.setWorldTransform(random_pose(random, btScalar(0.1)));
        btTransform pose = random_pose(random, 1);
        pose.setOrigin(pose.getOrigin().normalized() *
                       (btScalar(1.8) + btScalar(0.1) * btScalar(i)));
        b.setWorldTransform(pose);
        const btScalar distance = vertex_distance(knot, a.getWorldTransform(), torus, pose);
        CountContacts found;
        found.m_closestDistanceThreshold = 5;
        world.world.contactPairTest(&a, &b, found);
        ASSERT_GT(found.count, 0) << i;
        EXPECT_NEAR(found.least, distance, 0.012) << i;
    }
}

}  // namespace
}  // namespace graze::bullet

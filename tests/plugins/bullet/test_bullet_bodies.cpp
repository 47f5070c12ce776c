// Tests of bodies with graze's shapes as users put them into a Bullet world and take them out:
// removed ones, sleeping ones, scripts, ghosts, children of compounds.
#include <BulletCollision/CollisionDispatch/btGhostObject.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "graze/generate_mesh.h"
#include "tests/plugins/bullet/bullet_world.h"

namespace graze::bullet {
namespace {

// Returns how many contacts name the object.
std::ptrdiff_t contact_count(const World& world, const btCollisionObject* object) {
    const GrazeDispatcher& dispatcher = world.dispatcher;
    const std::span<const Contact> contacts = dispatcher.contacts();
    return std::count_if(contacts.begin(), contacts.end(), [&](const Contact& contact) {
        return dispatcher.object(contact.body_a) == object ||
               dispatcher.object(contact.body_b) == object;
    });
}

// The contacts of a body leave with it, those of all others stay.
TEST(BulletBodies, ContactsOfRemovedBodiesAreGone) {
    for (const bool is_speculative : {false, true}) {
        DispatcherOptions options;
        if (is_speculative) {
            options.method = Method::sweep;
            options.is_speculative = true;
        }
        ShapeOptions coarse;
        coarse.field.resolution = 32;
        GrazeShape ball(graze::Shape::from_mesh(make_sphere(0.5f, 2), coarse));
        btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
        World world(options);
        btRigidBody& ground = world.add(plane, btVector3(0, 0, 0), 0);
        for (int i = 0; i < 4; ++i)
            world.add(ball, btVector3(btScalar(0.99) * static_cast<btScalar>(i), 0, btScalar(0.49)),
                      1);
        world.step(2);
        const btCollisionObject* const first = world.bodies[1].get();
        const btCollisionObject* const last = world.bodies.back().get();
        const auto all = static_cast<std::ptrdiff_t>(world.dispatcher.contacts().size());
        const std::ptrdiff_t of_first = contact_count(world, first),
                             of_last = contact_count(world, last);
        ASSERT_GT(of_first, 0);
        ASSERT_GT(of_last, 0);
        world.remove_last();
        EXPECT_EQ(contact_count(world, last), 0);
        EXPECT_EQ(contact_count(world, first), of_first);
        EXPECT_EQ(static_cast<std::ptrdiff_t>(world.dispatcher.contacts().size()), all - of_last);
        // What is left names bodies that live.
        for (const Contact& contact : world.dispatcher.contacts()) {
            for (const std::uint32_t index : {contact.body_a, contact.body_b})
                EXPECT_TRUE(world.dispatcher.object(index)->getCollisionShape() == &ball ||
                            world.dispatcher.object(index) == &ground);
        }
        world.step();
        EXPECT_EQ(contact_count(world, last), 0);
        EXPECT_GT(contact_count(world, first), 0);
        // The ground takes all that is left with it but the contacts between balls.
        world.world.removeCollisionObject(&ground);
        EXPECT_EQ(contact_count(world, &ground), 0);
        EXPECT_GT(world.dispatcher.contacts().size(), 0u);
        world.world.addRigidBody(&ground);
    }
}

// The dispatcher numbers bodies anew where many have come and gone. Pairs that sleep are in no
// dispatch meanwhile; when they end, contacts of others stay.
TEST(BulletBodies, ContactsOfOthersStayWhereSleepersLeave) {
    GrazeShape ball(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.5f)));
    btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
    World world;
    world.add(plane, btVector3(0, 0, 0), 0);
    std::vector<btRigidBody*> sleepers, awake;
    for (int i = 0; i < 3; ++i)
        sleepers.push_back(&world.add(ball, btVector3(btScalar(2 * i), 0, btScalar(0.5)), 1));
    for (int i = 0; i < 3; ++i)
        awake.push_back(&world.add(ball, btVector3(btScalar(2 * i), 5, btScalar(0.5)), 1));
    world.step();
    for (btRigidBody* body : sleepers) {
        ASSERT_GT(contact_count(world, body), 0);
        body->forceActivationState(ISLAND_SLEEPING);
    }
    for (int i = 0; i < 150; ++i) {
        btRigidBody& guest = world.add(ball, btVector3(20, btScalar(2 * i), btScalar(0.5)), 1);
        world.step();
        world.world.removeRigidBody(&guest);
    }
    world.step();
    const std::size_t count = world.dispatcher.contacts().size();
    for (btRigidBody* body : sleepers) {
        ASSERT_EQ(contact_count(world, body), 0);
        world.world.removeRigidBody(body);
        EXPECT_EQ(world.dispatcher.contacts().size(), count);
    }
    for (const btRigidBody* body : awake)
        EXPECT_GT(contact_count(world, body), 0);
    for (btRigidBody* body : sleepers)
        world.world.addRigidBody(body);
}

// A box falls asleep with its manifolds, is left alone while it sleeps, and when something hits it,
// it wakes and its points go on.
TEST(BulletBodies, SleepAndWakeWithTheirManifolds) {
    GrazeShape box(graze::Shape::from_field(Field::box({0.5f, 0.5f, 0.5f})));
    GrazeShape ball(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.3f)));
    btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
    World world;
    world.add(plane, btVector3(0, 0, 0), 0);
    btRigidBody& sleeper = world.add(box, btVector3(0, 0, btScalar(0.5)), 2);
    sleeper.forceActivationState(ACTIVE_TAG);
    world.step(300);
    ASSERT_EQ(sleeper.getActivationState(), ISLAND_SLEEPING);
    ASSERT_EQ(world.points().size(), 4u);
    const int age = world.points()[0].getLifeTime();
    EXPECT_GT(age, 100);  // they are as old as the rest of the box
    const btTransform at_rest = sleeper.getWorldTransform();
    world.step(100);
    EXPECT_EQ(sleeper.getActivationState(), ISLAND_SLEEPING);
    EXPECT_EQ(world.points().size(), 4u);
    EXPECT_EQ(sleeper.getWorldTransform(), at_rest);
    btRigidBody& hitting = world.add(ball, btVector3(btScalar(-1.5), 0, btScalar(0.5)), 2);
    hitting.setLinearVelocity(btVector3(5, 0, 0));
    world.step(20);
    EXPECT_EQ(sleeper.getActivationState(), ACTIVE_TAG);
    EXPECT_GT(sleeper.getWorldTransform().getOrigin().x(), 0.05);
    EXPECT_GT(contact_count(world, &sleeper), 0);
    world.remove_last();
    sleeper.setLinearVelocity(btVector3(0, 0, 0));
    world.step(600);
    EXPECT_EQ(sleeper.getActivationState(), ISLAND_SLEEPING);
    EXPECT_NEAR(sleeper.getWorldTransform().getOrigin().z(), 0.5, 2e-3);
}

// A tower falls asleep as a whole. What hits it then wakes all of it, moves what it meets, and
// nothing goes through anything until the rest sleeps again.
TEST(BulletBodies, ATowerThatSleepsIsHit) {
    constexpr int kCount = 10;
    GrazeShape box(graze::Shape::from_field(Field::box({0.25f, 0.25f, 0.25f})));
    GrazeShape ball(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.2f)));
    btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
    World world;
    btContactSolverInfo& settings = world.world.getSolverInfo();
    settings.m_numIterations = 50;
    settings.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    world.add(plane, btVector3(0, 0, 0), 0);
    std::vector<btRigidBody*> tower;
    for (int i = 0; i < kCount; ++i) {
        tower.push_back(
            &world.add(box, btVector3(0, 0, btScalar(0.25) + btScalar(0.5) * btScalar(i)), 10));
        tower.back()->forceActivationState(ACTIVE_TAG);
    }
    const auto sleeping_count = [&] {
        return std::count_if(tower.begin(), tower.end(), [](const btRigidBody* body) {
            return body->getActivationState() == ISLAND_SLEEPING;
        });
    };
    world.step(300);
    ASSERT_EQ(sleeping_count(), kCount);
    for (int i = 0; i < kCount; ++i)
        EXPECT_NEAR(tower[static_cast<std::size_t>(i)]->getWorldTransform().getOrigin().z(),
                    0.25 + 0.5 * i, 0.01);
    const std::size_t point_count = world.points().size();
    EXPECT_GE(point_count, 4u * kCount);

    btRigidBody& hitting =
        world.add(ball, btVector3(btScalar(-1.5), 0, btScalar(0.25 + 0.5 * 7)), 5);
    hitting.setLinearVelocity(btVector3(10, 0, btScalar(0.8)));
    btScalar deepest = 0;
    int woken_count = 0;
    for (int i = 0; i < 60; ++i) {
        world.step();
        woken_count = std::max(woken_count, static_cast<int>(kCount - sleeping_count()));
        for (const btManifoldPoint& point : world.points()) {
            // The ball arrives as deep as it moves in a step.
            deepest = std::min(deepest, point.getDistance());
        }
    }
    EXPECT_EQ(woken_count, kCount);
    EXPECT_GT(deepest, -10.0 / 60);
    EXPECT_GT(tower[7]->getWorldTransform().getOrigin().x(), 0.1);
    EXPECT_LT(hitting.getLinearVelocity().x(), 5);
    EXPECT_LT(tower[0]->getWorldTransform().getOrigin().length(), 0.26);
    world.remove_last();
    for (int i = 0; i < 900 && sleeping_count() < kCount; ++i)
        world.step();
    EXPECT_EQ(sleeping_count(), kCount);
    for (const btManifoldPoint& point : world.points())
        EXPECT_GT(point.getDistance(), -0.005);
    for (const btRigidBody* body : tower)
        EXPECT_GT(body->getWorldTransform().getOrigin().z(), 0.24);
}

// Two rings in a compound stand on a plane, meet another compound, and each child has its contacts.
TEST(BulletBodies, CompoundsOfGrazeShapes) {
    GrazeShape ring(graze::Shape::from_field(Field::torus(0.5f, 0.15f)));
    btSphereShape knob(btScalar(0.2));
    btCompoundShape pair;
    btTransform pose = btTransform::getIdentity();
    for (const btScalar x : {btScalar(-1), btScalar(1)}) {
        pose.setOrigin(btVector3(x, 0, 0));
        pair.addChildShape(pose, &ring);
    }
    pose.setOrigin(btVector3(0, 0, btScalar(0.2)));
    pair.addChildShape(pose, &knob);
    btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
    World world;
    world.add(plane, btVector3(0, 0, 0), 0);
    btRigidBody& lower = world.add(pair, btVector3(0, 0, btScalar(0.2)), 1);
    btRigidBody& upper = world.add(pair, btVector3(0, 0, btScalar(1.2)), 1);
    upper.setWorldTransform(btTransform(btQuaternion(btVector3(0, 1, 0), btScalar(3.14159265)),
                                        btVector3(0, 0, btScalar(1.2))));
    upper.setInterpolationWorldTransform(upper.getWorldTransform());
    world.step(240);
    EXPECT_NEAR(lower.getWorldTransform().getOrigin().z(), 0.15, 0.01);
    EXPECT_LT(lower.getLinearVelocity().length(), 0.05);
    for (const btScalar x : {btScalar(-1), btScalar(1)}) {
        int near_x = 0;
        for (const btManifoldPoint& point : world.points())
            near_x += std::fabs(point.getPositionWorldOnA().x() - x) < 0.6 ? 1 : 0;
        EXPECT_GE(near_x, 3);
    }
    // A ray and a query find the children.
    const btVector3 low(btScalar(-1.5), 0, -1), high(btScalar(-1.5), 0, 3);
    btCollisionWorld::AllHitsRayResultCallback hits(low, high);
    world.world.rayTest(low, high, hits);
    EXPECT_TRUE(hits.m_collisionObjects.findLinearSearch2(&lower) >= 0);
    CountContacts found;
    found.m_closestDistanceThreshold = btScalar(0.02);
    world.world.contactPairTest(&lower, world.bodies[0].get(), found);
    EXPECT_GE(found.count, 6);
    // The upper one rocks on the knobs, whose contact is Bullet's own.
    for (int i = 0; i < 60 && contact_count(world, &upper) == 0; ++i)
        world.step();
    EXPECT_GT(contact_count(world, &upper), 0);
    world.remove_last();
    EXPECT_EQ(contact_count(world, &upper), 0);
}

// Ghosts tell who touches them and push nobody.
TEST(BulletBodies, GhostsAreTouchedAndDoNotPush) {
    GrazeShape torus(graze::Shape::from_field(Field::torus(0.5f, 0.15f)));
    btSphereShape sphere(btScalar(0.3));
    for (const bool has_own_pairs : {false, true}) {
        for (const bool ghost_is_graze : {false, true}) {
            SCOPED_TRACE(std::to_string(has_own_pairs) + std::to_string(ghost_is_graze));
            World world;
            btGhostPairCallback pairs;
            world.broadphase.getOverlappingPairCache()->setInternalGhostPairCallback(&pairs);
            std::unique_ptr<btGhostObject> ghost =
                has_own_pairs ? std::make_unique<btPairCachingGhostObject>()
                              : std::make_unique<btGhostObject>();
            btCollisionShape& ghost_shape =
                ghost_is_graze ? static_cast<btCollisionShape&>(torus) : sphere;
            btCollisionShape& body_shape =
                ghost_is_graze ? static_cast<btCollisionShape&>(sphere) : torus;
            ghost->setCollisionShape(&ghost_shape);
            ghost->setCollisionFlags(ghost->getCollisionFlags() |
                                     btCollisionObject::CF_NO_CONTACT_RESPONSE);
            ghost->setWorldTransform(btTransform::getIdentity());
            world.world.addCollisionObject(ghost.get());
            btRigidBody& body = world.add(body_shape, btVector3(btScalar(0.5), 0, 3), 1);
            bool was_inside = false;
            for (int i = 0; i < 120; ++i) {
                world.step();
                if (ghost->getNumOverlappingObjects() == 0) continue;
                EXPECT_EQ(ghost->getOverlappingObject(0), &body);
                if (!has_own_pairs) {
                    was_inside |= contact_count(world, ghost.get()) > 0;
                    continue;
                }
                // As character controllers do it.
                auto& own = static_cast<btPairCachingGhostObject&>(*ghost);
                btHashedOverlappingPairCache* cache = own.getOverlappingPairCache();
                world.dispatcher.dispatchAllCollisionPairs(cache, world.world.getDispatchInfo(),
                                                           &world.dispatcher);
                btManifoldArray manifolds;
                for (int k = 0; k < cache->getNumOverlappingPairs(); ++k) {
                    const btBroadphasePair& pair = cache->getOverlappingPairArray()[k];
                    if (pair.m_algorithm != nullptr)
                        pair.m_algorithm->getAllContactManifolds(manifolds);
                }
                for (int m = 0; m < manifolds.size(); ++m)
                    was_inside |= manifolds[m]->getNumContacts() > 0;
            }
            EXPECT_TRUE(was_inside);
            // It fell as freely as if nothing were there.
            EXPECT_NEAR(body.getWorldTransform().getOrigin().x(), 0.5, 1e-4);
            EXPECT_NEAR(body.getLinearVelocity().z(), -20, 0.01);
            world.world.removeCollisionObject(ghost.get());
            EXPECT_EQ(contact_count(world, ghost.get()), 0);
            world.remove_last();
        }
    }
}

// A ghost's pairs are few, and may be dispatched between two steps; what the world's contacts name
// stays.
TEST(BulletBodies, DispatchingAGhostsPairsKeepsTheWorldsBodies) {
    GrazeShape ball(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.5f)));
    btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
    World world;
    btGhostPairCallback pairs;
    world.broadphase.getOverlappingPairCache()->setInternalGhostPairCallback(&pairs);
    world.add(plane, btVector3(0, 0, 0), 0);
    for (int i = 0; i < 100; ++i) {
        const int row = i / 10, column = i % 10;
        world.add(ball, btVector3(btScalar(column * 2), btScalar(row * 2), btScalar(0.49)), 1);
    }
    btPairCachingGhostObject ghost;
    ghost.setCollisionShape(&ball);
    ghost.setCollisionFlags(btCollisionObject::CF_NO_CONTACT_RESPONSE);
    ghost.setWorldTransform(
        btTransform(btQuaternion::getIdentity(), btVector3(btScalar(0.5), 0, btScalar(0.5))));
    world.world.addCollisionObject(&ghost);
    for (int step = 0; step < 3; ++step) {
        world.step();
        const std::vector<Contact> contacts(world.dispatcher.contacts().begin(),
                                            world.dispatcher.contacts().end());
        std::vector<const btCollisionObject*> objects;
        objects.reserve(contacts.size());
        for (const Contact& contact : contacts)
            objects.push_back(world.dispatcher.object(contact.body_b));
        EXPECT_GE(contacts.size(), 100u);
        world.dispatcher.dispatchAllCollisionPairs(
            ghost.getOverlappingPairCache(), world.world.getDispatchInfo(), &world.dispatcher);
        EXPECT_GT(contact_count(world, &ghost), 0);
        EXPECT_LT(world.dispatcher.contacts().size(), 10u);
        for (std::size_t i = 0; i < contacts.size(); ++i)
            ASSERT_EQ(world.dispatcher.object(contacts[i].body_b), objects[i]);
    }
    world.world.removeCollisionObject(&ghost);
}

// Scripts push what is dynamic and are not pushed themselves.
TEST(BulletBodies, KinematicBodiesPush) {
    GrazeShape torus(graze::Shape::from_field(Field::torus(0.5f, 0.15f)));
    GrazeShape ball(graze::Shape::from_field(Field::sphere({0, 0, 0}, 0.3f)));
    btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
    World world;
    world.add(plane, btVector3(0, 0, 0), 0);
    btRigidBody& script = world.add(torus, btVector3(-2, 0, btScalar(0.25)), 0);
    script.setCollisionFlags(btCollisionObject::CF_KINEMATIC_OBJECT);
    script.forceActivationState(DISABLE_DEACTIVATION);
    btDefaultMotionState motion(script.getWorldTransform());
    script.setMotionState(&motion);
    btRigidBody& pushed = world.add(ball, btVector3(0, 0, btScalar(0.3)), 1);
    pushed.forceActivationState(ACTIVE_TAG);
    pushed.setDamping(btScalar(0.3), btScalar(0.3));
    world.step(200);
    EXPECT_EQ(pushed.getActivationState(), ISLAND_SLEEPING);
    for (int i = 1; i <= 180; ++i) {  // to the right, at 1 m/s
        btTransform at = btTransform::getIdentity();
        at.setOrigin(btVector3(btScalar(-2) + btScalar(i) / 60, 0, btScalar(0.25)));
        motion.setWorldTransform(at);
        world.step();
    }
    EXPECT_NEAR(script.getWorldTransform().getOrigin().x(), 1, 1e-4);
    // It was woken, and is in front of the ring: the tube ends at 0.65 and the ball is 0.3 thick.
    EXPECT_GT(pushed.getWorldTransform().getOrigin().x(), 1 + 0.65 + 0.29 - 0.02);
    EXPECT_NEAR(pushed.getWorldTransform().getOrigin().z(), 0.3, 0.02);
    EXPECT_GT(pushed.getLinearVelocity().x(), 0.8);
}

}  // namespace
}  // namespace graze::bullet

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

}  // namespace
}  // namespace graze::bullet

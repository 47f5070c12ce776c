// A Bullet world with graze's dispatcher, for tests.
#pragma once

#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "graze_bullet/graze_dispatcher.h"

namespace graze::bullet {

// A world with graze's dispatcher on the CPU, and all that it is made of.
struct World {
    explicit World(const DispatcherOptions& options = {})
        : configuration(collision_settings()),
          dispatcher(&configuration, Device::cpu(), options),
          world(&dispatcher, &broadphase, &solver, &configuration) {
        world.setGravity(btVector3(0, 0, btScalar(-10)));
    }
    ~World() {
        for (const auto& body : bodies)
            world.removeRigidBody(body.get());
    }

    btRigidBody& add(btCollisionShape& shape, const btVector3& position, btScalar mass) {
        btVector3 inertia(0, 0, 0);
        if (mass > 0) shape.calculateLocalInertia(mass, inertia);
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, &shape, inertia);
        info.m_startWorldTransform.setIdentity();
        info.m_startWorldTransform.setOrigin(position);
        bodies.push_back(std::make_unique<btRigidBody>(info));
        // What never moves sleeps, as in any world, so that nobody looks at it and a sleeper.
        if (mass > 0) bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(bodies.back().get());
        return *bodies.back();
    }
    void remove_last() {
        world.removeRigidBody(bodies.back().get());
        bodies.pop_back();
    }
    void step(int count = 1) {
        for (int i = 0; i < count; ++i)
            world.stepSimulation(btScalar(1) / 60, 0);
    }
    std::vector<btManifoldPoint> points() {
        std::vector<btManifoldPoint> all;
        for (int m = 0; m < dispatcher.getNumManifolds(); ++m) {
            const btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(m);
            for (int i = 0; i < manifold.getNumContacts(); ++i)
                all.push_back(manifold.getContactPoint(i));
        }
        return all;
    }

    btDefaultCollisionConfiguration configuration;
    GrazeDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
};

struct CountContacts : btCollisionWorld::ContactResultCallback {
    btScalar addSingleResult(btManifoldPoint& point, const btCollisionObjectWrapper* /*w0*/,
                             int /*p0*/, int /*i0*/, const btCollisionObjectWrapper* /*w1*/,
                             int /*p1*/, int /*i1*/) override {
        ++count;
        least = std::min(least, point.getDistance());
        return 0;
    }
    int count = 0;
    btScalar least = BT_LARGE_FLOAT;
};

}  // namespace graze::bullet

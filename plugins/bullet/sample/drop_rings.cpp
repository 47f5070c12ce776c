// A plain Bullet world in which graze finds the contacts of concave bodies: rings fall onto a peg
// that stands on the ground, and stay on it. The peg and the ground are Bullet's own shapes.
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdio>
#include <deque>

#include "graze/error.h"
#include "graze/generate_mesh.h"
#include "graze_bullet/graze_dispatcher.h"

namespace {

int run() {
    // The world is Bullet's, but for the dispatcher and what its algorithms need.
    btDefaultCollisionConfiguration configuration(graze::bullet::collision_settings());
    graze::bullet::GrazeDispatcher dispatcher(&configuration, graze::Device::best());
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity(btVector3(0, 0, btScalar(-9.81)));

    // The ground and the peg have Bullet's own shapes.
    btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
    btRigidBody ground(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &plane));
    world.addRigidBody(&ground);
    btCylinderShapeZ cylinder(btVector3(btScalar(0.2), btScalar(0.2), 1));
    btRigidBody peg(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &cylinder));
    peg.setWorldTransform(btTransform(btQuaternion::getIdentity(), btVector3(0, 0, 1)));
    world.addRigidBody(&peg);

    // The rings are concave: a mesh, its distance field, its mass and its bodies.
    const graze::Mesh mesh = graze::make_torus({.radius = 0.5f, .tube_radius = 0.15f});
    const graze::bullet::MassFrame frame =
        graze::bullet::mass_frame(graze::mass_properties(mesh), 1000);
    graze::bullet::GrazeShape ring(graze::Shape::from_mesh(mesh), frame.body_from_shape);
    const btVector3 inertia(frame.inertia.x, frame.inertia.y, frame.inertia.z);
    std::deque<btRigidBody> rings;
    for (int i = 0; i < 4; ++i) {
        btRigidBody::btRigidBodyConstructionInfo info(frame.mass, nullptr, &ring, inertia);
        info.m_startWorldTransform.setRotation(btQuaternion(btVector3(1, 0, 0), btScalar(0.2)));
        info.m_startWorldTransform.setOrigin(btVector3(btScalar(0.1), 0, btScalar(1.5 + 0.6 * i)));
        world.addRigidBody(&rings.emplace_back(info));
    }

    for (int step = 0; step < 300; ++step)
        world.stepSimulation(btScalar(1) / 60, 0);

    int on_peg = 0;
    for (btRigidBody& body : rings) {
        const btVector3 position = body.getWorldTransform().getOrigin();
        std::printf("ring at %6.3f %6.3f %6.3f\n", static_cast<double>(position.x()),
                    static_cast<double>(position.y()), static_cast<double>(position.z()));
        if (std::hypot(position.x(), position.y()) < 0.2 && position.z() > 0.1 && position.z() < 2)
            ++on_peg;
        world.removeRigidBody(&body);
    }
    world.removeRigidBody(&peg);
    world.removeRigidBody(&ground);
    std::printf("%d of %zu rings are on the peg\n", on_peg, rings.size());
    return on_peg == static_cast<int>(rings.size()) ? 0 : 1;
}

}  // namespace

int main() {
    try {
        return run();
    } catch (const graze::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}

// GimpactWorld: a scene in a Bullet world with Bullet's own concave meshes that move,
// btGImpactMeshShape, for comparison. Fixed bodies become the plane z = 0.
#pragma once

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>
#include <BulletCollision/CollisionShapes/btStaticPlaneShape.h>
#include <BulletCollision/CollisionShapes/btTriangleMesh.h>
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <BulletDynamics/ConstraintSolver/btSequentialImpulseConstraintSolver.h>
#include <BulletDynamics/Dynamics/btDiscreteDynamicsWorld.h>

#include <cmath>
#include <memory>
#include <vector>

#include "benchmarks/call_times.h"
#include "benchmarks/ray_world.h"
#include "convert.h"
#include "graze/error.h"
#include "graze/scene_description.h"
#include "graze_bullet/graze_shape.h"

namespace graze {

class GimpactWorld {
public:
    explicit GimpactWorld(const SceneDescription& scene)
        : time_step_(static_cast<btScalar>(scene.time_step)),
          dispatcher_(&configuration_),
          world_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
        btGImpactCollisionAlgorithm::registerAlgorithm(&dispatcher_);
        world_.setGravity(bullet::to_bullet(scene.gravity));
        world_.getSolverInfo().m_numIterations = scene.solver.iterations;
        shapes_.resize(scene.shapes.size());
        for (const SceneBody& body : scene.bodies)
            add(scene, body);
    }
    ~GimpactWorld() {
        for (const auto& body : bodies_)
            world_.removeRigidBody(body.get());
    }
    GimpactWorld(const GimpactWorld&) = delete;
    GimpactWorld& operator=(const GimpactWorld&) = delete;

    // Returns the milliseconds that a step takes.
    double step() {
        return time_call([&] { world_.stepSimulation(time_step_, 0, time_step_); }).wall;
    }
    int pair_count() { return broadphase_.getOverlappingPairCache()->getNumOverlappingPairs(); }
    int contact_count() {
        int count = 0;
        for (int i = 0; i < dispatcher_.getNumManifolds(); ++i)
            count += dispatcher_.getManifoldByIndexInternal(i)->getNumContacts();
        return count;
    }

private:
    // A mesh in the frame of its bodies.
    struct MeshShape {
        bullet::MassFrame frame;
        std::unique_ptr<btTriangleMesh> mesh;
        std::unique_ptr<btGImpactMeshShape> shape;
    };

    const MeshShape& shape_of(const SceneDescription& scene, const SceneBody& body) {
        MeshShape& made = shapes_[body.shape];
        if (made.shape) return made;
        const SceneShape& shape = scene.shapes[body.shape];
        if (!shape.mass || !shape.shape.mesh()) throw Error(shape.name + ": is no solid mesh");
        made.frame = bullet::mass_frame(*shape.mass, scene.materials.at(body.material).density);
        made.mesh = std::make_unique<btTriangleMesh>();
        const Mesh& mesh = *shape.shape.mesh();
        const auto corner = [&](const Triangle& triangle, int k) {
            return bullet::to_bullet(
                transform_point(made.frame.body_from_shape, mesh.positions[triangle[k]]));
        };
        for (const Triangle& triangle : mesh.triangles)
            made.mesh->addTriangle(corner(triangle, 0), corner(triangle, 1), corner(triangle, 2));
        made.shape = std::make_unique<btGImpactMeshShape>(made.mesh.get());
        made.shape->setMargin(btScalar(0.01));
        made.shape->updateBound();
        return made;
    }

    void add(const SceneDescription& scene, const SceneBody& body) {
        const Material& material = scene.materials.at(body.material);
        btCollisionShape* shape = &ground_;
        bullet::MassFrame frame;
        btTransform pose = btTransform::getIdentity();
        if (body.motion == BodyMotion::dynamic) {
            const MeshShape& mesh = shape_of(scene, body);
            shape = mesh.shape.get();
            frame = mesh.frame;
            pose = bullet::to_bullet(body.pose * inverse(frame.body_from_shape));
        }
        btRigidBody::btRigidBodyConstructionInfo info(frame.mass, nullptr, shape,
                                                      bullet::to_bullet(frame.inertia));
        info.m_startWorldTransform = pose;
        info.m_friction = std::sqrt(material.friction);
        info.m_angularDamping = scene.solver.angular_damping;
        bodies_.push_back(std::make_unique<btRigidBody>(info));
        bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
        world_.addRigidBody(bodies_.back().get());
    }

    btScalar time_step_;
    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_;
    btDbvtBroadphase broadphase_;
    btSequentialImpulseConstraintSolver solver_;
    btDiscreteDynamicsWorld world_;
    btStaticPlaneShape ground_{{0, 0, 1}, 0};
    std::vector<MeshShape> shapes_;
    std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

// Steps a scene whose bodies are all there from the start, for so long, and prints means of each
// second. Both worlds have one thread.
inline void compare_with_gimpact(const SceneDescription& scene, double seconds, RayWorld& ours) {
    GimpactWorld gimpact(scene);
    std::printf("%zu bodies, one thread  [ms] a step: %9s %8s %9s | %9s %9s %8s %9s\n",
                scene.bodies.size(), "GImpact", "pairs", "contacts", "graze", "detect", "pairs",
                "contacts");
    const int rate = static_cast<int>(std::lround(1 / scene.time_step));
    for (int second = 0; second < static_cast<int>(seconds); ++second) {
        double theirs = 0, whole = 0, detect = 0;
        for (int step = 0; step < rate; ++step) {
            theirs += gimpact.step() / rate;
            ours.step();
            whole += ours.times().step / rate;
            detect += ours.times().detect / rate;
        }
        std::printf("    after %2d s %32.2f %8d %9d | %9.2f %9.2f %8lld %9lld\n", second + 1,
                    theirs, gimpact.pair_count(), gimpact.contact_count(), whole, detect,
                    static_cast<long long>(ours.report().pair_count),
                    static_cast<long long>(ours.contact_count()));
        std::fflush(stdout);
    }
}

}  // namespace graze

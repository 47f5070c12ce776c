// RayWorld: a scene in a Bullet world whose contacts graze finds by rays, with the options of the
// dispatcher at hand, which bullet::make_simulation does not show.
#pragma once

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletDynamics/ConstraintSolver/btSequentialImpulseConstraintSolver.h>

#include <vector>

#include "benchmarks/call_times.h"
#include "benchmarks/ray_record.h"
#include "convert.h"
#include "simulated_body.h"
#include "timed_world.h"

namespace graze {

struct RayWorldOptions {
    RaysOptions rays;
    // [m] As small as that, the solver learns of a contact when bodies are in each other, as the
    // paper's does.
    float gap = 1e-4f;
    bool tracks_points = false;
    int threads = 0;
};

class RayWorld {
public:
    RayWorld(SceneDescription scene, const RayWorldOptions& options)
        : scene_(without_sleep(std::move(scene))),
          configuration_(bullet::collision_settings()),
          dispatcher_(&configuration_, Device::cpu(options.threads), dispatcher_options(options)),
          world_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
        world_.setGravity(bullet::to_bullet(scene_.gravity));
        // As bullet::make_simulation sets them, which says why; but where bodies touch only once
        // they overlap, all of the overlap is pushed apart without adding to velocities.
        btContactSolverInfo& settings = world_.getSolverInfo();
        settings.m_numIterations = scene_.solver.iterations;
        settings.m_splitImpulse = 1;
        settings.m_erp2 = btScalar(0.1);
        settings.m_splitImpulsePenetrationThreshold = -2 * options.gap;
        settings.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
        bodies_.reserve(scene_.bodies.size());
        for (std::uint32_t i = 0; i < scene_.bodies.size(); ++i)
            bodies_.emplace_back(scene_, i, options.gap / 2);
        is_present_.assign(bodies_.size(), false);
    }
    ~RayWorld() {
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            if (is_present_[i]) world_.removeRigidBody(&bodies_[i].rigid_body());
        }
    }
    RayWorld(const RayWorld&) = delete;
    RayWorld& operator=(const RayWorld&) = delete;

    void step() {
        const auto time_step = static_cast<btScalar>(scene_.time_step);
        milliseconds_ = time_call([&] {
                            add_bodies_due();
                            world_.stepSimulation(time_step, 0, time_step);
                        }).wall;
        ++step_;
    }

    double time() const { return static_cast<double>(step_) * scene_.time_step; }
    std::vector<Transform> poses() const {
        std::vector<Transform> poses;
        poses.reserve(bodies_.size());
        for (std::size_t i = 0; i < bodies_.size(); ++i)
            poses.push_back(is_present_[i] ? bodies_[i].state(true).pose : far_away(i));
        return poses;
    }
    std::int64_t body_count() const {
        return std::count(is_present_.begin(), is_present_.end(), true);
    }
    const StepReport& report() const { return dispatcher_.report(); }
    std::int64_t contact_count() const {
        return static_cast<std::int64_t>(dispatcher_.contacts().size());
    }

    // [ms] Of the last step.
    struct Times {
        double step, broad_phase, gather, detect, manifolds, solve, integrate;
    };
    Times times() const {
        const bullet::GrazeDispatcher::Times& dispatch = dispatcher_.times();
        const bullet::TimedWorld::Times& world = world_.times;
        return {milliseconds_,
                world.broad_phase * 1e3,
                (dispatch.total - dispatch.detect - dispatch.manifolds) * 1e3,
                dispatch.detect * 1e3,
                dispatch.manifolds * 1e3,
                world.solve * 1e3,
                world.integrate * 1e3};
    }

private:
    static SceneDescription without_sleep(SceneDescription scene) {
        scene.solver.sleeps = false;  // pairs of sleeping bodies would not be searched
        return scene;
    }
    static bullet::DispatcherOptions dispatcher_options(const RayWorldOptions& options) {
        bullet::DispatcherOptions result;
        result.method = Method::rays;
        result.detector.gap = options.gap;
        result.detector.rays = options.rays;
        result.detector.reduction.manifold_slack = options.gap / 4;
        result.tracks_points = options.tracks_points;
        return result;
    }
    void add_bodies_due() {
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            if (is_present_[i] || scene_.bodies[i].start_time > time() + scene_.time_step / 2)
                continue;
            world_.addRigidBody(&bodies_[i].rigid_body());
            is_present_[i] = true;
        }
    }

    SceneDescription scene_;
    btDefaultCollisionConfiguration configuration_;
    bullet::GrazeDispatcher dispatcher_;
    btDbvtBroadphase broadphase_;
    btSequentialImpulseConstraintSolver solver_;
    bullet::TimedWorld world_;
    std::vector<bullet::SimulatedBody> bodies_;
    std::vector<bool> is_present_;
    std::int64_t step_ = 0;
    double milliseconds_ = 0;
};

}  // namespace graze

// Records poses of a scene that Bullet simulates with graze, for benchmarks that replay them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "benchmarks/pose_file.h"
#include "graze_bullet/simulation.h"

namespace graze {

struct RecordOptions {
    std::vector<double> times{2, 5, 9.5};  // [s] where runs of steps begin
    int step_count = 24;                   // of each run
};

// Bodies that are still to come are far away, each by itself, so that they touch nothing.
inline Transform far_away(std::size_t body) {
    Transform pose = Transform::identity();
    pose.translation = {1e5f + 1e2f * static_cast<float>(body), 0, 0};
    return pose;
}

inline std::vector<Transform> poses_of(const Simulation& simulation) {
    std::vector<Transform> poses;
    poses.reserve(simulation.states().size());
    for (const BodyState& state : simulation.states())
        poses.push_back(state.is_present ? state.pose : far_away(poses.size()));
    return poses;
}

// The meshes and bodies of a scene, without poses. Throws Error where a shape has no mesh.
inline PoseFile make_pose_file(const SceneDescription& scene) {
    PoseFile file;
    file.scene = scene.name;
    for (const SceneShape& shape : scene.shapes) {
        if (!shape.shape.mesh()) throw Error("shape " + shape.name + " has no mesh");
        file.meshes.push_back(*shape.shape.mesh());
    }
    for (const SceneBody& body : scene.bodies)
        file.bodies.push_back({body.shape, body.motion == BodyMotion::dynamic ? 0u : 1u});
    return file;
}

inline PoseFile record_poses(SceneDescription scene, const RecordOptions& options) {
    scene.solver.sleeps = false;  // pairs of sleeping bodies would not be searched
    PoseFile file = make_pose_file(scene);
    const double time_step = scene.time_step;
    long last_step = 0;
    std::vector<long> firsts;
    for (const double time : options.times) {
        firsts.push_back(std::lround(time / time_step));
        char name[32];
        std::snprintf(name, sizeof(name), "%g s", time);
        file.runs.push_back({name, static_cast<std::uint32_t>(firsts.back()), {}});
        last_step = std::max(last_step, firsts.back() + options.step_count);
    }
    const auto simulation = bullet::make_simulation(std::move(scene));
    for (long step = 1; step < last_step; ++step) {
        simulation->step();
        for (std::size_t run = 0; run < firsts.size(); ++run) {
            if (step >= firsts[run] && step < firsts[run] + options.step_count)
                file.runs[run].steps.push_back(poses_of(*simulation));
        }
        if (step % 30 != 0) continue;
        const StepStatistics& sum = simulation->statistics();
        std::fprintf(stderr, "%6.2f s: %lld pairs, %lld contacts, step %.0f ms\n", sum.time,
                     static_cast<long long>(sum.pair_count),
                     static_cast<long long>(sum.found_count), sum.seconds * 1e3);
    }
    return file;
}

}  // namespace graze

// Runs a scene through Bullet, step by step, into a table: times of a step's parts, what the
// detector did, and how deep bodies are in each other by rays that are all cast anew.
#pragma once

#include <fstream>

#include "benchmarks/ray_variants.h"
#include "benchmarks/ray_world.h"

namespace graze {

struct RunOptions {
    std::string variant = "iterative";
    RayResponse response = RayResponse::reprojected;
    RayWorldOptions world;
    double duration = 0;  // [s] 0: the scene's
    // The sum of ray lengths is taken at every so-many-th step.
    int measure_every = 1;
    // Poses of runs of steps are kept for later, and where they go.
    RecordOptions record{.times = {}, .step_count = 30};
    std::string poses;    // a file, empty: none
    std::string table;    // a CSV file; empty: none
    float threshold = 0;  // [m] where it is not chosen; 0: the default
    bool prints = true;
};

struct RunSums {
    double ray_length = 0;                                                   // [m] of all steps
    double step = 0, detect = 0, solve = 0, manifolds = 0, broad_phase = 0;  // [ms] means
    double last_pairs = 0;
};

// The lengths [m] of all rays from vertices that are inside another body, by casts anew.
class RayLengthMeter {
public:
    explicit RayLengthMeter(const PoseFile& file, int threads)
        : scene_(file.make_scene()), detector_(Method::rays, Device::cpu(threads), options()) {}

    double measure(const std::vector<Transform>& poses) {
        set_poses(scene_, poses);
        double sum = 0;
        for (const Contact& contact : detector_.detect(scene_))
            sum -= static_cast<double>(contact.distance);
        return sum;
    }

private:
    static DetectorOptions options() {
        DetectorOptions options = ray_options("standard");
        options.rays.response = RayResponse::ray;
        return options;
    }

    Scene scene_;
    Detector detector_;
};

inline RunSums run_scene(const SceneDescription& scene, const RunOptions& options) {
    RayWorldOptions world_options = options.world;
    world_options.rays = ray_options(options.variant).rays;
    world_options.rays.response = options.response;
    if (options.threshold > 0) world_options.rays.displacement_threshold = options.threshold;
    PoseFile file = make_pose_file(scene);
    {
        std::vector<Transform> begin;
        for (std::size_t i = 0; i < scene.bodies.size(); ++i)
            begin.push_back(scene.bodies[i].start_time > 0 ? far_away(i) : scene.bodies[i].pose);
        file.runs.push_back({"begin", 0, {begin}});
    }
    RayLengthMeter meter(file, world_options.threads);
    file.runs.clear();
    std::vector<long> firsts;
    for (const double time : options.record.times) {
        firsts.push_back(std::lround(time / scene.time_step));
        char name[32];
        std::snprintf(name, sizeof(name), "%g s", time);
        file.runs.push_back({name, static_cast<std::uint32_t>(firsts.back()), {}});
    }
    RayWorld world(scene, world_options);
    std::ofstream table;
    if (!options.table.empty()) table.open(options.table);
    table << "time_s,bodies,pairs,rays,cast_rays,found,contacts,step_ms,broad_phase_ms,gather_ms,"
             "detect_ms,manifolds_ms,solve_ms,integrate_ms,ray_length_m\n";
    const double duration = options.duration > 0 ? options.duration : scene.duration;
    const long step_count = std::lround(duration / scene.time_step);
    RunSums sums;
    for (long step = 1; step <= step_count; ++step) {
        world.step();
        std::vector<Transform> poses = world.poses();
        const RayWorld::Times t = world.times();
        const StepReport& report = world.report();
        table << world.time() << ',' << world.body_count() << ',' << report.pair_count << ','
              << report.figure("rays") << ',' << report.figure("cast_rays") << ','
              << report.found_count << ',' << world.contact_count() << ',' << t.step << ','
              << t.broad_phase << ',' << t.gather << ',' << t.detect << ',' << t.manifolds << ','
              << t.solve << ',' << t.integrate << ',';
        if (step % options.measure_every == 0) {
            const double length = meter.measure(poses);
            sums.ray_length += length * options.measure_every;
            table << length;
        }
        table << '\n';
        sums.step += t.step / static_cast<double>(step_count);
        sums.detect += t.detect / static_cast<double>(step_count);
        sums.solve += t.solve / static_cast<double>(step_count);
        sums.manifolds += t.manifolds / static_cast<double>(step_count);
        sums.broad_phase += t.broad_phase / static_cast<double>(step_count);
        sums.last_pairs = static_cast<double>(report.pair_count);
        for (std::size_t run = 0; run < firsts.size(); ++run) {
            if (step >= firsts[run] && step < firsts[run] + options.record.step_count)
                file.runs[run].steps.push_back(poses);
        }
        if (step % 60 != 0 || !options.prints) continue;
        table.flush();
        std::fprintf(stderr, "%6.2f s: %lld pairs, %lld contacts, step %.0f ms, detect %.0f ms\n",
                     world.time(), static_cast<long long>(report.pair_count),
                     static_cast<long long>(report.found_count), t.step, t.detect);
    }
    if (!options.poses.empty()) save_poses(options.poses, file);
    if (!options.prints) return sums;
    std::printf("%-34s %-12s %9.0f %12.1f %9.1f %9.1f %9.1f %9.1f %9.1f\n", options.variant.c_str(),
                options.response == RayResponse::reprojected ? "reprojected" : "ray",
                sums.last_pairs, sums.ray_length, sums.step, sums.detect, sums.manifolds,
                sums.solve, sums.broad_phase);
    std::fflush(stdout);
    return sums;
}

inline void print_run_header() {
    std::printf("%-34s %-12s %9s %12s %9s %9s %9s %9s %9s\n", "variant", "response", "pairs",
                "lengths [m]", "step [ms]", "detect", "manifolds", "solve", "broad");
}

}  // namespace graze

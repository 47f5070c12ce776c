// Replays recorded poses through Detector with the method rays, and casts the same rays by Embree.
#pragma once

#include <cstdio>

#include "benchmarks/call_times.h"
#include "benchmarks/embree_rays.h"
#include "benchmarks/pose_file.h"
#include "benchmarks/ray_variants.h"
#include "benchmarks/stage_times.h"

namespace graze {

struct ReplayOptions {
    std::vector<std::string> variants;  // by name
    std::vector<int> thread_counts{1, 2};
    std::string run;     // only runs whose names have this; empty: all
    float gap = 0;       // [m]
    int warm_count = 4;  // steps of each run that are not timed
    int repeats = 1;     // of each run; its fastest counts, step by step
    bool has_stages = false;
    bool has_embree = true;
    bool embree_casts_all = false;  // from all vertices of both bodies of each pair
};

// The milliseconds of each step; of several passes over the run the fastest, step by step, since
// other work on the machine only ever adds.
class StepTimes {
public:
    void add(std::size_t step, double milliseconds) {
        if (step >= times_.size()) times_.resize(step + 1, 1e30);
        times_[step] = std::min(times_[step], milliseconds);
    }
    double mean(int warm_count) const {
        const auto warm = std::min(static_cast<std::size_t>(warm_count),
                                   times_.size() > 1 ? times_.size() - 1 : 0);
        return mean_of({times_.begin() + static_cast<std::ptrdiff_t>(warm), times_.end()});
    }
    double worst(int warm_count) const {
        const auto warm = std::min(static_cast<std::size_t>(warm_count),
                                   times_.size() > 1 ? times_.size() - 1 : 0);
        return *std::max_element(times_.begin() + static_cast<std::ptrdiff_t>(warm), times_.end());
    }

private:
    std::vector<double> times_;
};

struct ReplayLine {
    double mean = 0, worst = 0;                        // [ms] a step, by the clock
    double cpu = 0;                                    // [ms] a step, of all threads together
    double pairs = 0, rays = 0, casts = 0, found = 0;  // means
};

inline void print_replay_header() {
    std::printf("%-34s %3s %9s %9s %9s %8s %10s %10s %9s\n", "[ms] a step", "thr", "mean", "worst",
                "cpu", "pairs", "rays", "cast anew", "contacts");
}
inline void print_replay_line(const std::string& name, int threads, const ReplayLine& line) {
    std::printf("%-34s %3d %9.3f %9.3f %9.3f %8.0f %10.0f %10.0f %9.0f\n", name.c_str(), threads,
                line.mean, line.worst, line.cpu, line.pairs, line.rays, line.casts, line.found);
    std::fflush(stdout);
}

inline ReplayLine replay_run(Scene& scene, const PoseRun& run, const std::string& variant,
                             int threads, const ReplayOptions& options) {
    StepTimes times, cpu_times;
    StageTimes stages;
    ReplayLine line;
    for (int repeat = 0; repeat < options.repeats; ++repeat) {
        Detector detector(Method::rays, Device::cpu(threads), ray_options(variant, options.gap));
        detector.set_timing(options.has_stages);
        detector.prepare(scene);
        line.pairs = line.rays = line.casts = line.found = 0;
        int count = 0;
        for (std::size_t step = 0; step < run.steps.size(); ++step) {
            set_poses(scene, run.steps[step]);
            const CallTime time = time_call([&] { detector.detect(scene); });
            times.add(step, time.wall);
            cpu_times.add(step, time.cpu);
            if (static_cast<int>(step) < options.warm_count) continue;
            const StepReport& report = detector.report();
            if (options.has_stages) stages.add(report.stages, time.wall);
            line.pairs += static_cast<double>(report.pair_count);
            line.rays += report.figure("rays");
            line.casts += report.figure("cast_rays");
            line.found += static_cast<double>(report.found_count);
            ++count;
        }
        for (double* sum : {&line.pairs, &line.rays, &line.casts, &line.found})
            *sum /= std::max(count, 1);
    }
    line.mean = times.mean(options.warm_count);
    line.worst = times.worst(options.warm_count);
    line.cpu = cpu_times.mean(options.warm_count);
    print_replay_line(variant, threads, line);
    if (options.has_stages) stages.print();
    return line;
}

// The rays of a step's vertices in the intersections of boxes, or of all vertices, in the frames of
// their targets, by Embree: rtcIntersect1 for each. Only the casts are timed.
inline ReplayLine replay_by_embree(Scene& scene, const PoseRun& run, const PoseFile& file,
                                   int threads, const ReplayOptions& options) {
    EmbreeRays embree(file.meshes);
    StepTimes times, cpu_times;
    ReplayLine line;
    int count = 0;
    // A few of the steps suffice: each is cast from nothing.
    for (std::size_t step = static_cast<std::size_t>(options.warm_count); step < run.steps.size();
         step += 4) {
        set_poses(scene, run.steps[step]);
        embree.gather(scene, file, options.embree_casts_all);
        for (int repeat = 0; repeat < 1 + options.repeats; ++repeat) {
            const CallTime time = time_call([&] { embree.cast(threads); });
            times.add(static_cast<std::size_t>(count), time.wall);
            cpu_times.add(static_cast<std::size_t>(count), time.cpu);
        }
        line.pairs += static_cast<double>(embree.pair_count());
        line.rays += static_cast<double>(embree.ray_count());
        line.found += static_cast<double>(embree.hit_count());
        ++count;
    }
    for (double* sum : {&line.pairs, &line.rays, &line.found})
        *sum /= std::max(count, 1);
    line.casts = line.rays;
    line.mean = times.mean(0);
    line.worst = times.worst(0);
    line.cpu = cpu_times.mean(0);
    print_replay_line(options.embree_casts_all ? "Embree, all vertices" : "Embree, casts alone",
                      threads, line);
    return line;
}

inline void replay(const PoseFile& file, const ReplayOptions& options) {
    Scene scene = file.make_scene();
    std::vector<std::string> variants = options.variants;
    if (variants.empty()) variants = {"standard", "iterative"};
    for (const PoseRun& run : file.runs) {
        if (run.name.find(options.run) == std::string::npos) continue;
        if (run.steps.size() <= static_cast<std::size_t>(options.warm_count)) {
            std::printf("\n%s at %s: left out, %zu steps are too few to time one after %d\n",
                        file.scene.c_str(), run.name.c_str(), run.steps.size(), options.warm_count);
            continue;
        }
        std::printf("\n%s at %s: %zu bodies, %zu steps, the first %d not counted\n",
                    file.scene.c_str(), run.name.c_str(), file.bodies.size(), run.steps.size(),
                    options.warm_count);
        print_replay_header();
        for (const int threads : options.thread_counts) {
            for (const std::string& variant : variants)
                replay_run(scene, run, variant, threads, options);
            if (options.has_embree) replay_by_embree(scene, run, file, threads, options);
        }
    }
}

}  // namespace graze

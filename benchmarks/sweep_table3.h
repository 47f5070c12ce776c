// Table 3 of the paper on points against fields: 1,000 random motions of a body through the space
// around a copy of itself, point by point and by the tree of spheres.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "benchmarks/call_times.h"
#include "benchmarks/sweep_pairs.h"
#include "parallel/cpu_executor.h"

namespace graze {

struct Table3Options {
    std::size_t pose_count = 1000;
    // The linear search is timed on every so-many-th motion, and the time multiplied.
    std::size_t linear_stride = 1;
    int resolution = 1024;
    std::string model;  // only this one; all where it is empty
};

// Compares the hits of a side with the times of all its points.
struct HitComparison {
    std::int64_t hit_count = 0;    // of the linear search
    std::int64_t differing = 0;    // points that only one of the searches finds
    float largest_difference = 0;  // of times

    void add(const float* times, std::int64_t point_count, const SweptPoint* begin,
             const SweptPoint* end) {
        for (std::int64_t i = 0; i < point_count; ++i) {
            const bool is_found = begin != end && begin->point == static_cast<std::uint64_t>(i);
            const bool is_hit = times[i] <= 1;
            hit_count += is_hit ? 1 : 0;
            differing += is_hit != is_found ? 1 : 0;
            if (is_hit && is_found) {
                largest_difference =
                    std::max(largest_difference, std::fabs(times[i] - begin->time));
            }
            if (is_found) ++begin;
        }
    }
};

inline double linear_seconds(int thread_count, const SweepPairs<CpuExecutor>& pairs,
                             std::size_t pose_count, std::size_t stride,
                             HitComparison& comparison) {
    CpuExecutor executor(thread_count);
    std::vector<float> times;
    double milliseconds = 0;
    for (std::size_t p = 0; p < pose_count; p += stride) {
        const auto pair = static_cast<std::int64_t>(p);
        const SweptSide& side = *pairs.side(pair);
        const std::int64_t point_count = side.tree.point_count;
        times.resize(side.tree.point_count);
        milliseconds +=
            time_call([&] {
                executor.for_each("linear", point_count, FirstTimeOfPoint{side, times.data()});
            }).wall;
        const std::uint64_t* offsets = pairs.found().offsets.data() + pairs.side_index(pair);
        const SweptPoint* found = pairs.found().points.data();
        comparison.add(times.data(), point_count, found + offsets[0], found + offsets[1]);
    }
    const double timed = static_cast<double>((pose_count + stride - 1) / stride);
    return milliseconds * 1e-3 * static_cast<double>(pose_count) / timed;
}

// Returns false where the two searches differ in more than one hit of 100,000: paths that only
// touch may count as one or the other, by rounding.
inline bool print_table_3_row(const PaperModel& paper, const Table3Options& options) {
    const auto model = load_sweep_model(paper, options.resolution, Device::cpu());
    if (!model) return true;
    bool agrees = true;
    const std::vector<PosePair> poses =
        random_pose_pairs(options.pose_count, model->box, centre(model->box));
    double tree[2] = {}, linear[2] = {};
    for (const int threads : {1, 2}) {
        CpuExecutor executor(threads);
        SweepPairs<CpuExecutor> pairs(executor, executor.memory(), *model, poses);
        pairs.settle();
        tree[threads - 1] = time_calls(0, 3, [&] { pairs.settle(); }).median().wall * 1e-3;
        HitComparison comparison;
        linear[threads - 1] =
            linear_seconds(threads, pairs, poses.size(), options.linear_stride, comparison);
        const auto point_count = static_cast<double>(pairs.side(0)->tree.point_count);
        const auto hits = static_cast<double>(pairs.hit_count());
        const StepReport report = pairs.report();
        std::printf(
            "%-10s %7.0f %2d | %9.2f %9.3f %6.1fx | %6.1f %6.1f %6.1fx | %9.0f %5.2f%% %10.0f "
            "%10.0f\n",
            paper.name, point_count, threads, linear[threads - 1], tree[threads - 1],
            linear[threads - 1] / tree[threads - 1], paper.random_linear, paper.random_tree,
            paper.random_linear / paper.random_tree, hits,
            100 * hits / (point_count * static_cast<double>(poses.size())),
            report.figure("sweep_nodes"), report.figure("sweep_points"));
        std::printf("%31s same hits but for %lld of %lld; times within %.1e\n", "",
                    static_cast<long long>(comparison.differing),
                    static_cast<long long>(comparison.hit_count), comparison.largest_difference);
        std::fflush(stdout);
        agrees = agrees && comparison.differing * 100000 <= comparison.hit_count;
    }
    if (!agrees) std::printf("%-10s the searches DIFFER\n", paper.name);
    return agrees;
}

inline bool print_table_3(const Table3Options& options) {
    std::printf(
        "table 3: %zu random motions in three times the field's box, %d^3 sparse, straight paths, "
        "first times [s]\n",
        options.pose_count, options.resolution);
    std::printf("%-10s %7s %2s | %9s %9s %7s | %6s %6s %7s | %9s %6s %10s %10s\n", "", "points",
                "th", "linear", "tree", "", "paper", "tree", "", "hits", "", "nodes", "candidates");
    bool agrees = true;
    for (const PaperModel& paper : kPaperModels) {
        if (!options.model.empty() && options.model != paper.name) continue;
        agrees = print_table_3_row(paper, options) && agrees;
    }
    return agrees;
}

}  // namespace graze

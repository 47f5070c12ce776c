// Finds the triangles that intersect in frames of cloth, beside CGAL's self_intersections in the
// same run.
//
//     bench_intersections [FRAME ...]      by default one frame of each sequence of the data folder
#include <cstdio>
#include <string>

#include "benchmarks/cgal_intersections.h"
#include "benchmarks/deforming_sequences.h"
#include "benchmarks/stage_times.h"
#include "geometry/self_intersections.h"
#include "graze/error.h"
#include "parallel/cpu_executor.h"

namespace graze {
namespace {

constexpr int kWarmCount = 3;
constexpr int kTimedCount = 11;

template <class Work>
CallTime fastest(const Work& work) {
    return time_calls(kWarmCount, kTimedCount, work).fastest();
}

void print_row(const std::string& name, const CallTime& time, std::size_t pair_count) {
    std::printf("  %-46s %8.2f ms wall %8.2f ms cpu  %zu pairs\n", name.c_str(), time.wall,
                time.cpu, pair_count);
}

// Times everything from positions to segments, and its stages.
void measure_detector(const Mesh& mesh, int thread_count, const std::string& name) {
    DeformingDetector detector({.vertex_count = static_cast<std::int64_t>(mesh.positions.size()),
                                .triangles = mesh.triangles},
                               Device::cpu(thread_count));
    std::size_t count = 0;
    const CallTime time =
        fastest([&] { count = detector.find_intersections(mesh.positions).size(); });
    print_row(name, time, count);
    detector.set_timing(true);
    StageTimes stages;
    for (int i = 0; i < kTimedCount; ++i) {
        detector.find_intersections(mesh.positions);
        stages.add(detector.report().stages);
    }
    stages.print();
    std::printf("      of %lld candidates\n",
                static_cast<long long>(detector.report().element_pair_count));
}

void measure(const std::string& file) {
    const Mesh mesh = load_mesh(file);
    std::printf("%s: %zu triangles\n", file.c_str(), mesh.triangles.size());
    for (const int thread_count : {1, 2}) {
        const std::string threads =
            ", " + std::to_string(thread_count) + (thread_count == 1 ? " thread" : " threads");
        measure_detector(mesh, thread_count, "graze" + threads);
        CpuExecutor executor(thread_count);
        std::size_t count = 0;
        const CallTime fused =
            fastest([&] { count = find_self_intersections(executor, mesh).size(); });
        print_row("graze, for reports (binary tree, no segments)" + threads, fused, count);
    }
    const CgalIntersections cgal(mesh.positions, mesh.triangles);
    for (const int thread_count : {1, 2}) {
        std::size_t count = 0;
        const CallTime time = fastest([&] { count = cgal.find(thread_count); });
        print_row(thread_count == 1 ? "CGAL self_intersections, sequential"
                                    : "CGAL self_intersections, parallel, 2 threads",
                  time, count);
    }
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    std::vector<std::string> files(argv + 1, argv + argc);
    if (files.empty()) files = graze::first_frames();
    try {
        for (const std::string& file : files)
            graze::measure(file);
    } catch (const graze::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}

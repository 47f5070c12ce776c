// Finds the triangles that intersect in frames of cloth on the GPU, timed by events: tree, pairs,
// decision.
//
//     bench_intersections_cuda [FRAME ...]      by default one frame of each sequence of the data
//                                               folder
#include <cstdio>
#include <string>

#include "benchmarks/cuda_timing.h"
#include "benchmarks/deforming_sequences.h"
#include "benchmarks/stage_times.h"
#include "geometry/bvh/triangle_bvh.h"
#include "graze/error.h"
#include "narrow_phase/features/triangle_intersections.h"
#include "parallel/upload.h"

namespace graze {
namespace {

template <class T>
void measure_decision(CudaExecutor& executor, const std::vector<Vec3T<T>>& host_positions,
                      const Buffer<Triangle>& triangles, const BvhPairs& pairs, const char* name) {
    const auto positions = upload(executor, host_positions);
    TriangleIntersectionSearch search(executor.memory());
    const auto decide = [&] {
        search.begin(triangles.size());
        add_triangle_candidates(executor, positions.data(), triangles.data(), pairs.pairs.data(),
                                pairs.pairs.size(), search);
        finish_triangle_intersections(executor, positions.data(), triangles.data(), search);
    };
    const double milliseconds = median_milliseconds(executor, decide);
    std::printf("  decision, %s: %8.3f ms, %lld of %lld candidates\n", name, milliseconds,
                static_cast<long long>(search.found.size()),
                static_cast<long long>(pairs.pairs.size()));
    for (const TraceEntry& entry : trace_call(executor, decide))
        std::printf("      %-32s %8.3f\n", entry.name, 1e3 * entry.seconds);
}

void measure(const std::string& file) {
    const Mesh mesh = load_mesh(file);
    std::printf("%s: %zu triangles\n", file.c_str(), mesh.triangles.size());
    CudaExecutor executor;
    const auto positions = upload(executor, mesh.positions);
    const auto triangles = upload(executor, mesh.triangles);
    TriangleBvh bvh(executor.memory());
    BvhPairs pairs(executor.memory());
    const double search = median_milliseconds(executor, [&] {
        build_triangle_bvh(executor, positions.data(), triangles.data(), triangles.size(),
                           BvhQuality::fast, bvh);
        find_self_overlaps(executor, bvh.tree, bvh.boxes.data(), pairs);
    });
    std::printf("  tree and pairs of boxes: %8.3f ms\n", search);
    measure_decision(executor, mesh.positions, triangles, pairs, "floats");
    // The candidates of the floats serve for the doubles, too, since only the time matters here.
    measure_decision(executor, load_mesh_double(file).positions, triangles, pairs, "doubles");
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    using namespace graze;
    if (!find_gpu()) return 0;
    std::printf("%s\n", Device::cuda().description().c_str());
    std::vector<std::string> files(argv + 1, argv + argc);
    if (files.empty()) files = first_frames();
    try {
        for (const std::string& file : files)
            measure(file);
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}

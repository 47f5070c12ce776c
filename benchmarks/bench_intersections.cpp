// Triangles that intersect in frames of cloth, beside CGAL's self_intersections in the same run.
//
//     bench_intersections [FRAME ...]      else one frame of each sequence of the data folder
#define CGAL_LINKED_WITH_TBB
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>

#include "geometry/self_intersections.h"
#include "graze/deforming.h"
#include "graze/error.h"
#include "graze/mesh_io.h"
#include "parallel/cpu_executor.h"

namespace graze {
namespace {

constexpr int kWarmCount = 3;
constexpr int kTimedCount = 11;

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using SurfaceMesh = CGAL::Surface_mesh<Kernel::Point_3>;

// [ms] The fastest run: what else runs on the machine only ever adds.
struct RunTime {
    double wall, cpu;  // cpu: of all threads together
};

template <class Work>
RunTime fastest(const Work& work) {
    RunTime best{1e30, 1e30};
    for (int i = 0; i < kWarmCount + kTimedCount; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const std::clock_t cpu_start = std::clock();
        work();
        const std::clock_t cpu = std::clock() - cpu_start;
        const std::chrono::duration<double, std::milli> wall =
            std::chrono::steady_clock::now() - start;
        if (i < kWarmCount) continue;
        best.wall = std::min(best.wall, wall.count());
        best.cpu = std::min(best.cpu, static_cast<double>(cpu) * 1e3 / CLOCKS_PER_SEC);
    }
    return best;
}

SurfaceMesh to_surface(const Mesh& mesh) {
    SurfaceMesh surface;
    for (const Vec3& p : mesh.positions)
        surface.add_vertex({double(p.x), double(p.y), double(p.z)});
    using Vertex = SurfaceMesh::Vertex_index;
    for (const Triangle& t : mesh.triangles)
        surface.add_face(Vertex(t[0]), Vertex(t[1]), Vertex(t[2]));
    return surface;
}

void print_row(const std::string& name, const RunTime& time, std::size_t pair_count) {
    std::printf("  %-46s %8.2f ms wall %8.2f ms cpu  %zu pairs\n", name.c_str(), time.wall,
                time.cpu, pair_count);
}

template <class Tag>
void measure_cgal(const SurfaceMesh& surface, const char* name) {
    std::size_t count = 0;
    const RunTime time = fastest([&] {
        std::vector<std::pair<SurfaceMesh::Face_index, SurfaceMesh::Face_index>> found;
        CGAL::Polygon_mesh_processing::self_intersections<Tag>(surface.faces(), surface,
                                                               std::back_inserter(found));
        count = found.size();
    });
    print_row(name, time, count);
}

// Everything from positions to segments, and what its stages take.
void measure_detector(const Mesh& mesh, int thread_count, const std::string& name) {
    DeformingDetector detector({.vertex_count = static_cast<std::int64_t>(mesh.positions.size()),
                                .triangles = mesh.triangles},
                               Device::cpu(), {.thread_count = thread_count});
    std::size_t count = 0;
    const RunTime time =
        fastest([&] { count = detector.find_intersections(mesh.positions).size(); });
    print_row(name, time, count);
    detector.set_timing(true);
    std::map<std::string, double> least;
    for (int i = 0; i < kTimedCount; ++i) {
        detector.find_intersections(mesh.positions);
        std::map<std::string, double> sums;
        for (const DeformingReport::Stage& stage : detector.report().stages)
            sums[stage.name] += 1e3 * stage.seconds;
        for (const auto& [stage, milliseconds] : sums) {
            const auto place = least.emplace(stage, milliseconds).first;
            place->second = std::min(place->second, milliseconds);
        }
    }
    for (const auto& [stage, milliseconds] : least)
        if (milliseconds > 0.05) std::printf("      %-40s %8.2f\n", stage.c_str(), milliseconds);
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
        const RunTime fused =
            fastest([&] { count = find_self_intersections(executor, mesh).size(); });
        print_row("graze, for reports (binary tree, no segments)" + threads, fused, count);
    }
    const SurfaceMesh surface = to_surface(mesh);
    measure_cgal<CGAL::Sequential_tag>(surface, "CGAL self_intersections, sequential");
    measure_cgal<CGAL::Parallel_tag>(surface, "CGAL self_intersections, parallel");
}

std::vector<std::string> default_frames() {
    const char* data = std::getenv("GRAZE_DATA");
    const std::string folder =
        std::string(data ? data : GRAZE_SOURCE_DIR "/../shared/data") + "/sequences/";
    return {folder + "cloth-ball/frames/cloth_ball92.ply", folder + "cloth-funnel/frames/227.ply",
            folder + "n-body/frames/balls16_18.ply"};
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    std::vector<std::string> files(argv + 1, argv + argc);
    if (files.empty()) files = graze::default_frames();
    try {
        for (const std::string& file : files)
            graze::measure(file);
    } catch (const graze::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}

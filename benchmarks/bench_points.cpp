// Times the tree of spheres over points and over triangles, and the spreading of points over a
// surface.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <vector>

#include "benchmarks/bench_meshes.h"
#include "geometry/points/sample_surface.h"
#include "geometry/sphere_tree.h"
#include "parallel/cpu_executor.h"

namespace graze {
namespace {

// The bunny where the data is at hand, else a bumpy sphere.
const Mesh& surface() {
    static const Mesh mesh = [] {
        const std::filesystem::path file = data_folder() / "models/bunny_hr.obj";
        return std::filesystem::exists(file) ? load_mesh(file) : make_bumpy_sphere(150, 200);
    }();
    return mesh;
}

double triangle_area(const Mesh& mesh, const Triangle& t) {
    const auto a = static_cast<Vec3d>(mesh.positions[t[0]]);
    return 0.5 * length(cross(static_cast<Vec3d>(mesh.positions[t[1]]) - a,
                              static_cast<Vec3d>(mesh.positions[t[2]]) - a));
}

// Points at random on the surface, evenly by area.
std::vector<Vec3> random_points(std::int64_t count) {
    const Mesh& mesh = surface();
    std::vector<double> areas;
    areas.reserve(mesh.triangles.size());
    for (const Triangle& t : mesh.triangles)
        areas.push_back(triangle_area(mesh, t));
    std::mt19937 random(1);
    std::discrete_distribution<std::size_t> draw(areas.begin(), areas.end());
    std::uniform_real_distribution<float> unit(0, 1);
    std::vector<Vec3> points;
    points.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        const Triangle& t = mesh.triangles[draw(random)];
        float u = unit(random), v = unit(random);
        if (u + v > 1) {
            u = 1 - u;
            v = 1 - v;
        }
        points.push_back(mesh.positions[t[0]] * (1 - u - v) + mesh.positions[t[1]] * u +
                         mesh.positions[t[2]] * v);
    }
    return points;
}

// The mean radius of the leaves, and that of round patches of the surface with as many points.
void report_leaves(benchmark::State& state, const SphereTree& tree) {
    double radius_sum = 0, area = 0;
    std::int64_t leaf_count = 0;
    for (const SphereNode& node : tree.nodes) {
        if (node.is_leaf == 0) continue;
        radius_sum += static_cast<double>(node.radius);
        ++leaf_count;
    }
    for (const Triangle& t : surface().triangles)
        area += triangle_area(surface(), t);
    const auto count = static_cast<double>(leaf_count);
    state.counters["leaf_radius/disc"] =
        radius_sum / count / std::sqrt(area / (3.14159265358979 * count));
    state.counters["nodes"] = static_cast<double>(tree.nodes.size());
}

void run_trees(benchmark::internal::Benchmark* bench) {
    bench->ArgNames({"points", "threads"})->Unit(benchmark::kMillisecond)->UseRealTime();
    for (const std::int64_t count : {437'645, 1'000'000}) {
        for (const int threads : {1, 2})
            bench->Args({count, threads});
    }
}

void tree_over_points(benchmark::State& state) {
    const std::vector<Vec3> points = random_points(state.range(0));
    CpuExecutor executor(static_cast<int>(state.range(1)));
    SphereTree tree;
    for (auto _ : state)
        tree = build_sphere_tree(executor, points);
    report_leaves(state, tree);
}
BENCHMARK(tree_over_points)->Apply(run_trees);

void tree_over_faces(benchmark::State& state) {
    CpuExecutor executor(static_cast<int>(state.range(0)));
    SphereTree tree;
    for (auto _ : state)
        tree = build_sphere_tree(executor, surface());
    state.counters["triangles"] = static_cast<double>(surface().triangles.size());
}
BENCHMARK(tree_over_faces)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// parts: the spacing is the diagonal of the box, divided by this.
void spread_points(benchmark::State& state) {
    const float spacing = length(extent(bounds(surface()))) / static_cast<float>(state.range(0));
    SurfacePoints points;
    for (auto _ : state)
        points = sample_surface(surface(), spacing, static_cast<int>(state.range(1)));
    state.counters["points"] = static_cast<double>(points.positions.size());
}
BENCHMARK(spread_points)
    ->ArgNames({"parts", "threads"})
    ->Args({50, 1})
    ->Args({200, 1})
    ->Args({200, 2})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace graze

BENCHMARK_MAIN();

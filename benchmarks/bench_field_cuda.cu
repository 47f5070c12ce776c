// Builds fields from a mesh on a GPU: times the kernels by events, stage by stage, and a whole
// build with its allocations and waits.
#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "bench_meshes.h"
#include "benchmarks/stage_times.h"
#include "field/build/build_samples.h"
#include "field/build/nearest_triangle.h"
#include "parallel/cuda_executor.h"

namespace graze {
namespace {

struct FieldCase {
    const char* name;
    FieldOptions options;
    double bar;  // [ms]
};

void run(const BenchMesh& bench, const FieldCase& c, bool prints_stages) {
    FieldOptions options = c.options;
    const FieldGrid tight = choose_grid(bounds(bench.mesh), options);
    // The grid is a cube, as the bars mean it.
    FieldGrid grid = tight;
    const std::int32_t most = std::max({tight.cells[0], tight.cells[1], tight.cells[2]});
    for (int axis = 0; axis < 3; ++axis) {
        grid.origin[axis] -= grid.spacing * static_cast<float>((most - tight.cells[axis]) / 2);
        grid.cells[axis] = most;
    }
    SamplePlan plan{grid,
                    options.order,
                    options.sparse,
                    options.band * grid.spacing,
                    FieldSign::crossings,
                    0,
                    options.measure_error,
                    std::int64_t{100} << 30,
                    nullptr};
    CudaExecutor executor;
    std::vector<double> kernels, walls;
    std::map<std::string, double> stages;
    std::int64_t bytes = 0, bricks = 0;
    constexpr int kRuns = 7;
    for (int repeat = 0; repeat < kRuns; ++repeat) {
        SampledField field(executor.memory());
        std::vector<TraceEntry> entries;
        const CallTime time = time_call([&] {
            entries =
                trace_call(executor, [&] { build_samples(executor, bench.mesh, plan, field); });
        });
        double sum = 0;
        stages.clear();
        for (const TraceEntry& entry : entries) {
            sum += entry.seconds;
            stages[entry.name] += entry.seconds * 1e3;
        }
        bytes = field.memory_bytes();
        bricks = field.brick_count();
        if (repeat == 0) continue;  // warming up
        kernels.push_back(sum * 1e3);
        walls.push_back(time.wall);
    }
    std::printf("%-34s kernels %8.2f ms (bar %.0f)  wall %8.2f ms  %7.1f MB  %lld bricks\n", c.name,
                median_of(kernels), c.bar, median_of(walls), double(bytes) * 1e-6,
                static_cast<long long>(bricks));
    if (!prints_stages) return;
    std::vector<std::pair<double, std::string>> sorted;
    for (const auto& [name, milliseconds] : stages)
        sorted.push_back({milliseconds, name});
    std::sort(sorted.rbegin(), sorted.rend());
    for (std::size_t i = 0; i < std::min<std::size_t>(8, sorted.size()); ++i)
        std::printf("    %-34s %8.3f ms\n", sorted[i].second.c_str(), sorted[i].first);
}

}  // namespace
}  // namespace graze

int main(int argc, char**) {
    using namespace graze;
    const BenchMesh bench = load_bench_mesh("bunny_hr.obj", 60000);
    std::printf("%s, %zu triangles\n", bench.name.c_str(), bench.mesh.triangles.size());
    const bool stages = argc > 1;
    run(bench, {"dense 256^3 order 1", {.resolution = 256}, 20}, stages);
    run(bench, {"dense 512^3 order 1", {.resolution = 512}, 100}, stages);
    run(bench, {"sparse 1024^3 order 1, band 3", {.resolution = 1024, .sparse = true}, 60}, stages);
    run(bench, {"dense 256^3 order 1, no errors", {.resolution = 256, .measure_error = false}, 20},
        false);
    run(bench, {"dense 512^3 order 1, no errors", {.resolution = 512, .measure_error = false}, 100},
        false);
    run(bench,
        {"sparse 1024^3, no errors",
         {.resolution = 1024, .sparse = true, .measure_error = false},
         60},
        false);
    return 0;
}

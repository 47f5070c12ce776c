// Table 1 of the paper on points against fields: what the bunny's field and its min/max tree take.
#pragma once

#include <cstdio>

#include "benchmarks/call_times.h"
#include "benchmarks/sweep_models.h"
#include "field/sampled/copy_samples.h"
#include "parallel/cpu_executor.h"

namespace graze {

// The paper's fields and octrees are dense. [s], [MB]
struct PaperFieldRow {
    int resolution;
    double seconds, megabytes, tree_seconds, tree_megabytes;
};
inline constexpr PaperFieldRow kPaperFields[] = {
    {128, 1.9, 8.2, 0.01, 34.2},
    {256, 6.8, 64.8, 0.09, 273.6},
    {512, 45.6, 518.0, 0.65, 2140},
    {1024, 347.0, 4100, 4.88, 17100},
};

inline void print_table_1(int thread_count) {
    const auto path = find_model("bunny_hr.obj");
    if (!path) {
        std::printf("table 1: bunny_hr.obj is not there; set GRAZE_DATA\n");
        return;
    }
    const Mesh mesh = load_mesh(*path);
    std::printf(
        "table 1: bunny (%zu vertices; the paper's has 777), field of values and min/max tree, "
        "%d threads; the paper: dense, field with 8 threads\n",
        mesh.positions.size(), thread_count);
    std::printf("%16s | %9s %9s %9s %9s | %9s %9s %9s %9s\n", "", "field[s]", "[MB]", "tree[s]",
                "[MB]", "paper[s]", "[MB]", "tree[s]", "[MB]");
    CpuExecutor executor(thread_count);
    for (const PaperFieldRow& row : kPaperFields) {
        FieldOptions options = sweep_field_options(mesh, row.resolution, Device::cpu(thread_count));
        options.measure_error = false;
        std::optional<Field> field;
        const CallTimes builds = time_calls(0, 3, [&] { field = build_field(mesh, options); });
        SampledField samples = upload_samples(executor, *samples_of(*field));
        field.reset();
        const CallTimes trees = time_calls(1, 3, [&] { build_min_max_tree(executor, samples); });
        const double tree_bytes = static_cast<double>(samples.tree.memory_bytes());
        std::printf("%5d^3 %-9s | %9.2f %9.1f %9.4f %9.2f | %9.2f %9.1f %9.2f %9.1f\n",
                    row.resolution, options.sparse ? "sparse" : "dense",
                    (builds.median().wall - trees.median().wall) * 1e-3,
                    (static_cast<double>(samples.memory_bytes()) - tree_bytes) * 1e-6,
                    trees.median().wall * 1e-3, tree_bytes * 1e-6, row.seconds, row.megabytes,
                    row.tree_seconds, row.tree_megabytes);
    }
}

}  // namespace graze

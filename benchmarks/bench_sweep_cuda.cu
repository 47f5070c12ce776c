// Table 3 of the paper on points against fields (Xu and Barbic, 2014) on a GPU: 1,000 random
// motions of a body around a copy of itself in one batch, from poses to the points that come
// inside, in the device's memory.
//
//   bench_sweep_cuda [DRAGON.ply]    by default the dragon is where scripts/model puts it, or in
//                                    the folder of models
#include <cstdio>

#include "benchmarks/cuda_timing.h"
#include "benchmarks/sweep_pairs.h"
#include "parallel/trace.h"

namespace graze {
namespace {

constexpr std::size_t kPoseCount = 1000;

void run(const PaperModel& paper, const char* file) {
    const auto model = load_sweep_model(paper, 1024, Device::cuda(), file);
    if (!model) return;
    const std::vector<PosePair> poses =
        random_pose_pairs(kPoseCount, model->box, centre(model->box));
    CudaExecutor executor;
    SweepPairs<CudaExecutor> pairs(executor, pinned_memory(), *model, poses);
    pairs.settle();
    const double milliseconds = median_milliseconds(executor, [&] { pairs.issue(); }, 11);
    pairs.settle();
    const StepReport report = pairs.report();
    const auto point_count = static_cast<double>(model->shape.points().positions.size());
    const auto hits = static_cast<double>(pairs.hit_count());
    std::printf(
        "%-10s %7.0f points: %8.2f ms (bar for the dragon: 30), the paper's tree on a CPU %.1f s; "
        "%.0f hits (%.2f%%), %.0f spheres, %.0f candidates\n",
        paper.name, point_count, milliseconds, paper.random_tree, hits,
        100 * hits / (point_count * static_cast<double>(kPoseCount)), report.figure("sweep_nodes"),
        report.figure("sweep_points"));
    Trace trace;
    executor.set_trace(&trace);
    pairs.issue();
    executor.wait();
    executor.set_trace(nullptr);
    for (const TraceEntry& entry : trace.entries()) {
        if (entry.seconds > 1e-4)
            std::printf("    %-28s %8.3f ms\n", entry.name, entry.seconds * 1e3);
    }
    std::fflush(stdout);
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    using namespace graze;
    if (!find_gpu()) return 0;
    std::printf("table 3: %zu random motions in three times the field's box, 1024^3 sparse\n",
                kPoseCount);
    for (const PaperModel& paper : kPaperModels)
        run(paper, paper.point_count == 0 && argc > 1 ? argv[1] : nullptr);
    return 0;
}

// Finds pairs of moving bodies on the GPU, from poses in device memory to sorted pairs there, timed
// by events.
#include <cstdio>
#include <map>
#include <string>

#include "benchmarks/body_scene.h"
#include "benchmarks/cuda_timing.h"
#include "parallel/cpu_executor.h"
#include "parallel/upload.h"

namespace graze {
namespace {

// Counts the pairs that are not the host's.
std::int64_t count_different(CudaExecutor& executor, const BodyScene& scene,
                             const std::vector<Transform>& poses, const BodyPairs& result) {
    CpuExecutor host;
    BodyPairs expected(host.memory());
    const std::vector<Aabb> boxes = scene.boxes(poses);
    find_body_pairs(host, boxes.data(), scene.filters().data(), scene.body_count(), expected);
    const std::vector<IndexPair> pairs = download(executor, result.pairs);
    const auto count = static_cast<std::int64_t>(executor.read(result.count.data()));
    std::int64_t different = std::abs(count - expected.pairs.size());
    for (std::int64_t i = 0; i < std::min(count, expected.pairs.size()); ++i) {
        const IndexPair a = pairs[static_cast<std::size_t>(i)], b = expected.pairs.data()[i];
        different += a.a != b.a || a.b != b.b;
    }
    return different;
}

void run(std::int64_t body_count) {
    CudaExecutor executor;
    const BodyScene scene(body_count);
    constexpr int kStepCount = 8;
    std::vector<Buffer<Transform>> poses;
    for (int step = 0; step < kStepCount; ++step)
        poses.push_back(upload(executor, scene.poses(step)));
    const auto bounds = upload(executor, scene.shape_bounds());
    const auto shapes = upload(executor, scene.shape_of_body());
    const auto filters = upload(executor, scene.filters());
    auto boxes = executor.make_buffer<Aabb>(body_count);
    BodyPairs result(executor.memory());
    int step = 0;
    const auto run_step = [&] {
        executor.for_each("body boxes", body_count,
                          BodyBoxes{bounds.data(), shapes.data(),
                                    poses[static_cast<std::size_t>(step % kStepCount)].data(),
                                    nullptr, 0, boxes.data()});
        find_body_pairs(executor, boxes.data(), filters.data(), body_count, result);
        ++step;
    };
    run_step();
    // The pairs get the room that a detector would give them, a quarter more than was needed.
    const auto needed = static_cast<std::int64_t>(executor.read(result.count.data()));
    result.pairs.resize(needed + needed / 4);
    const double ms = median_milliseconds(executor, run_step);
    std::printf(
        "%lld bodies, %lld pairs: %.3f ms from poses to sorted pairs; %lld pairs differ "
        "from the host's\n",
        static_cast<long long>(body_count),
        static_cast<long long>(executor.read(result.count.data())), ms,
        static_cast<long long>(
            count_different(executor, scene, scene.poses((step - 1) % kStepCount), result)));

    Trace trace;
    executor.set_trace(&trace);
    constexpr int kTracedCount = 20;
    for (int i = 0; i < kTracedCount; ++i)
        run_step();
    executor.wait();
    executor.set_trace(nullptr);
    std::map<std::string, double> stages;
    for (const TraceEntry& entry : trace.entries())
        stages[entry.name] += entry.seconds;
    for (const auto& [name, seconds] : stages)
        std::printf("    %-24s %8.4f ms\n", name.c_str(), seconds * 1e3 / kTracedCount);
}

}  // namespace
}  // namespace graze

int main() {
    if (!graze::find_gpu()) return 0;
    for (const std::int64_t body_count : {1000, 10000, 100000, 1000000})
        graze::run(body_count);
    return 0;
}

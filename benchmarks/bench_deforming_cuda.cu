// Whole steps of the deforming detector on a GPU, positions on the device, results on the host: the
// paper's table (Fan et al. 2011, figure 9) on ours, and where the time goes.
//
//     bench_deforming_cuda [--stages]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "benchmarks/deforming_sequences.h"
#include "parallel/cuda_executor.h"

namespace graze {
namespace {

constexpr int kRunCount = 31;

// [ms] The median of many calls, from call to return: every call ends with its result on the host.
template <class Work>
double median_call(const Work& work) {
    for (int i = 0; i < 5; ++i)
        work();
    std::vector<double> times;
    for (int i = 0; i < kRunCount; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double, std::milli> time =
            std::chrono::steady_clock::now() - start;
        times.push_back(time.count());
    }
    std::nth_element(times.begin(), times.begin() + kRunCount / 2, times.end());
    return times[kRunCount / 2];
}

void print_stages(const DeformingReport& report) {
    for (const DeformingReport::Stage& stage : report.stages)
        std::printf("    %-26s %8.3f ms\n", stage.name, stage.seconds * 1e3);
}

void run(const DeformingSequence& sequence, PairSearch search, const char* search_name,
         bool shows_stages) {
    const auto count = static_cast<std::int64_t>(sequence.t0.size());
    Buffer<Vec3> t0(cuda_memory(0), count), t1(cuda_memory(0), count);
    check_cuda(cudaMemcpy(t0.data(), sequence.t0.data(), sequence.t0.size() * sizeof(Vec3),
                          cudaMemcpyHostToDevice),
               "copying positions");
    check_cuda(cudaMemcpy(t1.data(), sequence.t1.data(), sequence.t1.size() * sizeof(Vec3),
                          cudaMemcpyHostToDevice),
               "copying positions");
    const std::span<const Vec3> p0(t0.data(), sequence.t0.size()),
        p1(t1.data(), sequence.t1.size());
    DeformingOptions options;
    options.pair_search = search;
    DeformingDetector detector(sequence.topology(), Device::cuda(0), options);
    std::size_t impacts = 0, pairs = 0;
    const double continuous =
        median_call([&] { impacts = detector.find_impacts(p0, p1, Residence::device).size(); });
    const DeformingReport report = detector.report();
    const double discrete =
        median_call([&] { pairs = detector.find_intersections(p0, Residence::device).size(); });
    std::printf("%-14s %-15s %9zu | %9.3f %9lld %9lld %9lld %8zu | %9.3f %8zu\n",
                sequence.name.c_str(), search_name, sequence.triangles.size(), continuous,
                static_cast<long long>(report.element_pair_count),
                static_cast<long long>(report.vertex_face_count),
                static_cast<long long>(report.edge_edge_count), impacts, discrete, pairs);
    if (shows_stages) {
        detector.set_timing(true);
        detector.find_impacts(p0, p1, Residence::device);
        print_stages(detector.report());
        std::printf("    -- discrete\n");
        detector.find_intersections(p0, Residence::device);
        print_stages(detector.report());
    }
    std::fflush(stdout);
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    using namespace graze;
    const bool shows_stages = argc > 1 && std::strcmp(argv[1], "--stages") == 0;
    std::vector<DeformingSequence> sequences = load_sequences();
    if (sequences.empty()) {
        std::printf("no sequences: set GRAZE_DATA\n");
        return 0;
    }
    std::printf("%-14s %-15s %9s | %9s %9s %9s %9s %8s | %9s %8s\n", "", "search", "triangles",
                "cont. ms", "pairs", "v-f", "e-e", "impacts", "discr. ms", "pairs");
    sequences.push_back(subdivided(subdivided(sequences[0])));
    for (const DeformingSequence& sequence : sequences) {
        run(sequence, PairSearch::tree, "tree", shows_stages);
        run(sequence, PairSearch::one_level_grid, "one-level grid", false);
        run(sequence, PairSearch::two_level_grid, "two-level grid", false);
    }
}

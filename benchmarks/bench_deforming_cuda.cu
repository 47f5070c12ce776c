// Times whole steps of the deforming detector on a GPU, with positions on the device and results on
// the host: the paper's table (Fan et al. 2011, figure 9) on graze, with the stages' times; the
// paper's claims; and steps from frame to frame of simulated cloth.
//
//     bench_deforming_cuda [--stages] [--sequence NAME]
//     bench_deforming_cuda --claims [--sequence NAME]
//     bench_deforming_cuda --patches [--sequence NAME]
//     bench_deforming_cuda --frames DIR... [--every N] [--search NAME]
//
// DIR is a folder of frames that `graze simulate` writes, see frame_steps.h. Of a run of 300 frames
// --every 20 needs 00000, 00001, 00020, 00021 and so on, which are 30 frames, 52 MB of cloth_ball.
#include <cstdio>

#include "benchmarks/cuda_timing.h"
#include "benchmarks/frame_steps.h"
#include "benchmarks/paper_claims.h"
#include "benchmarks/patch_steps.h"
#include "broad_phase/element_slot_units.h"
#include "parallel/cuda_executor.h"

namespace graze {
namespace {

constexpr int kRunCount = 31;

class DevicePositions {
public:
    void assign(const std::vector<Vec3>& positions) {
        positions_.resize(static_cast<std::int64_t>(positions.size()));
        check_cuda(cudaMemcpy(positions_.data(), positions.data(), positions.size() * sizeof(Vec3),
                              cudaMemcpyHostToDevice),
                   "copying positions");
    }
    std::span<const Vec3> span() const {
        return {positions_.data(), static_cast<std::size_t>(positions_.size())};
    }

private:
    Buffer<Vec3> positions_{cuda_memory(0)};
};

struct CudaMachine {
    using Executor = CudaExecutor;
    using Positions = DevicePositions;
    static constexpr Residence kResidence = Residence::device;
    static Device device() { return Device::cuda(0); }
    static Executor executor() { return Executor(); }
};
using Steps = DeformingSteps<CudaMachine>;

void run(const DeformingSequence& sequence, const NamedSearch& search, bool shows_stages) {
    Steps steps(sequence, search.search, 0);
    std::size_t impacts = 0, pairs = 0;
    // Every call ends with its result on the host.
    const CallTime continuous =
        time_calls(5, kRunCount, [&] { impacts = steps.run_continuous(); }).median();
    const DeformingReport report = steps.report();
    const CallTime discrete =
        time_calls(5, kRunCount, [&] { pairs = steps.run_discrete(); }).median();
    std::printf("%-14s %-15s %9zu | %9.3f %9lld %9lld %9lld %8zu | %9.3f %8zu\n",
                sequence.name.c_str(), search.name, sequence.triangles.size(), continuous.wall,
                static_cast<long long>(report.element_pair_count),
                static_cast<long long>(report.vertex_face_count),
                static_cast<long long>(report.edge_edge_count), impacts, discrete.wall, pairs);
    if (!shows_stages) return;
    std::printf("      stages, continuous\n");
    steps.time_stages(&Steps::run_continuous, kRunCount).print();
    std::printf("      stages, discrete\n");
    steps.time_stages(&Steps::run_discrete, kRunCount).print();
}

void run(const DeformingArguments& arguments) {
    if (!arguments.frame_folders.empty()) {
        print_frames_header();
        for (const std::string& folder : arguments.frame_folders)
            run_frames<CudaMachine>(folder, arguments);
        return;
    }
    std::vector<DeformingSequence> sequences = load_sequences(arguments.sequence);
    if (sequences.empty()) {
        std::printf("no such sequence: set GRAZE_DATA\n");
        return;
    }
    if (arguments.shows_claims) {
        print_claims<CudaMachine>(sequences);
        return;
    }
    if (arguments.shows_patches) {
        for (const DeformingSequence& sequence : sequences)
            print_patch_steps<CudaMachine>(sequence, 0);
        return;
    }
    std::printf("%-14s %-15s %9s | %9s %9s %9s %9s %8s | %9s %8s\n", "", "search", "triangles",
                "cont. ms", "pairs", "v-f", "e-e", "impacts", "discr. ms", "pairs");
    if (sequences[0].name == "cloth-ball")
        sequences.push_back(subdivided(subdivided(sequences[0])));
    for (const DeformingSequence& sequence : sequences)
        for (const NamedSearch& search : kPairSearches)
            run(sequence, search, arguments.shows_stages);
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    if (!graze::find_gpu()) return 0;
    try {
        graze::run(graze::parse_deforming_arguments({argv + 1, argv + argc}));
    } catch (const graze::Error& error) {
        std::fprintf(stderr, "bench_deforming_cuda: %s\n", error.what());
        return 2;
    }
    return 0;
}

// DeformingSteps: whole steps of a DeformingDetector, the same on both machines, for
// bench_deforming.cpp and bench_deforming_cuda.cu. A machine says where it works and where
// positions are:
//
//     struct Machine {
//         using Executor = ...;
//         static Device device();
//         static Executor executor();
//         static constexpr Residence kResidence = ...;
//         class Positions { void assign(const std::vector<Vec3>&); std::span<const Vec3> span(); };
//     };
#pragma once

#include "benchmarks/deforming_sequences.h"
#include "benchmarks/stage_times.h"

namespace graze {

// Positions in host memory, which are used where they are.
class HostPositions {
public:
    // The positions stay the caller's.
    void assign(const std::vector<Vec3>& positions) { positions_ = positions; }
    std::span<const Vec3> span() const { return positions_; }

private:
    std::span<const Vec3> positions_;
};

// A detector and the positions of a step, which are in its machine's memory before the step begins.
template <class Machine>
class DeformingSteps {
public:
    DeformingSteps(const DeformingTopology& topology, PairSearch search, int thread_count,
                   bool culls = false)
        : detector_(topology, Machine::device().with_threads(thread_count),
                    options_of(search, culls)) {}
    DeformingSteps(const DeformingSequence& sequence, PairSearch search, int thread_count,
                   bool culls = false)
        : DeformingSteps(sequence.topology(), search, thread_count, culls) {
        assign(sequence.t0, sequence.t1);
    }

    void assign(const std::vector<Vec3>& positions_t0, const std::vector<Vec3>& positions_t1) {
        t0_.assign(positions_t0);
        t1_.assign(positions_t1);
    }

    // Returns the count of impacts from t0 to t1.
    std::size_t run_continuous() {
        return detector_.find_impacts(t0_.span(), t1_.span(), Machine::kResidence).size();
    }
    // Returns the count of pairs of triangles that intersect at t0.
    std::size_t run_discrete() {
        return detector_.find_intersections(t0_.span(), Machine::kResidence).size();
    }
    const DeformingReport& report() const { return detector_.report(); }

    // Returns what the stages of steps take; run is one of the two functions above.
    StageTimes time_stages(std::size_t (DeformingSteps::*run)(), int step_count) {
        StageTimes stages;
        detector_.set_timing(true);
        for (int i = 0; i < step_count; ++i) {
            const CallTime time = time_call([&] { (this->*run)(); });
            stages.add(report().stages, time.wall);
        }
        detector_.set_timing(false);
        return stages;
    }

private:
    static DeformingOptions options_of(PairSearch search, bool culls) {
        DeformingOptions options;
        options.pair_search = search;
        options.culls_smooth_patches = culls;
        return options;
    }

    DeformingDetector detector_;
    typename Machine::Positions t0_, t1_;
};

}  // namespace graze

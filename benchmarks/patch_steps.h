// Compares steps with and without DeformingOptions::culls_smooth_patches, in turns, as one table.
#pragma once

#include <cstdio>

#include "benchmarks/deforming_steps.h"

namespace graze {

// Prints the rows of one sequence, with the automatic search. CPU time is that of all threads.
template <class Machine>
void print_patch_steps(const DeformingSequence& sequence, int thread_count) {
    constexpr int kRoundCount = 15;
    using Steps = DeformingSteps<Machine>;
    Steps without(sequence, PairSearch::automatic, thread_count);
    Steps with(sequence, PairSearch::automatic, thread_count, true);
    struct Row {
        const char* name;
        std::size_t (Steps::*run)();
    };
    for (const Row& row :
         {Row{"continuous", &Steps::run_continuous}, Row{"discrete", &Steps::run_discrete}}) {
        CallTimes times[2];
        std::size_t found[2] = {};
        std::int64_t pairs[2] = {};
        for (int round = 0; round < 1 + kRoundCount; ++round) {
            for (int i = 0; i < 2; ++i) {
                Steps& steps = i == 0 ? without : with;
                CallTimes warming;
                (round == 0 ? warming : times[i]).time([&] { found[i] = (steps.*row.run)(); });
                pairs[i] = steps.report().element_pair_count;
            }
        }
        const CallTime before = times[0].median(), after = times[1].median();
        std::printf(
            "%-14s %-10s wall %8.3f -> %8.3f ms, CPU %8.3f -> %8.3f ms, pairs %9lld -> "
            "%9lld, smooth %5.1f%%, found %zu and %zu\n",
            sequence.name.c_str(), row.name, before.wall, after.wall, before.cpu, after.cpu,
            static_cast<long long>(pairs[0]), static_cast<long long>(pairs[1]),
            100.0 * static_cast<double>(with.report().smooth_triangle_count) /
                static_cast<double>(sequence.triangles.size()),
            found[0], found[1]);
    }
}

}  // namespace graze

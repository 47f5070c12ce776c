// Constraints in batches whose members share nothing that moves: a batch can be solved in parallel,
// and gives the same bits whatever the number of threads.
//
// Greedy colouring in the given order: each constraint takes the first batch that none of its units
// is in yet. Units that are in very many, as a large rigid body, fill all batches; what is left
// over is solved one after the other, at the end.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "parallel/cpu_executor.h"
#include "response/cloth_world.h"

namespace graze {

struct ConstraintBatches {
    static constexpr int kCount = 64;
    // Batch i begins at begins[i]; what is in no batch begins at begins[kCount] and ends at the
    // last.
    std::array<std::int64_t, kCount + 2> begins{};
};

// Sorts the constraints by batch, in each by the order that they had. units_of gives an array of
// the units that a constraint moves; the script's does not count.
template <class Constraint, class UnitsOf>
ConstraintBatches sort_into_batches(std::uint32_t unit_count, const UnitsOf& units_of,
                                    std::vector<Constraint>& constraints) {
    constexpr int kCount = ConstraintBatches::kCount;
    std::vector<std::uint64_t> used(unit_count, 0);
    std::vector<std::uint8_t> batch_of(constraints.size());
    ConstraintBatches batches;
    for (std::size_t i = 0; i < constraints.size(); ++i) {
        const auto units = units_of(constraints[i]);
        std::uint64_t taken = 0;
        for (const std::uint32_t unit : units)
            taken |= unit == kScriptUnit ? 0 : used[unit];
        int batch = 0;
        while (batch < kCount && ((taken >> batch) & 1) != 0)
            ++batch;
        if (batch < kCount) {
            for (const std::uint32_t unit : units)
                used[unit] |= std::uint64_t{1} << batch;
        }
        batch_of[i] = static_cast<std::uint8_t>(batch);
        ++batches.begins[static_cast<std::size_t>(batch) + 1];
    }
    for (std::size_t i = 1; i < batches.begins.size(); ++i)
        batches.begins[i] += batches.begins[i - 1];
    std::vector<Constraint> sorted(constraints.size());
    auto offsets = batches.begins;
    for (std::size_t i = 0; i < constraints.size(); ++i)
        sorted[static_cast<std::size_t>(offsets[batch_of[i]]++)] = constraints[i];
    constraints.swap(sorted);
    return batches;
}

// Calls solve(i) for each constraint.
template <class Solve>
void solve_batches(CpuExecutor& executor, const char* name, const ConstraintBatches& batches,
                   const Solve& solve) {
    struct SolveOne {
        const Solve& solve;
        std::int64_t begin;
        void operator()(std::int64_t i) const { solve(begin + i); }
    };
    for (std::size_t batch = 0; batch < ConstraintBatches::kCount; ++batch) {
        const std::int64_t begin = batches.begins[batch], end = batches.begins[batch + 1];
        if (begin < end) executor.for_each(name, end - begin, SolveOne{solve, begin});
    }
    for (std::int64_t i = batches.begins[ConstraintBatches::kCount];
         i < batches.begins[ConstraintBatches::kCount + 1]; ++i)
        solve(i);
}

}  // namespace graze

// What a Trace of a search says, as lines of a table; for bench_element_pairs.cpp and
// bench_element_pairs_cuda.cu.
#pragma once

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "parallel/trace.h"

namespace graze {

// Sums by name, in the order in which names first come.
inline std::vector<std::pair<std::string, double>> stages_of(const Trace& trace) {
    std::vector<std::pair<std::string, double>> stages;
    for (const TraceEntry& entry : trace.entries()) {
        auto stage = stages.begin();
        while (stage != stages.end() && stage->first != entry.name)
            ++stage;
        if (stage == stages.end()) stage = stages.insert(stage, {entry.name, 0.0});
        stage->second += entry.seconds;
    }
    return stages;
}

inline void print_stages(const Trace& trace, int step_count) {
    double whole = 0;
    for (const auto& [name, seconds] : stages_of(trace))
        whole += seconds;
    for (const auto& [name, seconds] : stages_of(trace)) {
        if (seconds < 0.01 * whole) continue;
        std::printf("        %-26s %9.3f ms  %4.1f%%\n", name.c_str(), seconds * 1e3 / step_count,
                    100 * seconds / whole);
    }
}

// [ms] What the assignment of elements to cells takes, before the sort, a step.
inline double assignment_milliseconds(const Trace& trace, int step_count) {
    double sum = 0;
    for (const char* name :
         {"grid: map boxes", "grid: place items", "grid: assign", "grid: keep", "grid: gather",
          "grid: clear marks", "grid: mark heads", "grid: propagate"})
        sum += trace.seconds(name);
    return sum * 1e3 / step_count;
}
inline double top_down_milliseconds(const Trace& trace, int step_count) {
    return (trace.seconds("top down: count") + trace.seconds("top down: place") +
            trace.seconds("top down: store")) *
           1e3 / step_count;
}

}  // namespace graze

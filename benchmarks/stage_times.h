// StageTimes: the times of a step's stages, by their names, as lines of a table. They come from
// a Trace or from the report of a DeformingDetector.
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/call_times.h"
#include "parallel/trace.h"

namespace graze {

class StageTimes {
public:
    // Adds the stages of one step. An entry has a name and seconds; a name may come several times.
    // whole [ms] is what the step took, where that is known.
    template <class Entries>
    void add(const Entries& entries, double whole = 0) {
        std::vector<std::pair<std::string, double>> sums;
        for (const auto& entry : entries)
            stage_of(sums, entry.name).second += entry.seconds * 1e3;
        for (const auto& [name, milliseconds] : sums)
            stage_of(stages_, name).second.push_back(milliseconds);
        wholes_.push_back(whole);
    }

    // Returns a stage's median [ms] over the steps that have it; 0 where none has.
    double of(const std::string& name) const {
        for (const auto& [stage, milliseconds] : stages_)
            if (stage == name) return median_of(milliseconds);
        return 0;
    }
    // Returns the sum of the medians [ms] of all stages whose names begin like that.
    double of_all(const std::string& beginning) const {
        double sum = 0;
        for (const auto& [stage, milliseconds] : stages_)
            if (stage.starts_with(beginning)) sum += median_of(milliseconds);
        return sum;
    }

    // Returns the median of whole steps [ms]; where that is not known, the sum of the stages.
    double whole() const { return wholes_.empty() ? 0 : std::max(median_of(wholes_), of_all("")); }

    // Prints the stages and the rest of a step, which is work without a name, and waiting.
    void print() const {
        for (const auto& [stage, milliseconds] : stages_)
            print_line(stage.c_str(), median_of(milliseconds));
        print_line("(rest)", whole() - of_all(""));
    }

private:
    void print_line(const char* name, double milliseconds) const {
        if (milliseconds < 0.005 * whole()) return;
        std::printf("        %-26s %9.3f ms  %4.1f%%\n", name, milliseconds,
                    100 * milliseconds / whole());
    }

    // Returns the stage of that name, and appends it where it is new.
    template <class T>
    static std::pair<std::string, T>& stage_of(std::vector<std::pair<std::string, T>>& stages,
                                               const std::string& name) {
        for (std::pair<std::string, T>& stage : stages)
            if (stage.first == name) return stage;
        return stages.emplace_back(name, T{});
    }

    std::vector<std::pair<std::string, std::vector<double>>> stages_;
    std::vector<double> wholes_;
};

// Runs work on an executor to its end and returns what its stages took.
template <class Executor, class Work>
std::vector<TraceEntry> trace_call(Executor& executor, const Work& work) {
    Trace trace;
    executor.set_trace(&trace);
    work();
    executor.wait();
    executor.set_trace(nullptr);
    return trace.entries();
}

// Returns the stages of step_count such calls.
template <class Executor, class Work>
StageTimes trace_calls(Executor& executor, int step_count, const Work& work) {
    StageTimes stages;
    for (int i = 0; i < step_count; ++i)
        stages.add(trace_call(executor, work));
    return stages;
}

}  // namespace graze

// What the stages of a step take, by their names, as lines of a table: from a Trace, or from the
// report of a DeformingDetector.
#pragma once

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/call_times.h"

namespace graze {

class StageTimes {
public:
    // One step's: names and seconds, in order; a name may come several times. whole [ms]: what the
    // step took, where that is known.
    template <class Entries>
    void add(const Entries& entries, double whole = 0) {
        std::vector<std::pair<std::string, double>> sums;
        for (const auto& entry : entries)
            place_of(sums, entry.name).second += entry.seconds * 1e3;
        for (const auto& [name, milliseconds] : sums)
            place_of(stages_, name).second.push_back(milliseconds);
        wholes_.push_back(whole);
    }

    // [ms] Median over the steps that have such a stage; 0 where none has.
    double of(const std::string& name) const {
        for (const auto& [stage, milliseconds] : stages_)
            if (stage == name) return median_of(milliseconds);
        return 0;
    }
    // [ms] Of all whose names begin like that.
    double of_all(const std::string& beginning) const {
        double sum = 0;
        for (const auto& [stage, milliseconds] : stages_)
            if (stage.starts_with(beginning)) sum += median_of(milliseconds);
        return sum;
    }

    // [ms] Of whole steps, median; where that is not known, the sum of the stages.
    double whole() const { return wholes_.empty() ? 0 : std::max(median_of(wholes_), of_all("")); }

    // What the stages leave is the rest: work that has no name, and waiting.
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

    // The stage of that name, at the end where it is new.
    template <class T>
    static std::pair<std::string, T>& place_of(std::vector<std::pair<std::string, T>>& stages,
                                               const std::string& name) {
        for (std::pair<std::string, T>& stage : stages)
            if (stage.first == name) return stage;
        return stages.emplace_back(name, T{});
    }

    std::vector<std::pair<std::string, std::vector<double>>> stages_;
    std::vector<double> wholes_;
};

}  // namespace graze

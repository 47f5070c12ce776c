// RunSummary: a whole run in a few numbers. docs/commands/simulate.md has the keys of its JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "graze/simulation.h"

namespace graze::app {

class RunSummary {
public:
    // It is made before the first step.
    RunSummary(std::string scene_file, const Simulation& simulation);

    void add(const StepStatistics& step);
    void set_load_seconds(double seconds) { load_seconds_ = seconds; }
    void set_frames(std::int64_t count) { frame_count_ = count; }

    std::int64_t step_count() const { return last_.step; }
    double steps_per_second() const;
    // These are for the end of the run, or for where it was ended before.
    nlohmann::ordered_json to_json(const Simulation& simulation, bool is_complete) const;
    std::string to_text(const Simulation& simulation, bool is_complete) const;

private:
    std::string scene_file_;
    StepStatistics first_, last_;
    double load_seconds_ = 0;
    std::int64_t frame_count_ = 0;
    double seconds_ = 0;  // of all steps together, as the next
    double pairs_ = 0, found_ = 0, contacts_ = 0;
    float deepest_ = 0;
    std::vector<StepReport::Stage> stages_;
    struct FigureRange {
        std::string name;
        double least, most, sum;
    };
    std::vector<FigureRange> figures_;
};

// Returns "mesh", "field" or "none".
std::string mass_source_of(const SceneShape& shape);
// Returns the number of threads, where 0 stands for all cores.
int thread_count_of(const SceneDescription& scene);

}  // namespace graze::app

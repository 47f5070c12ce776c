#include "run_summary.h"

#include <algorithm>
#include <cstdio>
#include <thread>
#include <utility>

#include "graze/names.h"
#include "graze/version.h"
#include "terminal.h"

namespace graze::app {

namespace {

std::string hexadecimal(std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
    return text;
}

}  // namespace

std::string mass_source_of(const SceneShape& shape) {
    if (!shape.mass) return "none";
    return name_of(shape.mass_source);
}

int thread_count_of(const SceneDescription& scene) {
    const int asked = scene.device.threads();
    return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

RunSummary::RunSummary(std::string scene_file, const Simulation& simulation)
    : scene_file_(std::move(scene_file)),
      first_(simulation.statistics()),
      last_(simulation.statistics()) {}

void RunSummary::add(const StepStatistics& step) {
    last_ = step;
    seconds_ += step.seconds;
    pairs_ += static_cast<double>(step.pair_count);
    found_ += static_cast<double>(step.found_count);
    contacts_ += static_cast<double>(step.contact_count);
    deepest_ = std::max(deepest_, step.deepest_penetration);
    for (std::size_t i = 0; i < step.figures.size(); ++i) {
        const auto& [name, value] = step.figures[i];
        if (i == figures_.size()) figures_.push_back({name, value, value, 0});
        FigureRange& range = figures_[i];
        range.least = std::min(range.least, value);
        range.most = std::max(range.most, value);
        range.sum += value;
    }
    if (stages_.empty()) {
        stages_ = step.stages;
        return;
    }
    for (std::size_t i = 0; i < std::min(stages_.size(), step.stages.size()); ++i)
        stages_[i].seconds += step.stages[i].seconds;
}

double RunSummary::steps_per_second() const {
    return seconds_ > 0 ? static_cast<double>(step_count()) / seconds_ : 0;
}

nlohmann::ordered_json RunSummary::to_json(const Simulation& simulation, bool is_complete) const {
    const SceneDescription& scene = simulation.scene();
    const auto steps = static_cast<double>(std::max<std::int64_t>(step_count(), 1));
    nlohmann::ordered_json json;
    json["scene"] = scene_file_;
    json["name"] = scene.name;
    json["version"] = version();
    json["is_complete"] = is_complete;
    json["device"] = scene.device.name();
    json["thread_count"] = thread_count_of(scene);
    json["bodies"] = scene.bodies.size();
    json["steps"] = step_count();
    json["frames"] = frame_count_;
    json["time"] = last_.time;
    json["load_seconds"] = load_seconds_;
    json["seconds"] = seconds_;
    json["steps_per_second"] = steps_per_second();
    json["pairs_per_step"] = pairs_ / steps;
    json["found_per_step"] = found_ / steps;
    json["contacts_per_step"] = contacts_ / steps;
    json["deepest_penetration"] = deepest_;
    json["kinetic_energy_start"] = first_.kinetic_energy;
    json["kinetic_energy_end"] = last_.kinetic_energy;
    json["potential_energy_start"] = first_.potential_energy;
    json["potential_energy_end"] = last_.potential_energy;
    nlohmann::ordered_json stages = nlohmann::ordered_json::object();
    for (const StepReport::Stage& stage : stages_)
        stages[stage.name] = stage.seconds / steps;
    json["stage_seconds_per_step"] = stages;
    nlohmann::ordered_json sources = nlohmann::ordered_json::object();
    for (const SceneShape& shape : scene.shapes)
        sources[shape.name] = mass_source_of(shape);
    json["mass_sources"] = sources;
    for (const FigureRange& range : figures_) {
        json["figures"][range.name] = {
            {"least", range.least}, {"most", range.most}, {"mean", range.sum / steps}};
    }
    json["state_hash"] = hexadecimal(state_hash(simulation));
    return json;
}

std::string RunSummary::to_text(const Simulation& simulation, bool is_complete) const {
    const auto steps = static_cast<double>(std::max<std::int64_t>(step_count(), 1));
    const auto average = [&](double sum) { return with_digits(sum / steps, 4) + " a step"; };
    std::vector<std::pair<std::string, std::string>> rows{
        {"steps", with_separators(step_count()) + (is_complete ? "" : ", ended before time")},
        {"simulated", with_digits(last_.time) + " s"},
        {"time", with_digits(1000 * seconds_ / steps, 4) + " ms a step, " +
                     with_digits(steps_per_second(), 4) + " steps a second"},
        {"pairs", average(pairs_)},
        {"contacts", average(contacts_) + ", found " + average(found_)},
        {"deepest penetration", with_digits(static_cast<double>(deepest_), 4) + " m"},
        {"kinetic energy", with_digits(first_.kinetic_energy, 4) + " J to " +
                               with_digits(last_.kinetic_energy, 4) + " J"},
        {"potential energy", with_digits(first_.potential_energy, 4) + " J to " +
                                 with_digits(last_.potential_energy, 4) + " J"},
        {"state", hexadecimal(state_hash(simulation))}};
    for (const FigureRange& range : figures_) {
        rows.emplace_back(range.name, average(range.sum) + ", " + with_digits(range.least, 4) +
                                          " to " + with_digits(range.most, 4));
    }
    return in_rows(rows);
}

}  // namespace graze::app

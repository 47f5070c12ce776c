// graze stability: how long a step continuous and discrete penalty forces bear.
// docs/commands/stability.md describes it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "command.h"
#include "field_request.h"
#include "graze/error.h"
#include "graze/penalty_simulation.h"
#include "interrupt.h"
#include "named_option.h"
#include "progress_bar.h"
#include "stopwatch.h"
#include "terminal.h"

namespace graze::app {

namespace {

// What Xu and Barbic (2014) report, section 5.
constexpr double kPaperStep = 3, kPaperPenetration = 2.75, kPaperStepAtPenetration = 2.6;
// Steps and stiffnesses are found to 3%, between a 256th and 256 times of where a search begins.
constexpr double kPrecision = 1.03;
constexpr double kMostSteps = 2e6;

struct StabilityRequest {
    std::string scene_file;
    double seconds = 0;       // 0: the scene's duration
    double stiffness = 0;     // 0: the scene's
    double damping_time = 0;  // [s] damping over stiffness; 0: the scene's
    // A run is stable where the energy of motion and weight never exceeds that of its beginning by
    // more than this fraction of what lifts every body by its own size.
    double energy_fraction = 0.05;
    bool has_free_damping = false;
    std::optional<PenaltyInterpolation> interpolation;
    std::string device;
    int threads = -1;
    bool as_json = false;
};

struct RunOutcome {
    bool is_stable = false;
    double deepest = 0;  // [m]
};

struct MethodLimits {
    double step = 0;     // [s] the largest stable one
    double deepest = 0;  // [m] there
};

// The largest value that holds, of those that hold up to some limit; begins at a guess. 0 where not
// even a 256th of that holds.
template <class Holds>
double largest(double guess, const char* what, const Holds& holds) {
    double low = guess, high = 0;
    while (!holds(low)) {
        high = low;
        low /= 2;
        if (low < guess / 256) return 0;
    }
    for (int i = 0; i < 8 && high == 0; ++i) {
        if (holds(low * 2)) {
            low *= 2;
        } else {
            high = low * 2;
        }
    }
    if (high == 0)
        throw Error(std::string("stability: every ") + what +
                    " is stable, up to 256 times that to begin with; does anything touch?");
    while (high / low > kPrecision) {
        const double middle = std::sqrt(low * high);
        (holds(middle) ? low : high) = middle;
    }
    return low;
}

class Stability {
public:
    Stability(const StabilityRequest& request, SceneDescription scene, const Interrupt& interrupt)
        : request_(request),
          scene_(std::move(scene)),
          interrupt_(interrupt),
          bar_("looking for the longest steps") {
        PenaltyOptions& options = scene_.solver.penalty;
        if (request_.interpolation) options.interpolation = *request_.interpolation;
        if (request_.has_free_damping) options.limits_damping = false;
        stiffness_ = request_.stiffness;
        if (stiffness_ == 0) stiffness_ = options.stiffness.value_or(chosen_stiffness(scene_));
        damping_time_ = request_.damping_time;
        if (damping_time_ == 0) {
            damping_time_ = options.damping ? *options.damping / stiffness_ : scene_.time_step;
        }
        seconds_ = request_.seconds > 0 ? request_.seconds : scene_.duration;
        first_step_ = scene_.time_step;
        for (const SceneBody& body : scene_.bodies) {
            const SceneShape& shape = scene_.shapes[body.shape];
            if (body.motion != BodyMotion::dynamic || !shape.mass) continue;
            const double scale = body.pose.scale;
            const double mass = shape.mass->volume * scene_.materials[body.material].density *
                                scale * scale * scale;
            lifting_energy_ +=
                mass * length(scene_.gravity) * length(extent(shape.shape.bounds())) * scale;
        }
        if (!(lifting_energy_ > 0))
            throw Error(request.scene_file + ": no body falls; give it gravity and dynamic bodies");
    }

    void find() {
        continuous_ = limits(true);
        discrete_ = limits(false);
        // At the continuous method's step the discrete one needs a softer spring.
        softer_stiffness_ = largest(stiffness_, "stiffness", [&](double stiffness) {
            return run(false, continuous_.step, stiffness).is_stable;
        });
        if (softer_stiffness_ == 0) {
            throw Error("stability: at " + with_digits(1000 * continuous_.step, 3) +
                        " ms the discrete method is not stable with any stiffness");
        }
        softer_deepest_ = run(false, continuous_.step, softer_stiffness_).deepest;
        step_at_penetration_ = largest(discrete_.step, "step", [&](double step) {
            const RunOutcome outcome = run(true, step, stiffness_);
            return outcome.is_stable && outcome.deepest <= discrete_.deepest;
        });
    }

    double step_ratio() const { return continuous_.step / discrete_.step; }
    double penetration_ratio() const { return softer_deepest_ / continuous_.deepest; }
    double step_at_penetration_ratio() const { return step_at_penetration_ / discrete_.step; }

    nlohmann::ordered_json to_json() const {
        const auto method = [](const MethodLimits& limits) {
            return nlohmann::ordered_json{{"largest_step", limits.step},
                                          {"deepest_penetration", limits.deepest}};
        };
        return {{"scene", request_.scene_file},
                {"stiffness", stiffness_},
                {"damping_time", damping_time_},
                {"seconds", seconds_},
                {"interpolation", name_of(scene_.solver.penalty.interpolation)},
                {"limits_damping", scene_.solver.penalty.limits_damping},
                {"energy_fraction", request_.energy_fraction},
                {"continuous", method(continuous_)},
                {"discrete", method(discrete_)},
                {"softer_discrete",
                 {{"stiffness", softer_stiffness_}, {"deepest_penetration", softer_deepest_}}},
                {"continuous_step_at_equal_penetration", step_at_penetration_},
                {"ratios",
                 {{"step", step_ratio()},
                  {"penetration", penetration_ratio()},
                  {"step_at_equal_penetration", step_at_penetration_ratio()}}},
                {"paper",
                 {{"step", kPaperStep},
                  {"penetration", kPaperPenetration},
                  {"step_at_equal_penetration", kPaperStepAtPenetration}}},
                {"run_count", run_count_}};
    }

    std::string to_text() const {
        const auto milliseconds = [](double s) { return with_digits(1000 * s, 3) + " ms"; };
        const auto millimetres = [](double m) { return with_digits(1000 * m, 3) + " mm"; };
        const auto beside = [](double ours, double paper) {
            return with_digits(ours, 3) + "x, the paper's is " + with_digits(paper, 3) + "x";
        };
        std::string text = styled(printable(scene_.name), Style::heading) + "\n";
        text += in_rows({{"stiffness", with_digits(stiffness_, 3) + " N/m of a point"},
                         {"damping", with_digits(stiffness_ * damping_time_, 3) + " N s/m"},
                         {"simulated", with_digits(seconds_, 3) + " s, " +
                                           with_separators(run_count_) + " times"}});
        text += "\n" + styled("Largest stable step", Style::heading) + "\n";
        text += in_rows({{"continuous", milliseconds(continuous_.step)},
                         {"discrete", milliseconds(discrete_.step)},
                         {"ratio", beside(step_ratio(), kPaperStep)}});
        text += "\n" +
                styled("Deepest penetration at " + milliseconds(continuous_.step), Style::heading) +
                "\n";
        text += in_rows({{"continuous", millimetres(continuous_.deepest)},
                         {"discrete", millimetres(softer_deepest_) + ", with " +
                                          with_digits(softer_stiffness_, 3) + " N/m"},
                         {"ratio", beside(penetration_ratio(), kPaperPenetration)}});
        text += "\n" +
                styled("Largest stable step with at most " + millimetres(discrete_.deepest),
                       Style::heading) +
                "\n";
        text += in_rows({{"continuous", step_at_penetration_ > 0
                                            ? milliseconds(step_at_penetration_)
                                            : std::string("none: it goes deeper at any step")},
                         {"discrete", milliseconds(discrete_.step)},
                         {"ratio", beside(step_at_penetration_ratio(), kPaperStepAtPenetration)}});
        return text;
    }

private:
    MethodLimits limits(bool is_continuous) {
        MethodLimits found;
        found.step = largest(first_step_, "step", [&](double step) {
            return run(is_continuous, step, stiffness_).is_stable;
        });
        if (found.step == 0) {
            throw Error(
                "stability: not even a 256th of the scene's time_step is stable; make it or the "
                "stiffness smaller");
        }
        found.deepest = run(is_continuous, found.step, stiffness_).deepest;
        return found;
    }

    RunOutcome run(bool is_continuous, double step, double stiffness) {
        // There are about 60 runs; how long they take goes with the length of their steps.
        bar_.show(std::min(0.99, run_count_ / 60.0),
                  std::string(is_continuous ? "continuous, " : "discrete, ") +
                      with_digits(1000 * step, 3) + " ms");
        ++run_count_;
        SceneDescription scene = scene_;
        scene.time_step = step;
        scene.solver.penalty.is_continuous = is_continuous;
        scene.solver.penalty.stiffness = static_cast<float>(stiffness);
        scene.solver.penalty.damping = static_cast<float>(stiffness * damping_time_);
        if (seconds_ / step > kMostSteps)
            throw Error("stability: so short a step takes forever; give a lower --stiffness");
        const auto simulation = make_penalty_simulation(std::move(scene));
        const auto energy = [&] {
            return simulation->statistics().kinetic_energy +
                   simulation->statistics().potential_energy;
        };
        const double most = energy() + request_.energy_fraction * lifting_energy_;
        RunOutcome outcome;
        const std::int64_t step_count = std::llround(std::ceil(seconds_ / step));
        for (std::int64_t i = 0; i < step_count; ++i) {
            interrupt_.check();
            try {
                simulation->step();
            } catch (const Error&) {
                return outcome;  // a body was lost
            }
            outcome.deepest =
                std::max<double>(outcome.deepest, simulation->statistics().deepest_penetration);
            if (!(energy() <= most)) return outcome;
        }
        outcome.is_stable = true;
        return outcome;
    }

    const StabilityRequest& request_;
    SceneDescription scene_;
    const Interrupt& interrupt_;
    ProgressBar bar_;
    double stiffness_ = 0, damping_time_ = 0, seconds_ = 0, first_step_ = 0;
    double lifting_energy_ = 0;  // [J]
    int run_count_ = 0;
    MethodLimits continuous_, discrete_;
    double softer_stiffness_ = 0, softer_deepest_ = 0, step_at_penetration_ = 0;
};

SceneDescription load_penalty_scene(const StabilityRequest& request, const Interrupt& interrupt) {
    SceneLoadOptions options;
    if (!request.device.empty()) options.device = Device::parse(request.device);
    if (request.threads >= 0) options.threads = request.threads;
    ProgressBar bar("building shapes");
    options.progress = [&](double fraction) {
        bar.show(fraction);
        return !interrupt.is_requested();
    };
    SceneDescription scene = load_scene(request.scene_file, options);
    if (scene.solver.kind != SolverKind::penalty) {
        throw Error(request.scene_file + ": its solver is " + name_of(scene.solver.kind) +
                    "; give a scene of the solver penalty, as scenes/paper_bunny_small.json");
    }
    return scene;
}

int run_stability(const StabilityRequest& request) {
    return run_interruptible("the answer", [&](const Interrupt& interrupt) {
        std::string text;
        {
            Stability stability(request, load_penalty_scene(request, interrupt), interrupt);
            stability.find();
            text = request.as_json
                       ? stability.to_json().dump(
                             2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                             "\n"
                       : stability.to_text();
        }
        print(text);
    });
}

}  // namespace

void add_command_stability(CLI::App& parent, Action& chosen) {
    CLI::App* command = parent.add_subcommand(
        "stability", "How long a step continuous and discrete penalty forces bear");
    const auto request = std::make_shared<StabilityRequest>();
    command->add_option("SCENE", request->scene_file, "A scene of the solver penalty, .json")
        ->required()
        ->option_text(" ");
    const auto add = [&](const char* name, auto& value, const char* form, const char* meaning) {
        return command->add_option(name, value, meaning)->option_text(form);
    };
    add("--seconds", request->seconds, "S", "Simulate so long each time; by default the scene's")
        ->check(CLI::Range(1e-3, 1e4));
    add("--stiffness", request->stiffness, "K", "N/m of a point; by default the scene's")
        ->check(CLI::Range(1e-9, 1e12));
    add("--damping-time", request->damping_time, "S",
        "Damping over stiffness; by default the scene's")
        ->check(CLI::Range(1e-9, 1e3));
    add_named_option(*command, "--interpolation", request->interpolation, "Instead of the scene's");
    command
        ->add_flag("--free-damping", request->has_free_damping,
                   "Damping opposes all motion in contact, as the paper has it")
        ->option_text(" ");
    add("--energy", request->energy_fraction, "F",
        "Stable is what gains less than F times what lifts each body by its size (0.05)")
        ->check(CLI::Range(1e-6, 1e6));
    add("--device", request->device, "NAME", "Instead of the scene's: cpu, cuda, cuda:N, or best")
        ->check(CLI::Validator(check_device_name, ""));
    add("--threads", request->threads, "N", "Instead of the scene's; 0: all cores")
        ->check(CLI::Range(0, 1024));
    command->add_flag("--json", request->as_json, "Print one JSON object, and nothing else")
        ->option_text(" ");
    command->footer(
        "A step is stable where bodies never gain energy: that of their motion and weight stays\n"
        "within that of the beginning and, by default, 5% of what lifts each by its own size.\n"
        "\n"
        "Examples:\n"
        "  graze stability scenes/paper_bunny_small.json\n"
        "  graze stability scenes/paper_bunny.json --seconds 1 --json");
    command->callback(
        [request, &chosen] { chosen = [request] { return run_stability(*request); }; });
}

}  // namespace graze::app

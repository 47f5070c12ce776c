// graze simulate: runs a scene and keeps what happened. docs/commands/simulate.md describes it.
#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <new>
#include <optional>
#include <set>

#include "command.h"
#include "field_request.h"
#include "graze/error.h"
#include "graze/mesh_io.h"
#include "graze/recording.h"
#include "graze/stop.h"
#include "graze/write_file.h"
#include "interrupt.h"
#include "make_simulation.h"
#include "named_option.h"
#include "progress_bar.h"
#include "run_folder.h"
#include "run_page.h"
#include "run_summary.h"
#include "step_log.h"
#include "stopwatch.h"
#include "terminal.h"

namespace graze::app {

namespace {

namespace fs = std::filesystem;

struct SimulateRequest {
    std::string scene_file;
    std::string folder;   // empty: named after the scene
    int frame_count = 0;  // 0: as many as the scene's duration takes
    // Where one of these three is none, empty or below 0, it is as the scene says.
    std::optional<Method> method;
    std::string device;
    int threads = -1;
    bool as_json = false;
    bool skips_recording = false, skips_animation = false;
    bool skips_cache = false, writes_page = false;
};

// Thrown where the user ended it before there was anything to keep; all other errors are real ones,
// also after Ctrl-C.
class Interrupted : public Error {
public:
    static constexpr const char* kWords = "interrupted before the first step";
    Interrupted() : Error(kWords) {}
};

SceneDescription load(const SimulateRequest& request, const Interrupt& interrupt) {
    SceneLoadOptions options;
    if (!request.device.empty()) options.device = Device::parse(request.device);
    if (request.threads >= 0) options.threads = request.threads;
    options.cache.is_on = !request.skips_cache;
    ProgressBar bar("building shapes");
    bool is_stopped = false;
    options.progress = [&](double fraction) {
        bar.show(fraction);
        is_stopped = interrupt.is_requested();
        return !is_stopped;
    };
    try {
        SceneDescription scene = load_scene(request.scene_file, options);
        if (request.method) scene.method = *request.method;
        return scene;
    } catch (const Error&) {
        if (is_stopped) throw Interrupted();
        throw;
    }
}

// Builds what the method needs of the shapes that bodies have, and throws Error where one cannot
// give it. Cloth has a detector of its own.
void prepare_shapes(const SceneDescription& scene, const Interrupt& interrupt) {
    if (scene.solver.kind == SolverKind::cloth) return;
    std::set<std::uint32_t> used;
    for (const SceneBody& body : scene.bodies)
        used.insert(body.shape);
    Detector detector(scene.method, scene.device, scene.detector);
    ProgressBar bar("preparing shapes");
    bool is_stopped = false;
    double done_count = 0;
    for (const std::uint32_t index : used) {
        Scene alone;
        alone.add(scene.shapes[index].shape);
        try {
            detector.prepare(alone, [&](double fraction) {
                bar.show((done_count + fraction) / static_cast<double>(used.size()));
                is_stopped = interrupt.is_requested();
                return !is_stopped;
            });
        } catch (const Error& error) {
            if (is_stopped) throw Interrupted();
            throw Error("shape " + printable(scene.shapes[index].name) + ": " + error.what());
        }
        ++done_count;
    }
}

std::int64_t step_count_of(const SceneDescription& scene, const SimulateRequest& request) {
    if (request.frame_count > 0) return std::int64_t{request.frame_count} * scene.frame_steps;
    return std::llround(scene.duration / scene.time_step);
}

std::string describe(const SceneDescription& scene, std::int64_t step_count,
                     const RunFolder& folder) {
    std::string bodies = with_separators(static_cast<std::int64_t>(scene.bodies.size()));
    std::string text = styled(printable(scene.name), Style::heading) + "\n";
    std::vector<std::pair<std::string, std::string>> rows{
        {"bodies", bodies},
        {"steps",
         with_separators(step_count) + " of " + with_digits(1000 * scene.time_step, 4) + " ms"},
        {"device", scene.device.description()},
        {"threads", std::to_string(thread_count_of(scene))}};
    for (const SceneShape& shape : scene.shapes) {
        const std::string source = mass_source_of(shape);
        const std::string mass = source == "none" ? "no mass" : "mass from its " + source;
        rows.emplace_back("shape " + printable(shape.name), printable(shape.origin) + ", " + mass);
        for (const std::string& finding : shape.findings)
            rows.emplace_back("", styled(printable(finding), Style::attention));
    }
    rows.emplace_back("results in",
                      printable(folder.path().string()) +
                          (folder.had_earlier_run() ? ", in place of earlier ones" : ""));
    return text + in_rows(rows) + "\n";
}

// A run and all that it leaves behind.
class Run {
public:
    Run(const SimulateRequest& request, Interrupt& interrupt)
        : request_(request), interrupt_(interrupt), folder_(folder_of(request)) {
        if (request.writes_page) check_page();
        const Stopwatch loading;
        simulation_ = make_simulation(load(request, interrupt));
        prepare_shapes(simulation_->scene(), interrupt);
        // It is not done before: a scene with a mistake in it must not cost the results of its last
        // run.
        folder_.prepare();
        interrupt.finish_what_is_begun(
            "interrupted; the files are finished first; Ctrl-C once more ends it at once, with the "
            "steps until now in steps.csv and run.grec");
        const SceneDescription& scene = simulation_->scene();
        step_count_ = step_count_of(scene, request);
        if (!request.as_json) print(describe(scene, step_count_, folder_));
        std::fflush(stdout);
        summary_.emplace(request.scene_file, *simulation_);
        summary_->set_load_seconds(loading.seconds());
        log_.emplace(folder_.steps_csv());
        if (request.skips_recording) return;
        if (simulation_->surface()) folder_.make_frames();
        recording_.emplace(folder_.recording(), describe_recording(scene));
        record();
    }

    // Returns false where the user ended it.
    bool run() {
        try {
            step_all();
        } catch (const Error& error) {
            keep_after(error);
            throw;
        }
        const bool is_complete = simulation_->statistics().step == step_count_;
        finish(is_complete);
        return is_complete;
    }

private:
    static fs::path folder_of(const SimulateRequest& request) {
        if (!request.folder.empty()) return request.folder;
        return fs::path(request.scene_file).stem().string() + ".run";
    }

    void step_all() {
        ProgressBar bar("simulating");
        const int frame_steps = simulation_->scene().frame_steps;
        for (std::int64_t step = 1; step <= step_count_ && !interrupt_.is_requested(); ++step) {
            if (!take_step()) return;
            const StepStatistics& statistics = simulation_->statistics();
            if (!request_.skips_recording && step % frame_steps == 0) record();
            log_->add(statistics);
            summary_->add(statistics);
            bar.show(static_cast<double>(step) / static_cast<double>(step_count_),
                     with_digits(summary_->steps_per_second(), 3) + " steps/s, " +
                         with_separators(statistics.contact_count) + " contacts");
        }
    }

    // Returns false where the user did not wait for its end.
    bool take_step() {
        const StopScope scope([this] { return interrupt_.is_requested(); });
        try {
            simulation_->step();
            return true;
        } catch (const Stopped&) {
            return false;
        } catch (const std::bad_alloc&) {
            throw Error("out of memory in step " +
                        std::to_string(simulation_->statistics().step + 1) +
                        "; give the scene fewer bodies, coarser meshes or fields of a smaller "
                        "resolution");
        }
    }

    void record() {
        recording_->add(*simulation_);
        if (const Mesh* surface = simulation_->surface())
            save_mesh(*surface, folder_.frame(frame_count_), MeshEncoding::binary_little_endian);
        summary_->set_frames(++frame_count_);
    }

    // What was found before an error is kept. Where that fails too, as on a full disk, the first
    // error is the one to know of.
    void keep_after(const Error& error) {
        try {
            finish(false);
        } catch (const Error& next) {
            throw Error(std::string(error.what()) +
                        "; what came before it was not all kept: " + next.what());
        }
    }

    void finish(bool is_complete) {
        const bool has_recording = recording_.has_value();
        if (recording_ && is_complete) recording_->finish();
        recording_.reset();
        if (summary_->step_count() > 0) write_steps_json(folder_.steps_csv(), folder_.steps_json());
        const auto summary = summary_->to_json(*simulation_, is_complete);
        // File names need not be UTF-8, JSON must be.
        const std::string text =
            summary.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
        write_file(folder_.summary(), text);
        if (has_recording && !request_.skips_animation) {
            ProgressBar bar("writing run.glb");
            write_glb(Recording(folder_.recording()), folder_.animation(), [&](double fraction) {
                bar.show(fraction);
                return true;
            });
        }
        if (has_recording && request_.writes_page) {
            ProgressBar bar("writing run.html");
            write_run_page({folder_.recording()}, folder_.page(), [&](double fraction) {
                bar.show(fraction);
                return true;
            });
        }
        print(request_.as_json ? text : summary_->to_text(*simulation_, is_complete));
    }

    const SimulateRequest& request_;
    const Interrupt& interrupt_;
    RunFolder folder_;
    std::int64_t step_count_ = 0, frame_count_ = 0;
    std::unique_ptr<Simulation> simulation_;
    std::optional<RunSummary> summary_;
    std::optional<StepLog> log_;
    std::optional<RecordingWriter> recording_;
};

int run_simulate(const SimulateRequest& request) {
    Interrupt interrupt(Interrupted::kWords);
    try {
        Run run(request, interrupt);
        if (run.run()) return kOk;
        print_error("interrupted; what was simulated until then is kept");
    } catch (const Interrupted& interrupted) {
        print_error(interrupted.what());
    }
    return interrupt.exit_code();
}

void add_options(CLI::App& command, SimulateRequest& request) {
    command.add_option("SCENE", request.scene_file, "A scene file, .json")
        ->required()
        ->option_text(" ");
    const auto add = [&](const char* name, auto& value, const char* form, const char* meaning) {
        return command.add_option(name, value, meaning)->option_text(form);
    };
    const auto add_flag = [&](const char* name, bool& value, const char* meaning) {
        command.add_flag(name, value, meaning)->option_text(" ");
    };
    add("-o,--out", request.folder, "DIR",
        "Where the results go; by default the scene file's name with .run.\n"
        "Those of an earlier run there are replaced");
    add("--frames", request.frame_count, "N",
        "Stop after N recorded frames, whatever the scene's duration")
        ->check(CLI::Range(1, 1'000'000'000));
    add_named_option(command, "--method", request.method, "Instead of the scene's");
    add("--device", request.device, "NAME", "Instead of the scene's: cpu, cuda, cuda:N, or best")
        ->check(CLI::Validator(check_device_name, ""));
    add("--threads", request.threads, "N",
        "Instead of the scene's; 0: all cores. What happens does not depend\non it")
        ->check(CLI::Range(0, 1024));
    add_flag("--json", request.as_json, "Print the summary as one JSON object, and nothing else");
    CLI::Option* page =
        command
            .add_flag("--page", request.writes_page,
                      "Write run.html as well: a page that plays the run in any browser")
            ->option_text(" ");
    add_flag("--no-recording", request.skips_recording, "Leave out run.grec, run.glb and frames");
    page->excludes("--no-recording");
    add_flag("--no-glb", request.skips_animation, "Leave out run.glb");
    add_flag("--no-cache", request.skips_cache,
             "Build fields even where the same were built before");
}

}  // namespace

void add_command_simulate(CLI::App& parent, Action& chosen) {
    CLI::App* command = parent.add_subcommand(
        "simulate", "Run a scene: bodies that move and touch, recorded step by step");
    const auto request = std::make_shared<SimulateRequest>();
    add_options(*command, *request);
    command->footer(
        "DIR gets steps.csv and steps.json (what each step did), summary.json, run.grec (the\n"
        "recording) and run.glb (an animation for any viewer of glTF); with --page also run.html. "
        "steps.csv and run.grec\n"
        "grow while it runs, and every finished step is in them whatever happens.\n"
        "A scene with cloth leaves frames/00000.ply and so on besides: all triangles as they "
        "were.\n"
        "Ctrl-C ends the run in good order, with all files written.\n"
        "\n"
        "Examples:\n"
        "  graze simulate scenes/pipe_small.json\n"
        "  graze simulate scenes/pipe.json --device best --frames 100 -o build/pipe\n"
        "  graze simulate scenes/cloth_ball_small.json");
    command->callback(
        [request, &chosen] { chosen = [request] { return run_simulate(*request); }; });
}

}  // namespace graze::app

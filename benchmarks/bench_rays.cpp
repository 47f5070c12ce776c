// Measures Method::rays, as the paper on ray-traced collision detection (Lehericey, Gouranton and
// Arnaldi, 2013) does.
//
//   bench_rays record POSES [--scene FILE] [--at 2,5,9.5] [--steps 24] [--threads N]
//       simulates a scene by Bullet and writes the poses of some successive steps to a file
//   bench_rays replay POSES [--variant NAME]... [--threads 1,2] [--run NAME] [--gap M] [--warm N]
//                     [--repeats N] [--stages] [--no-embree] [--embree-casts-all]
//       detects in these steps, by the variants of ray_variants.h, and casts the same rays by
//       Embree
//   bench_rays run --table CSV [--scene FILE] [--variant NAME] [--response ray] [--gap M]
//                  [--tracks] [--seconds S] [--measure-every N] [--poses FILE] [--at S,...]
//                  [--steps N] [--threads N]
//       simulates a scene by Bullet: times of a step's parts and sums of ray lengths
//   bench_rays depths [--scene FILE] [--variant NAME]... [--response NAME]... [--seconds S]
//                     [--thresholds M,...] [--beginnings N] [--threads N]
//       sums of ray lengths as means over several beginnings of a scene (table 2)
//   bench_rays errors POSES [--table CSV] [--variant NAME]... [--every N] [--warm N]
//                     [--threshold M] [--gap M]
//       counts rays that are not as a cast anew says (figures 9 and 10)
//   bench_rays plot SVG --title TEXT --y TEXT [--line CSV COLUMN NAME]...
//       draws columns of tables over their first one
//   bench_rays gimpact [--scene FILE] [--seconds S]
//       steps a scene by graze in Bullet and by Bullet's own btGImpactMeshShape
//   bench_rays deviation [--orientations 400] [--depths 20]
//       table 1
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "benchmarks/gimpact_world.h"
#include "benchmarks/ray_depths.h"
#include "benchmarks/ray_deviation.h"
#include "benchmarks/ray_errors.h"
#include "benchmarks/ray_record.h"
#include "benchmarks/ray_replay.h"
#include "benchmarks/ray_run.h"
#include "benchmarks/svg_plot.h"
#include "graze/names.h"

namespace graze {
namespace {

// The words of a command line: what follows an option is its value.
class Words {
public:
    Words(int argc, char** argv) : words_(argv + std::min(argc, 2), argv + argc) {}

    bool is_empty() const { return next_ == words_.size(); }
    std::string take(const std::string& what) {
        if (is_empty()) throw Error(what + ": something has to follow");
        return words_[next_++];
    }
    double number(const std::string& option) { return std::atof(take(option).c_str()); }
    std::vector<double> numbers(const std::string& option) { return split(take(option)); }
    static std::vector<double> split(const std::string& text_list) {
        std::vector<double> result;
        std::istringstream list(text_list);
        for (std::string text; std::getline(list, text, ',');)
            result.push_back(std::atof(text.c_str()));
        return result;
    }

private:
    std::vector<std::string> words_;
    std::size_t next_ = 0;
};

SceneDescription load(const std::string& file, int threads) {
    SceneLoadOptions options;
    if (threads > 0) options.threads = threads;
    return load_scene(file, options);
}

int run_record(Words words) {
    const std::string path = words.take("record");
    std::string scene = GRAZE_SOURCE_DIR "/scenes/avalanche.json";
    RecordOptions options;
    int threads = 0;
    while (!words.is_empty()) {
        const std::string option = words.take("");
        if (option == "--scene")
            scene = words.take(option);
        else if (option == "--at")
            options.times = words.numbers(option);
        else if (option == "--steps")
            options.step_count = static_cast<int>(words.number(option));
        else if (option == "--threads")
            threads = static_cast<int>(words.number(option));
        else
            throw Error("record: no option " + option);
    }
    save_poses(path, record_poses(load(scene, threads), options));
    return 0;
}

int run_replay(Words words) {
    const std::string path = words.take("replay");
    ReplayOptions options;
    while (!words.is_empty()) {
        const std::string option = words.take("");
        if (option == "--variant") {
            options.variants.push_back(words.take(option));
        } else if (option == "--threads") {
            options.thread_counts.clear();
            for (const double count : words.numbers(option))
                options.thread_counts.push_back(static_cast<int>(count));
        } else if (option == "--run") {
            options.run = words.take(option);
        } else if (option == "--gap") {
            options.gap = static_cast<float>(words.number(option));
        } else if (option == "--warm") {
            options.warm_count = static_cast<int>(words.number(option));
        } else if (option == "--repeats") {
            options.repeats = static_cast<int>(words.number(option));
        } else if (option == "--stages") {
            options.has_stages = true;
        } else if (option == "--no-embree") {
            options.has_embree = false;
        } else if (option == "--embree-casts-all") {
            options.embree_casts_all = true;
        } else {
            throw Error("replay: no option " + option);
        }
    }
    replay(load_poses(path), options);
    return 0;
}

int run_scenes(Words words) {
    std::string scene = GRAZE_SOURCE_DIR "/scenes/avalanche.json";
    RunOptions options;
    while (!words.is_empty()) {
        const std::string option = words.take("");
        if (option == "--tracks") {
            options.world.tracks_points = true;
            continue;
        }
        const std::string value = words.take(option);
        if (option == "--scene")
            scene = value;
        else if (option == "--table")
            options.table = value;
        else if (option == "--variant")
            options.variant = value;
        else if (option == "--response")
            options.response = parse_name<RayResponse>(value);
        else if (option == "--gap")
            options.world.gap = std::strtof(value.c_str(), nullptr);
        else if (option == "--seconds")
            options.duration = std::atof(value.c_str());
        else if (option == "--measure-every")
            options.measure_every = std::max(1, std::atoi(value.c_str()));
        else if (option == "--poses")
            options.poses = value;
        else if (option == "--at")
            options.record.times = Words::split(value);
        else if (option == "--steps")
            options.record.step_count = std::atoi(value.c_str());
        else if (option == "--threads")
            options.world.threads = std::atoi(value.c_str());
        else
            throw Error("run: no option " + option);
    }
    print_run_header();
    run_scene(load(scene, options.world.threads), options);
    return 0;
}

int run_depths(Words words) {
    std::string scene = GRAZE_SOURCE_DIR "/scenes/avalanche_small.json";
    DepthOptions options;
    options.run.measure_every = 5;
    std::vector<std::string> variants;
    std::vector<RayResponse> responses;
    while (!words.is_empty()) {
        const std::string option = words.take("");
        if (option == "--scene")
            scene = words.take(option);
        else if (option == "--variant")
            variants.push_back(words.take(option));
        else if (option == "--response")
            responses.push_back(parse_name<RayResponse>(words.take(option)));
        else if (option == "--seconds")
            options.run.duration = words.number(option);
        else if (option == "--thresholds")
            options.thresholds = words.numbers(option);
        else if (option == "--beginnings")
            options.beginnings = static_cast<int>(words.number(option));
        else if (option == "--threads")
            options.run.world.threads = static_cast<int>(words.number(option));
        else
            throw Error("depths: no option " + option);
    }
    if (!variants.empty()) options.variants = variants;
    if (!responses.empty()) options.responses = responses;
    print_depths(load(scene, options.run.world.threads), options);
    return 0;
}

int run_errors(Words words) {
    const std::string path = words.take("errors");
    ErrorOptions options;
    bool has_variants = false;
    while (!words.is_empty()) {
        const std::string option = words.take("");
        const std::string value = words.take(option);
        if (option == "--variant") {
            if (!has_variants) options.variants.clear();
            has_variants = true;
            options.variants.push_back(value);
        } else if (option == "--table") {
            options.table = value;
        } else if (option == "--every") {
            options.every = std::max(1, std::atoi(value.c_str()));
        } else if (option == "--warm") {
            options.warm_count = std::atoi(value.c_str());
        } else if (option == "--threads") {
            options.threads = std::atoi(value.c_str());
        } else if (option == "--threshold") {
            options.threshold = std::strtof(value.c_str(), nullptr);
        } else if (option == "--gap") {
            options.gap = std::strtof(value.c_str(), nullptr);
        } else {
            throw Error("errors: no option " + option);
        }
    }
    count_wrong_rays(load_poses(path), options);
    return 0;
}

int run_plot(Words words) {
    const std::string path = words.take("plot");
    SvgPlot plot;
    plot.x_title = "time in the simulation [s]";
    while (!words.is_empty()) {
        const std::string option = words.take("");
        if (option == "--title") {
            plot.title = words.take(option);
        } else if (option == "--y") {
            plot.y_title = words.take(option);
        } else if (option == "--line") {
            const std::string file = words.take(option), column = words.take(option);
            plot.add_column(file, column, words.take(option));
        } else {
            throw Error("plot: no option " + option);
        }
    }
    plot.save(path);
    return 0;
}

int run_gimpact(Words words) {
    std::string file = GRAZE_SOURCE_DIR "/scenes/avalanche_small.json";
    double seconds = 4;
    while (!words.is_empty()) {
        const std::string option = words.take("");
        if (option == "--scene")
            file = words.take(option);
        else if (option == "--seconds")
            seconds = words.number(option);
        else
            throw Error("gimpact: no option " + option);
    }
    const SceneDescription scene = load(file, 1);
    RayWorldOptions options;
    options.rays = ray_options("iterative").rays;
    options.gap = 0.02f;
    options.tracks_points = true;
    options.threads = 1;
    RayWorld ours(scene, options);
    compare_with_gimpact(scene, seconds, ours);
    return 0;
}

int run_deviation(Words words) {
    ray_deviation::DeviationOptions options;
    while (!words.is_empty()) {
        const std::string option = words.take("");
        if (option == "--orientations")
            options.orientations = static_cast<int>(words.number(option));
        else if (option == "--depths")
            options.depths = static_cast<int>(words.number(option));
        else if (option == "--threads")
            options.threads = static_cast<int>(words.number(option));
        else
            throw Error("deviation: no option " + option);
    }
    print_deviations(options);
    return 0;
}

int run(int argc, char** argv) {
    const std::string command = argc > 1 ? argv[1] : "";
    const Words words(argc, argv);
    if (command == "record") return run_record(words);
    if (command == "replay") return run_replay(words);
    if (command == "run") return run_scenes(words);
    if (command == "depths") return run_depths(words);
    if (command == "errors") return run_errors(words);
    if (command == "plot") return run_plot(words);
    if (command == "gimpact") return run_gimpact(words);
    if (command == "deviation") return run_deviation(words);
    throw Error(
        "usage: bench_rays record|replay|run|depths|errors|plot|gimpact|deviation ...; "
        "benchmarks/bench_rays.cpp says "
        "how");
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    try {
        return graze::run(argc, argv);
    } catch (const graze::Error& error) {
        std::fprintf(stderr, "bench_rays: %s\n", error.what());
        return 1;
    }
}

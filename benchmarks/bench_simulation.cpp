// Measures table 1 of Krayer et al. (2022) inside the simulation: the average counts of contacts
// and of pairs, and the time to find them, step by step, while Bullet moves the bodies by what is
// found. Beside the detector that drives the run, the paper's own method runs on the same poses and
// pairs.
//
//     bench_simulation [--steps 1000] [--skip 0] [--device cuda] [--n 5,10,15,20]
//                      [--plain-every 1] SCENE.json...
//
// --skip leaves out the first steps, while bodies still fall. --plain-every k runs the plain
// method, which may be slow, only at every k-th step; 0 leaves it out. Bodies never sleep, since
// pairs of sleeping bodies are not searched.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "benchmarks/call_times.h"
#include "graze/error.h"
#include "graze_bullet/simulation.h"
#include "particle_variant.h"

namespace graze {
namespace {

struct Request {
    int steps = 1000, skip = 0, plain_every = 1;
    Device device = Device::best();
    std::vector<int> resolutions{5, 10, 15, 20};
    std::vector<std::string> scenes;
};

Request parse(int argc, char** argv) {
    Request request;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const std::string value = i + 1 < argc ? argv[i + 1] : "";
        if (word.rfind("--", 0) != 0) {
            request.scenes.push_back(word);
            continue;
        }
        if (word == "--steps") request.steps = std::atoi(value.c_str());
        if (word == "--skip") request.skip = std::atoi(value.c_str());
        if (word == "--plain-every") request.plain_every = std::atoi(value.c_str());
        if (word == "--device") request.device = Device::parse(value);
        if (word == "--n") {
            request.resolutions.clear();
            std::istringstream list(value);
            for (std::string number; std::getline(list, number, ',');)
                request.resolutions.push_back(std::atoi(number.c_str()));
        }
        ++i;
    }
    return request;
}

struct Mean {
    double sum = 0;
    int count = 0;

    void add(double value) {
        sum += value;
        ++count;
    }
    double value() const { return count > 0 ? sum / count : 0; }
};

// Runs the paper's method on the poses of a simulation.
class PlainPassenger {
public:
    PlainPassenger(const SceneDescription& scene, int resolution)
        : detector_(Method::particles, scene.device, plain_options(resolution)) {
        for (const SceneBody& body : scene.bodies) {
            Body added{.shape = scene.shapes[body.shape].shape, .pose = body.pose};
            added.is_static = body.motion != BodyMotion::dynamic;
            bodies_.add(added);
        }
    }

    // Detects with the bodies in their present poses; those that are still to come are far away.
    void detect(std::span<const BodyState> states) {
        for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
            Transform pose = states[i].pose;
            if (!states[i].is_present)
                pose.translation = {1e6f + 1e3f * static_cast<float>(i), 0, 0};
            bodies_.set_pose(i, pose);
        }
        milliseconds.add(time_call([&] { detector_.detect(bodies_); }).wall);
        found.add(static_cast<double>(detector_.report().found_count));
        pairs.add(static_cast<double>(detector_.report().pair_count));
    }

    Mean milliseconds, found, pairs;

private:
    static DetectorOptions plain_options(int resolution) {
        DetectorOptions options = plain(resolution);
        // A solver takes as many; with this not all contacts are copied to the host.
        options.reduction.manifold_count = 48;
        return options;
    }

    Detector detector_;
    Scene bodies_;
};

void run(const SceneDescription& loaded, int resolution, const Request& request) {
    SceneDescription scene = loaded;
    scene.detector.particles.resolution = resolution;
    scene.solver.sleeps = false;
    const auto simulation = bullet::make_simulation(scene);
    PlainPassenger plain(scene, resolution);
    Mean found, pairs, detect, solve, step;
    for (int i = 0; i < request.skip + request.steps; ++i) {
        simulation->step();
        if (i < request.skip) continue;
        const StepStatistics& sum = simulation->statistics();
        found.add(static_cast<double>(sum.found_count));
        pairs.add(static_cast<double>(sum.pair_count));
        step.add(sum.seconds * 1e3);
        for (const StepReport::Stage& stage : sum.stages) {
            if (std::string(stage.name) == "detect") detect.add(stage.seconds * 1e3);
            if (std::string(stage.name) == "solve") solve.add(stage.seconds * 1e3);
        }
        if (request.plain_every > 0 && i % request.plain_every == 0)
            plain.detect(simulation->states());
    }
    std::printf("%-26.26s %3d | %6.0f %9.0f %9.3f %8.2f %8.2f | %6d %6.0f %9.0f %9.3f\n",
                scene.name.c_str(), resolution, pairs.value(), found.value(), detect.value(),
                solve.value(), step.value(), plain.milliseconds.count, plain.pairs.value(),
                plain.found.value(), plain.milliseconds.value());
    std::fflush(stdout);
}

int run_all(const Request& request) {
    if (request.scenes.empty()) {
        std::fprintf(stderr, "bench_simulation: name a scene file\n");
        return 2;
    }
    std::printf("%s, %d steps after %d; averages a step, [ms]\n", request.device.name().c_str(),
                request.steps, request.skip);
    std::printf("%-26s %3s | %6s %9s %9s %8s %8s | %6s %6s %9s %9s\n", "scene", "N", "pairs",
                "found", "detect", "solve", "step", "plain", "pairs", "found", "detect");
    for (const std::string& file : request.scenes) {
        SceneLoadOptions options;
        options.device = request.device;
        const SceneDescription scene = load_scene(file, options);
        for (const int resolution : request.resolutions)
            run(scene, resolution, request);
    }
    return 0;
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    try {
        return graze::run_all(graze::parse(argc, argv));
    } catch (const graze::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

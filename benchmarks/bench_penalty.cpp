// Measures the solver penalty.
//
//     bench_penalty [--bodies 500] [--skip 400] [--steps 200] [--device cpu] [--threads 1,2]
//     bench_penalty haptic [--points 100000] [--steps 10000] [--depth 0.0005] [--resolution 512]
//
// The first is a heap of rings on the ground: after the skipped steps, in which they fall, it
// prints how many steps are done in a second. The second moves a probe with so many points along
// the bunny at 1,000 steps a second on one thread, as a hand does that presses by what it feels: up
// to --depth metres deep, and away from time to time. It prints how long steps take: a force for a
// hand has to come every millisecond. Without the bunny of the data folder a bumpy sphere stands
// in.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "benchmarks/bench_meshes.h"
#include "benchmarks/call_times.h"
#include "graze/error.h"
#include "graze/generate_mesh.h"
#include "graze/penalty_simulation.h"
#include "response/penalty_stepper.h"

namespace graze {
namespace {

struct PenaltyRequest {
    bool is_haptic = false;
    int bodies = 500, skip = 400, steps = 0, points = 100'000, resolution = 512;
    double depth = 5e-4;
    std::string device = "cpu";
    std::vector<int> threads{1, 2};
};

PenaltyRequest parse(int argc, char** argv) {
    PenaltyRequest request;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "haptic") {
            request.is_haptic = true;
            continue;
        }
        const std::string value = i + 1 < argc ? argv[i + 1] : "";
        if (word == "--bodies") request.bodies = std::atoi(value.c_str());
        if (word == "--skip") request.skip = std::atoi(value.c_str());
        if (word == "--steps") request.steps = std::atoi(value.c_str());
        if (word == "--points") request.points = std::atoi(value.c_str());
        if (word == "--resolution") request.resolution = std::atoi(value.c_str());
        if (word == "--depth") request.depth = std::atof(value.c_str());
        if (word == "--device") request.device = value;
        if (word == "--threads") {
            request.threads.clear();
            std::istringstream list(value);
            for (std::string number; std::getline(list, number, ',');)
                request.threads.push_back(std::atoi(number.c_str()));
        }
        ++i;
    }
    if (request.steps == 0) request.steps = request.is_haptic ? 10'000 : 200;
    return request;
}

SceneDescription make_heap_of_rings(int count) {
    SceneDescription scene;
    scene.name = "rings";
    scene.materials = {Material{.name = "default"}};
    scene.shapes.push_back({.name = "ground",
                            .shape = Shape::from_field(Field::plane({0, 0, 1}, 0)),
                            .origin = "formula"});
    const Mesh ring =
        make_torus({.radius = 0.12f, .tube_radius = 0.05f, .segments = 32, .sides = 16});
    FieldOptions options;
    options.resolution = 64;
    scene.shapes.push_back({.name = "ring",
                            .shape = Shape::from_mesh(ring, build_field(ring, options)),
                            .origin = "generated",
                            .mass = mass_properties(ring)});
    scene.bodies.push_back({.name = "ground", .shape = 0, .motion = BodyMotion::fixed});
    for (int i = 0; i < count; ++i) {
        SceneBody body;
        body.name = "ring " + std::to_string(i);
        body.shape = 1;
        const int row = i / 8 % 8, layer = i / 64;
        const auto x = static_cast<float>(i % 8), y = static_cast<float>(row);
        const auto z = static_cast<float>(layer);
        body.pose.translation = {0.3f * x + 0.04f * z, 0.3f * y - 0.03f * z, 0.15f + 0.16f * z};
        body.angular_velocity = {static_cast<float>(i % 3), static_cast<float>(i % 5), 0};
        scene.bodies.push_back(body);
    }
    scene.solver.kind = SolverKind::penalty;
    scene.time_step = 1e-3;
    return scene;
}

void run_heap(const PenaltyRequest& request) {
    SceneDescription scene = make_heap_of_rings(request.bodies);
    const bool is_gpu = request.device != "cpu";
    std::printf("%d rings of %zu points, 1 ms a step, after %d steps\n", request.bodies,
                scene.shapes[1].shape.points().positions.size(), request.skip);
    for (const int threads : is_gpu ? std::vector<int>{0} : request.threads) {
        scene.device = Device::parse(request.device).with_threads(threads);
        const auto simulation = make_penalty_simulation(scene);
        simulation->run(request.skip);
        const CallTime time = time_call([&] { simulation->run(request.steps); });
        const StepStatistics& found = simulation->statistics();
        std::printf(
            "%s, %s: %.1f steps/s (%.3f ms, of the processor %.3f ms; %lld pairs, %lld "
            "points in contact at most)\n",
            request.device.c_str(),
            is_gpu ? "one run" : (std::to_string(threads) + " threads").c_str(),
            1e3 * request.steps / time.wall, time.wall / request.steps, time.cpu / request.steps,
            static_cast<long long>(found.pair_count), static_cast<long long>(found.contact_count));
        for (const StepReport::Stage& stage : found.stages)
            std::printf("    %-8s %8.3f ms\n", stage.name, 1e3 * stage.seconds / request.steps);
    }
}

PenaltyBody fixed_body(const Shape& shape) {
    const Vec3d none{0, 0, 0};
    RigidProperties properties{};
    properties.local_centre = properties.acceleration = properties.torque = none;
    properties.scale = 1;
    properties.friction = 0.5f;
    properties.is_fixed = 1;
    RigidState state{};
    state.centre = state.velocity = state.angular_velocity = state.angular_momentum = none;
    state.rotation = Quatd::identity();
    state.is_present = 1;
    return {shape, {1, ~0u, 0}, properties, state};
}

// A probe of 10 cm that a hand takes around the bunny of 20 cm.
class HapticLoop {
public:
    explicit HapticLoop(const PenaltyRequest& request) : request_(request) {
        BenchMesh bunny = load_bench_mesh("bunny_hr.obj", 60'000);
        scale(bunny.mesh, 0.2f);
        FieldOptions options;
        options.resolution = request.resolution;
        options.sparse = true;
        const Shape obstacle = Shape::from_mesh(bunny.mesh, build_field(bunny.mesh, options));
        field_ = obstacle.field();
        // Of 2 n (n - 1) + 2 vertices there are at least as many as were asked for.
        const int rings = static_cast<int>(std::ceil(std::sqrt(request.points / 2.0))) + 1;
        Mesh probe = make_bumpy_sphere(rings, 2 * rings);
        scale(probe, 0.1f);
        options.resolution = request.resolution / 2;
        const Shape shape = Shape::from_mesh(probe, build_field(probe, options));
        std::printf("%s, probe of %zu points, 1 thread, %d steps of 1 ms\n", bunny.name.c_str(),
                    shape.points().positions.size(), request.steps);
        PenaltySettings settings{};
        settings.step = {kStep, 1, 1};
        settings.law = {200, 0.2f, 0, true, PenaltyInterpolation::acceleration};
        // The bunny has points, too, and a field is asked at each; a hand feels both.
        std::vector<PenaltyBody> bodies{fixed_body(obstacle), fixed_body(shape)};
        bodies[1].properties.is_fixed = 0;
        bodies[1].state.centre = place(0);
        stepper_ = make_cpu_penalty_stepper(bodies, settings, Device::cpu(1));
    }

    void run() {
        CallTimes times;
        std::vector<double> search, forces;
        int touching = 0;
        std::int64_t most_points = 0;
        double most_force = 0, deepest = 0, mean_points = 0;
        for (int i = -500; i < request_.steps; ++i) {
            const Vec3d now = stepper_->states()[1].centre;
            press(i, stepper_->report().deepest);
            const Vec3d velocity = (place(i + 1) - now) / kStep;
            const Vec3d turn{0.3, 0.2 * std::sin(1e-3 * i), 0.1};
            const auto step = [&] {
                stepper_->set_motion(1, velocity, turn);
                stepper_->run(1);
            };
            if (i < 0) {
                step();
                continue;
            }
            times.time(step);
            const PenaltyReport& report = stepper_->report();
            search.push_back(1e3 * report.search_seconds);
            forces.push_back(1e3 * report.force_seconds);
            touching += report.point_count > 0 ? 1 : 0;
            mean_points += static_cast<double>(report.point_count);
            most_points = std::max(most_points, report.point_count);
            deepest = std::max<double>(deepest, report.deepest);
            most_force = std::max(most_force, length(stepper_->forces()[1].force));
        }
        std::printf(
            "in contact %.0f%% of the time; %.0f points in the mean, at most %lld, %.2f mm, "
            "%.1f N\n",
            100.0 * touching / request_.steps, mean_points / std::max(touching, 1),
            static_cast<long long>(most_points), 1e3 * deepest, most_force);
        // On a machine that does other things as well the second line is the truer one.
        print_times("by the clock", times.wall());
        print_times("of the processor", times.cpu());
        print_times("of it the search", search);
        print_times("and the forces", forces);
    }

private:
    static void print_times(const char* which, std::vector<double> times) {
        std::sort(times.begin(), times.end());
        const auto at = [&](double fraction) {
            const auto last = static_cast<double>(times.size() - 1);
            return times[static_cast<std::size_t>(fraction * last)];
        };
        std::printf("step %-16s median %.3f ms, 99%% %.3f ms, 99.9%% %.3f ms, longest %.3f ms\n",
                    which, at(0.5), at(0.99), at(0.999), times.back());
    }

    static constexpr double kStep = 1e-3, kPi = 3.14159265358979;

    static void scale(Mesh& mesh, float size) {
        const Aabb box = bounds(mesh);
        const Vec3 sides = extent(box), middle = centre(box);
        const float factor = size / std::max({sides.x, sides.y, sides.z});
        for (Vec3& p : mesh.positions)
            p = (p - middle) * factor;
    }

    // Moves the hand nearer or away, at 5 cm/s at most, towards the depth that it wants to feel.
    // That rises and falls twice a second, and for a third of the time the hand is to let go.
    void press(int step, double felt) {
        constexpr double kFastest = 0.05 * kStep, kAway = 5e-4;
        const double wave = std::sin(2 * kPi * 2 * kStep * step);
        const double wanted = request_.depth * (0.5 + wave) / 1.5;
        if (felt > 0) touch_ = nearer_;
        nearer_ += std::clamp(0.2 * (wanted - felt) + (felt > 0 ? 0 : 0.2 * std::max(wanted, 0.0)),
                              -kFastest, kFastest);
        nearer_ = std::max(nearer_, touch_ - kAway);
    }

    // Where the probe is at a step: around the bunny in 20 s, at the hand's distance, which is
    // sought along a ray from the bunny's middle. The probe's bumps reach out to 0.05.
    Vec3d place(int step) const {
        const double time = kStep * step;
        const double angle = 2 * kPi * time / 20;
        const Vec3d direction =
            normalized(Vec3d{std::cos(angle), std::sin(angle), 0.4 * std::sin(3 * angle)});
        const double wanted = 0.05 - nearer_;
        double low = 0, high = 0.4;
        for (int i = 0; i < 40; ++i) {
            const double middle = (low + high) / 2;
            const FieldValue value = field_.evaluate(static_cast<Vec3>(direction * middle));
            (static_cast<double>(value.distance) < wanted ? low : high) = middle;
        }
        return direction * high;
    }

    PenaltyRequest request_;
    Field field_ = Field::sphere({0, 0, 0}, 1);
    double nearer_ = 0, touch_ = 0;  // [m] the hand, now and when it last felt something
    std::unique_ptr<PenaltyStepper> stepper_;
};

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    try {
        const graze::PenaltyRequest request = graze::parse(argc, argv);
        if (request.is_haptic) {
            graze::HapticLoop(request).run();
        } else {
            graze::run_heap(request);
        }
    } catch (const graze::Error& error) {
        std::fprintf(stderr, "bench_penalty: %s\n", error.what());
        return 1;
    }
    return 0;
}

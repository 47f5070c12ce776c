// Method::rays on a GPU, on the poses that `bench_rays record` writes: from known pairs to contacts
// in the device's memory, timed by CUDA events, standard and iterative, and as a whole call of
// Detector::detect.
//
//   bench_rays_cuda POSES [--run NAME] [--variant NAME]... [--gap M] [--warm N] [--no-stages]
#include <cstdio>
#include <string>

#include "benchmarks/call_times.h"
#include "benchmarks/cuda_timing.h"
#include "benchmarks/pose_file.h"
#include "benchmarks/ray_variants.h"
#include "benchmarks/stage_times.h"
#include "broad_phase/body_boxes.h"
#include "detection/body_lists.h"
#include "detection/shape_textures.h"
#include "narrow_phase/rays/rays_method.h"

namespace graze {
namespace {

struct Request {
    std::string path, run;
    std::vector<std::string> variants;
    float gap = 0;
    int warm_count = 4;
    bool has_stages = true;
};

Request parse(int argc, char** argv) {
    Request request;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--no-stages") {
            request.has_stages = false;
            continue;
        }
        if (word.rfind("--", 0) != 0) {
            request.path = word;
            continue;
        }
        if (i + 1 == argc) throw Error(word + ": something has to follow");
        const std::string value = argv[++i];
        if (word == "--run")
            request.run = value;
        else if (word == "--variant")
            request.variants.push_back(value);
        else if (word == "--gap")
            request.gap = std::strtof(value.c_str(), nullptr);
        else if (word == "--warm")
            request.warm_count = std::atoi(value.c_str());
        else
            throw Error("no option " + word);
    }
    if (request.path.empty()) throw Error("name a file that bench_rays record has written");
    if (request.variants.empty())
        request.variants = {"standard",
                            "standard, stackless",
                            "iterative",
                            "iterative without prediction",
                            "iterative without caution",
                            "as the paper"};
    return request;
}

// The parts of a detector around the method that is measured.
class RaySteps {
public:
    RaySteps(CudaExecutor& executor, const DetectorOptions& options)
        : executor_(executor),
          gap_(options.gap),
          method_(make_rays_method(executor, options)),
          table_(executor, method_->needs()),
          bodies_(executor, pinned_memory()),
          boxes_(executor.memory()),
          pairs_(executor.memory()),
          rooms_(pinned_memory()),
          found_(executor.memory()) {
        check_cuda(cudaEventCreate(&start_), "creating a timer");
        check_cuda(cudaEventCreate(&stop_), "creating a timer");
    }
    ~RaySteps() {
        cudaEventDestroy(start_);
        cudaEventDestroy(stop_);
    }
    RaySteps(const RaySteps&) = delete;
    RaySteps& operator=(const RaySteps&) = delete;

    // Puts bodies where the scene has them, and finds boxes and pairs.
    void place(const Scene& scene) {
        bodies_.update(scene, false, table_);
        boxes_.resize(bodies_.count());
        executor_.for_each("bodies: boxes", bodies_.count(),
                           BodyBoxes{table_.bounds(), bodies_.shapes(), bodies_.poses(), nullptr,
                                     gap_ * 0.5f, boxes_.data()});
        for (;;) {
            find_body_pairs(executor_, boxes_.data(), bodies_.filters(), bodies_.count(), pairs_);
            pair_count_ = static_cast<std::int64_t>(executor_.read(pairs_.count.data()));
            if (pair_count_ <= pairs_.pairs.size()) break;
            pairs_.pairs.resize(pair_count_ + pair_count_ / 4);
        }
    }
    // Detects in the placed bodies and returns the milliseconds of the attempt that had room.
    // trace: null, or what its stages take.
    double step(Trace* trace) {
        float milliseconds = 0;
        bool fits = false;
        while (!fits) {
            if (trace) trace->clear();
            executor_.set_trace(trace);
            rooms_.begin();
            check_cuda(cudaEventRecord(start_, executor_.stream()), "timing");
            method_->find(pair_step(), rooms_, found_);
            check_cuda(cudaEventRecord(stop_, executor_.stream()), "timing");
            executor_.set_trace(nullptr);
            rooms_.read(executor_);
            executor_.wait();
            check_cuda(cudaEventElapsedTime(&milliseconds, start_, stop_), "timing");
            fits = rooms_.settle();
        }
        report_ = {};
        report_.pair_count = pair_count_;
        method_->report(rooms_, report_);
        method_->keep();
        return milliseconds;
    }
    const StepReport& report() const { return report_; }

private:
    PairStep pair_step() const {
        return {table_.lists(),      bodies_.shapes(),    bodies_.poses(), nullptr, boxes_.data(),
                pairs_.pairs.data(), pairs_.count.data(), pair_count_,     {}};
    }

    CudaExecutor& executor_;
    float gap_;  // [m]
    std::unique_ptr<MethodOn<CudaExecutor>> method_;
    ShapeTable<CudaExecutor, ShapeTextures> table_;
    BodyLists<CudaExecutor> bodies_;
    Buffer<Aabb> boxes_;
    BodyPairs pairs_;
    std::int64_t pair_count_ = 0;
    StepRooms rooms_;
    ContactList found_;
    StepReport report_;
    cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

// Goes through the run's steps and returns the times of those that count.
std::vector<double> go_through(RaySteps& steps, Scene& scene, const PoseRun& run, int warm_count,
                               StageTimes* stages) {
    std::vector<double> times;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        set_poses(scene, run.steps[i]);
        steps.place(scene);
        Trace trace;
        const double milliseconds = steps.step(stages ? &trace : nullptr);
        if (static_cast<int>(i) < warm_count) continue;
        times.push_back(milliseconds);
        if (stages) stages->add(trace.entries());
    }
    return times;
}

double detect_milliseconds(Scene& scene, const PoseRun& run, const DetectorOptions& options,
                           int warm_count) {
    Detector detector(Method::rays, Device::cuda(), options);
    std::vector<double> times;
    for (int pass = 0; pass < 2; ++pass) {
        times.clear();
        for (std::size_t i = 0; i < run.steps.size(); ++i) {
            set_poses(scene, run.steps[i]);
            const double milliseconds = time_call([&] { detector.detect(scene); }).wall;
            if (static_cast<int>(i) >= warm_count) times.push_back(milliseconds);
        }
    }
    return median_of(times);
}

void measure(const PoseFile& file, const PoseRun& run, const Request& request) {
    Scene scene = file.make_scene();
    std::printf("\n%s at %s: %zu bodies, %zu steps, the first %d of each pass not counted\n",
                file.scene.c_str(), run.name.c_str(), file.bodies.size(), run.steps.size(),
                request.warm_count);
    std::printf("%-34s %9s %9s %9s %8s %10s %10s %9s %12s\n", "[ms] a step", "mean", "median",
                "worst", "pairs", "rays", "cast anew", "contacts", "detect() all");
    for (const std::string& variant : request.variants) {
        const DetectorOptions options = ray_options(variant, request.gap);
        CudaExecutor executor;
        RaySteps steps(executor, options);
        go_through(steps, scene, run, request.warm_count, nullptr);  // makes room
        const std::vector<double> times =
            go_through(steps, scene, run, request.warm_count, nullptr);
        const StepReport& report = steps.report();
        std::printf("%-34s %9.3f %9.3f %9.3f %8lld %10.0f %10.0f %9lld %12.3f\n", variant.c_str(),
                    mean_of(times), median_of(times), *std::max_element(times.begin(), times.end()),
                    static_cast<long long>(report.pair_count), report.figure("rays"),
                    report.figure("cast_rays"), static_cast<long long>(report.found_count),
                    detect_milliseconds(scene, run, options, request.warm_count));
        if (request.has_stages) {
            StageTimes stages;
            go_through(steps, scene, run, request.warm_count, &stages);
            stages.print();
        }
        std::fflush(stdout);
    }
}

int run_all(const Request& request) {
    if (!find_gpu()) return 0;
    const PoseFile file = load_poses(request.path);
    for (const PoseRun& run : file.runs) {
        if (run.name.find(request.run) == std::string::npos) continue;
        if (run.steps.size() <= static_cast<std::size_t>(request.warm_count)) {
            std::printf("\n%s at %s: left out, %zu steps are too few to time one after %d\n",
                        file.scene.c_str(), run.name.c_str(), run.steps.size(), request.warm_count);
            continue;
        }
        measure(file, run, request);
    }
    return 0;
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    try {
        return graze::run_all(graze::parse(argc, argv));
    } catch (const graze::Error& error) {
        std::fprintf(stderr, "bench_rays_cuda: %s\n", error.what());
        return 1;
    }
}

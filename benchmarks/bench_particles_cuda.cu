// Finds contacts of fields by particles on a GPU, at the sizes of Krayer et al.'s (2022) table 1:
// from known pairs to contacts in device memory, timed by events, and look-ups a second; with each
// option beside the paper's plain method; and as a whole call of Detector::detect.
#include <cstdio>

#include "benchmarks/stage_times.h"
#include "broad_phase/body_boxes.h"
#include "contacts/reduce_contacts.h"
#include "cuda_timing.h"
#include "detection/body_lists.h"
#include "detection/shape_textures.h"
#include "graze/detector.h"
#include "narrow_phase/particles/particles_impl.h"
#include "parallel/fill.h"
#include "particle_scenes.h"
#include "particle_variant.h"

namespace graze {

// These are in the library, so that only those for CountingLookup are compiled here.
extern template ParticleStages find_particle_contacts(CudaExecutor&, const ExactLookup&,
                                                      const PairStep&, const DetectorOptions&,
                                                      StepRooms&, ParticleWorkspace&, ContactList&);
extern template ParticleStages find_particle_contacts(CudaExecutor&, const TextureLookup&,
                                                      const PairStep&, const DetectorOptions&,
                                                      StepRooms&, ParticleWorkspace&, ContactList&);

namespace {

// Counts the look-ups of a TextureLookup.
struct CountingLookup {
    TextureLookup lookup;
    unsigned long long* count;

    struct Pair {
        TextureLookup::Pair pair;
        unsigned long long* count;

        static constexpr bool kIsExact = false;
        static constexpr bool kHasQuick = false;
        __host__ __device__ FieldValue value_a(const Vec3& point) const {
            add();
            return pair.value_a(point);
        }
        __host__ __device__ FieldValue value_b(const Vec3& point) const {
            add();
            return pair.value_b(point);
        }
        __host__ __device__ PairValue operator()(const Vec3& point) const {
            return {value_a(point), value_b(point)};
        }
        __host__ __device__ float quick_a(const Vec3& point) const {
            return value_a(point).distance;
        }
        __host__ __device__ float quick_b(const Vec3& point) const {
            return value_b(point).distance;
        }
        __host__ __device__ float error_a() const { return pair.error_a(); }
        __host__ __device__ float error_b() const { return pair.error_b(); }

    private:
        __host__ __device__ void add() const {
#if GRAZE_ON_DEVICE
            atomicAdd(count, 1ull);
#endif
        }
    };
    __host__ __device__ Pair pair(const PairRegion& region) const {
        return {lookup.pair(region), count};
    }
};

// The parts of a detector around the one that is measured.
class Step {
public:
    Step(CudaExecutor& executor, const Scene& scene)
        : executor_(executor),
          table_(executor, {.field = true, .texture = true}),
          bodies_(executor, pinned_memory()),
          boxes_(executor.memory(), scene.size()),
          pairs_(executor.memory()),
          rooms_(pinned_memory()),
          workspace_(executor.memory()),
          result_(executor.memory()),
          reduced_(executor.memory()),
          reduce_workspace_(executor.memory()) {
        bodies_.update(scene, false, table_);
        executor.for_each("bodies: boxes", bodies_.count(),
                          BodyBoxes{table_.bounds(), bodies_.shapes(), bodies_.poses(), nullptr, 0,
                                    boxes_.data()});
        for (int attempt = 0; attempt < 2; ++attempt) {
            find_body_pairs(executor, boxes_.data(), bodies_.filters(), bodies_.count(), pairs_);
            pair_count_ = static_cast<std::int64_t>(executor.read(pairs_.count.data()));
            if (pair_count_ > pairs_.pairs.size()) pairs_.pairs.resize(pair_count_);
        }
    }

    std::int64_t pair_count() const { return pair_count_; }
    std::uint64_t total(std::size_t stage) const { return rooms_.total(stage); }

    // Repeats the step until all lists have room.
    ParticleStages settle(const DetectorOptions& options) {
        for (;;) {
            const ParticleStages stages = issue(options);
            rooms_.read(executor_);
            executor_.wait();
            if (rooms_.settle()) return stages;
        }
    }
    void set_block_lists(BlockLists lists) { workspace_.block_lists = lists; }
    ParticleStages issue(const DetectorOptions& options) {
        const ParticleBodies bodies = particle_bodies(pair_step());
        const ShapeTexture* textures = table_.lists().textures;
        const ParticleStages stages = options.particles.uses_textures
                                          ? find(TextureLookup{bodies, textures}, options)
                                          : find(ExactLookup{bodies}, options);
        if (is_reduced(options.reduction))
            reduce_contacts(executor_, options.reduction, result_, reduced_, reduce_workspace_);
        return stages;
    }
    unsigned long long count_lookups(const DetectorOptions& options) {
        Buffer<unsigned long long> count(executor_.memory(), 1);
        executor_.for_each("clear", 1, Fill<unsigned long long>{count.data(), 0});
        const ShapeTexture* textures = table_.lists().textures;
        find(CountingLookup{{particle_bodies(pair_step()), textures}, count.data()}, options);
        return executor_.read(count.data());
    }

private:
    PairStep pair_step() const {
        return {table_.lists(),      bodies_.shapes(),    bodies_.poses(), nullptr, boxes_.data(),
                pairs_.pairs.data(), pairs_.count.data(), pair_count_,     {}};
    }
    template <class Lookup>
    ParticleStages find(const Lookup& lookup, const DetectorOptions& options) {
        rooms_.begin();
        return find_particle_contacts(executor_, lookup, pair_step(), options, rooms_, workspace_,
                                      result_);
    }

    CudaExecutor& executor_;
    ShapeTable<CudaExecutor, ShapeTextures> table_;
    BodyLists<CudaExecutor> bodies_;
    Buffer<Aabb> boxes_;
    BodyPairs pairs_;
    std::int64_t pair_count_ = 0;
    StepRooms rooms_;
    ParticleWorkspace workspace_;
    ContactList result_, reduced_;
    ReduceWorkspace reduce_workspace_;
};

// Chooses runs by words that their names have, from the command line.
struct Filter {
    std::string scene, variant;
    int resolution = 0;
    bool prints_stages = false;
    BlockLists lists = BlockLists::chosen;

    bool takes(const std::string& scene_name, const std::string& variant_name, int n) const {
        return scene_name.find(scene) != std::string::npos &&
               variant_name.find(variant) != std::string::npos &&
               (resolution == 0 || resolution == n);
    }
};

double detect_milliseconds(const Scene& scene, const DetectorOptions& options) {
    Detector detector(Method::particles, Device::cuda(), options);
    return time_calls(5, 20, [&] { detector.detect(scene); }).median().wall;
}

void print_stages(CudaExecutor& executor, Step& step, const DetectorOptions& options) {
    for (const TraceEntry& entry : trace_call(executor, [&] { step.issue(options); }))
        std::printf("      %-32s %9.1f us\n", entry.name, entry.seconds * 1e6);
}

void run(const ParticleScene& scene, const std::vector<Variant>& variants, const Filter& filter) {
    CudaExecutor executor;
    std::printf("\n%s: %u bodies, %lld pairs\n%-28s %4s %10s %10s %9s %10s %7s %11s\n",
                scene.name.c_str(), scene.scene.size(),
                static_cast<long long>(Step(executor, scene.scene).pair_count()), "", "N",
                "particles", "contacts", "step [ms]", "look-ups", "G/s", "detect [ms]");
    for (const Variant& variant : variants) {
        for (const int resolution : {5, 10, 15, 20}) {
            if (!filter.takes(scene.name, variant.name, resolution)) continue;
            DetectorOptions options = plain(resolution);
            variant.set(options);
            Step step(executor, scene.scene);  // with rooms of its own
            step.set_block_lists(filter.lists);
            const ParticleStages stages = step.settle(options);
            const auto particles = static_cast<long long>(step.total(stages.chunks)) * 32;
            const auto contacts = static_cast<long long>(step.total(stages.contacts));
            const double milliseconds = median_milliseconds(executor, [&] { step.issue(options); });
            const double lookups = options.particles.uses_textures
                                       ? static_cast<double>(step.count_lookups(options))
                                       : 0;
            std::printf("%-28s %4d %10lld %10lld %9.3f %9.2fM %7.1f %11.3f\n", variant.name,
                        resolution, particles, contacts, milliseconds, lookups * 1e-6,
                        lookups / milliseconds * 1e-6, detect_milliseconds(scene.scene, options));
            std::fflush(stdout);
            if (filter.prints_stages) print_stages(executor, step, options);
        }
    }
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    using namespace graze;
    if (!find_gpu()) return 0;
    // The arguments are [SCENE [VARIANT [N]]], words of names; with all three, stages are printed.
    // --lists always and --lists never come before them and say whether blocks are listed, which is
    // chosen by the number of pairs otherwise. (Whole calls of detect() always choose.)
    Filter filter;
    if (argc > 2 && std::string(argv[1]) == "--lists") {
        filter.lists = std::string(argv[2]) == "never" ? BlockLists::never : BlockLists::always;
        argc -= 2;
        argv += 2;
    }
    if (argc > 1) filter.scene = argv[1];
    if (argc > 2) filter.variant = argv[2];
    if (argc > 3) filter.resolution = std::atoi(argv[3]);
    filter.prints_stages = argc > 3;
    std::vector<Variant> variants = common_variants();
    variants.insert(variants.begin() + 1, {"plain, without textures", [](DetectorOptions& o) {
                                               o.particles.uses_textures = false;
                                           }});
    run(make_statues(Device::cuda()), variants, filter);
    run(make_objects_on_terrain(Device::cuda()), variants, filter);
    run(make_balls_in_pipe(Device::cuda()), variants, filter);
    run(make_loose_heap(Device::cuda()), variants, filter);
    return 0;
}

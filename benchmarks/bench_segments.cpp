// Segments against the field of the Stanford bunny: 10^6 with both ends at random in the field's
// box, as table 2 of Xu and Barbic (2014) has it. All intervals for three walks, two rules, both
// orders and four resolutions, beside the paper's figures; first hits beside Embree, which casts
// the same segments at the mesh, and beside OpenVDB's LevelSetRayIntersector.
//
//     bench_segments [--segments N] [--runs N] [--processor] [part of a line's name ...]
//
// Times are of 10^6 segments, scaled up where there are fewer, and the fastest of 5 runs. With
// --processor they are those of the processor in place of the clock, for a machine that does other
// work, and two threads are not timed.
#include <embree3/rtcore.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>
#include <openvdb/tools/RayIntersector.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "benchmarks/call_times.h"
#include "benchmarks/embree_triangles.h"
#include "benchmarks/random_segments.h"
#include "graze/field_cache.h"
#include "graze/mesh_io.h"
#include "graze/segment_search.h"
#include "tests/data_folder.h"

namespace graze {
namespace {

struct Options {
    int segment_count = 1'000'000;
    int run_count = 5;
    bool is_of_processor = false;
    std::vector<std::string> filters;
};

struct Resolution {
    int cells;
    bool is_sparse;
    double paper_cells, paper_tree;  // [s] table 2
};
constexpr Resolution kResolutions[] = {{128, false, 12.7, 12.0},
                                       {256, true, 38.8, 13.1},
                                       {512, true, 97.2, 15.4},
                                       {1024, true, 274.3, 21.4}};

class Bench {
public:
    Bench(const Mesh& mesh, Options options)
        : mesh_(mesh), options_(std::move(options)), box_(bounds(mesh)) {
        segments_ = random_segments(box_, options_.segment_count);
        if (options_.segment_count != 1'000'000 || options_.is_of_processor) {
            std::printf("table 2 by %d segments, times %s, scaled up to 10^6\n",
                        options_.segment_count,
                        options_.is_of_processor ? "of the processor" : "by the clock");
        }
    }

    void table_2() {
        for (const Resolution& resolution : kResolutions) {
            for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
                const std::string name = "intervals " + std::to_string(resolution.cells) +
                                         (resolution.is_sparse ? " sparse" : " dense") +
                                         (order == FieldOrder::zero ? " order 0" : " order 1");
                if (is_wanted(name)) time_intervals(name, resolution, order);
            }
        }
    }

    void first_hits() {
        if (!is_wanted("first")) return;
        std::printf("\nfirst hits at 256^3, one thread [s]\n");
        const double embree = time_embree();
        const double vdb = time_openvdb();
        for (const bool is_sparse : {false, true}) {
            for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
                SegmentSearch search(field(256, is_sparse, order), Device::cpu(1));
                std::size_t hits = 0;
                const double seconds = seconds_of([&] {
                    hits = 0;
                    for (const float time : search.find_first_times(segments_))
                        hits += time <= 1 ? 1 : 0;
                });
                std::printf(
                    "  graze, %s, order %d     %7.3f   %zu hits   Embree / this %.2f   "
                    "OpenVDB / this %.1f\n",
                    is_sparse ? "sparse" : "dense ", order == FieldOrder::one ? 1 : 0, seconds,
                    hits, embree / seconds, vdb / seconds);
            }
        }
    }

private:
    bool is_wanted(const std::string& name) const {
        for (const std::string& filter : options_.filters) {
            if (name.find(filter) != std::string::npos) return true;
        }
        return options_.filters.empty();
    }

    // The fastest of some runs [s]: other work on the machine only adds to a time.
    template <class Work>
    double seconds_of(const Work& work) const {
        const CallTime time = time_calls(1, options_.run_count, work).fastest();
        return (options_.is_of_processor ? time.cpu : time.wall) * 1e3 / options_.segment_count;
    }

    Field field(int cells, bool is_sparse, FieldOrder order) const {
        FieldOptions options;
        options.resolution = cells;
        options.sparse = is_sparse;
        options.order = order;
        options.measure_error = false;
        return cached_build_field(mesh_, options);
    }

    void time_intervals(const std::string& name, const Resolution& resolution, FieldOrder order) {
        const Field bunny = field(resolution.cells, resolution.is_sparse, order);
        SegmentSearch one(bunny, Device::cpu(1)), two(bunny, Device::cpu(2));
        std::printf("\n%s   (paper: cells %.1f, tree %.1f s)\n", name.c_str(),
                    resolution.paper_cells, resolution.paper_tree);
        const auto time = [&](SegmentSearch& search, const SegmentOptions& options,
                              std::size_t& count) {
            return seconds_of(
                [&] { count = search.find_intervals(segments_, options).intervals.size(); });
        };
        const struct {
            const char* name;
            SegmentWalk walk;
            double paper;
        } walks[] = {{"cells", SegmentWalk::cells, resolution.paper_cells},
                     {"tree", SegmentWalk::tree, resolution.paper_tree},
                     {"distance", SegmentWalk::distance, resolution.paper_tree}};
        for (const auto& walk : walks) {
            std::size_t exact = 0, single = 0, again = 0;
            const double by_exact = time(one, {0, walk.walk, CellRule::exact}, exact);
            const double by_single = time(one, {0, walk.walk, CellRule::single}, single);
            std::printf("  %-9s exact %6.3f s   single %6.3f s   ", walk.name, by_exact, by_single);
            if (!options_.is_of_processor) {
                const double by_two = time(two, {0, walk.walk, CellRule::exact}, again);
                std::printf("2 threads %6.3f s (%.2fx)   ", by_two, by_exact / by_two);
            }
            std::printf("paper / exact %5.0f   %zu intervals, the single rule has %zd fewer\n",
                        walk.paper / by_exact, exact, static_cast<std::ptrdiff_t>(exact - single));
            std::fflush(stdout);
        }
    }

    double time_embree() const {
        RTCDevice device = rtcNewDevice("threads=1");
        RTCScene scene = rtcNewScene(device);
        rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_HIGH);
        add_embree_triangles(device, scene, mesh_);
        rtcCommitScene(scene);
        std::size_t hits = 0;
        std::vector<float> times(segments_.size());
        const double seconds = seconds_of([&] {
            hits = 0;
            RTCIntersectContext context;
            rtcInitIntersectContext(&context);
            for (std::size_t i = 0; i < segments_.size(); ++i) {
                const Segment& s = segments_[i];
                RTCRayHit ray{};
                ray.ray.org_x = s.from.x, ray.ray.org_y = s.from.y, ray.ray.org_z = s.from.z;
                ray.ray.dir_x = s.to.x - s.from.x;
                ray.ray.dir_y = s.to.y - s.from.y;
                ray.ray.dir_z = s.to.z - s.from.z;
                ray.ray.tfar = 1;
                ray.ray.mask = ~0u;
                ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
                rtcIntersect1(scene, &context, &ray);
                times[i] = ray.ray.tfar;
                hits += ray.hit.geomID != RTC_INVALID_GEOMETRY_ID ? 1 : 0;
            }
        });
        rtcReleaseScene(scene);
        rtcReleaseDevice(device);
        std::printf(
            "  Embree at the mesh        %7.3f   %zu hits (from inside a hit is where it "
            "leaves)\n",
            seconds, hits);
        return seconds;
    }

    double time_openvdb() const {
        openvdb::initialize();
        FieldOptions options;
        options.resolution = 256;
        options.sparse = true;
        const double voxel = double(choose_grid(box_, options).spacing);
        std::vector<openvdb::Vec3s> points;
        std::vector<openvdb::Vec3I> triangles;
        points.reserve(mesh_.positions.size());
        triangles.reserve(mesh_.triangles.size());
        for (const Vec3& p : mesh_.positions)
            points.emplace_back(p.x, p.y, p.z);
        for (const Triangle& t : mesh_.triangles)
            triangles.emplace_back(t[0], t[1], t[2]);
        const auto transform = openvdb::math::Transform::createLinearTransform(voxel);
        const auto grid =
            openvdb::tools::meshToLevelSet<openvdb::FloatGrid>(*transform, points, triangles, 3.0f);
        const openvdb::tools::LevelSetRayIntersector<openvdb::FloatGrid> intersector(*grid);
        using Ray = openvdb::math::Ray<double>;
        std::size_t hits = 0;
        const double seconds = seconds_of([&] {
            hits = 0;
            for (const Segment& s : segments_) {
                const openvdb::Vec3d from(s.from.x, s.from.y, s.from.z);
                const openvdb::Vec3d path = openvdb::Vec3d(s.to.x, s.to.y, s.to.z) - from;
                const double length = path.length();
                openvdb::Vec3d hit;
                hits += intersector.intersectsWS(Ray(from, path / length, 0, length), hit) ? 1 : 0;
            }
        });
        std::printf("  OpenVDB, same voxels      %7.3f   %zu hits\n", seconds, hits);
        return seconds;
    }

    const Mesh& mesh_;
    Options options_;
    Aabb box_;
    std::vector<Segment> segments_;
};

}  // namespace
}  // namespace graze

int main(int argument_count, char** arguments) {
    const std::filesystem::path file = graze::data_folder() / "models" / "bunny_hr.obj";
    if (!std::filesystem::exists(file)) {
        std::printf("there is no %s; set GRAZE_DATA to the folder of models\n", file.c_str());
        return 0;
    }
    graze::Options options;
    for (int i = 1; i < argument_count; ++i) {
        const std::string argument = arguments[i];
        if (argument == "--processor") {
            options.is_of_processor = true;
        } else if (argument == "--segments" || argument == "--runs") {
            const int count = i + 1 < argument_count ? std::atoi(arguments[++i]) : 0;
            if (count < 1) {
                std::fprintf(stderr, "bench_segments: %s takes a count\n", argument.c_str());
                return 2;
            }
            (argument == "--runs" ? options.run_count : options.segment_count) = count;
        } else {
            options.filters.push_back(argument);
        }
    }
    const graze::Mesh mesh = graze::load_mesh(file);
    graze::Bench bench(mesh, options);
    bench.table_2();
    bench.first_hits();
    return 0;
}

// Builds fields from a mesh on the host, beside one Embree point query for each sample, cold or
// seeded with the last voxel's triangle, and beside OpenVDB's meshToVolume. All have the same count
// of threads, in one run; times are medians.
#include <embree3/rtcore.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>
#include <sys/resource.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bench_meshes.h"
#include "benchmarks/call_times.h"
#include "benchmarks/embree_triangles.h"
#include "field/sampled/sampled_field.h"
#include "geometry/closest_point_triangle.h"
#include "graze/build_field.h"
#include "parallel/cpu_executor.h"

namespace graze {
namespace {

constexpr int kThreads = 2;

double median_seconds(const CallTimes& times) {
    return times.median().wall * 1e-3;
}

// Returns a cubic grid of n^3 samples around the mesh, or of n^3 cells where `multiple` is not 1.
FieldGrid cubic_grid(const Mesh& mesh, int n, int multiple) {
    const Aabb box = bounds(mesh);
    const Vec3 size = extent(box);
    FieldGrid grid{};
    const std::int32_t cells = multiple == 1 ? n - 1 : n;
    grid.spacing = std::max({size.x, size.y, size.z}) / static_cast<float>(cells - 4);
    for (int axis = 0; axis < 3; ++axis) {
        grid.cells[axis] = cells;
        grid.origin[axis] = centre(box)[axis] - grid.spacing * (static_cast<float>(cells) * 0.5f);
    }
    return grid;
}

class EmbreeMesh {
public:
    explicit EmbreeMesh(const Mesh& mesh) : mesh_(mesh) {
        device_ = rtcNewDevice(nullptr);
        scene_ = rtcNewScene(device_);
        rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_HIGH);
        add_embree_triangles(device_, scene_, mesh);
        rtcCommitScene(scene_);
    }
    ~EmbreeMesh() {
        rtcReleaseScene(scene_);
        rtcReleaseDevice(device_);
    }
    EmbreeMesh(const EmbreeMesh&) = delete;
    EmbreeMesh& operator=(const EmbreeMesh&) = delete;

    // seed is a triangle to begin with, or kNone, and becomes the closest one.
    float distance(const Vec3& point, unsigned& seed) const {
        Query query{this, point, seed};
        RTCPointQuery embree{point.x, point.y, point.z, 0, std::numeric_limits<float>::infinity()};
        if (seed != kNone) embree.radius = distance_to(point, seed) * 1.000001f;
        RTCPointQueryContext context;
        rtcInitPointQueryContext(&context);
        rtcPointQuery(scene_, &embree, &context, visit, &query);
        seed = query.triangle;
        return embree.radius;
    }
    static constexpr unsigned kNone = ~0u;

private:
    struct Query {
        const EmbreeMesh* mesh;
        Vec3 point;
        unsigned triangle;
    };
    float distance_to(const Vec3& point, unsigned triangle) const {
        const Triangle t = mesh_.triangles[triangle];
        return std::sqrt(closest_point_triangle(point, mesh_.positions[t[0]], mesh_.positions[t[1]],
                                                mesh_.positions[t[2]])
                             .distance_sq);
    }
    static bool visit(RTCPointQueryFunctionArguments* arguments) {
        auto& query = *static_cast<Query*>(arguments->userPtr);
        const float distance = query.mesh->distance_to(query.point, arguments->primID);
        if (distance >= arguments->query->radius) return false;
        arguments->query->radius = distance;
        query.triangle = arguments->primID;
        return true;
    }

    const Mesh& mesh_;
    RTCDevice device_ = nullptr;
    RTCScene scene_ = nullptr;
};

void bench_dense(const BenchMesh& bench, int n) {
    const FieldGrid grid = cubic_grid(bench.mesh, n, 1);
    FieldOptions options{.device = Device::cpu(kThreads)};
    options.grid = grid;
    const auto build = [&](FieldOrder order, bool measures) {
        options.order = order;
        options.measure_error = measures;
        return median_seconds(time_calls(0, 3, [&] { build_field(bench.mesh, options); }));
    };
    const double ours[4] = {build(FieldOrder::zero, false), build(FieldOrder::one, false),
                            build(FieldOrder::zero, true), build(FieldOrder::one, true)};

    const EmbreeMesh embree(bench.mesh);
    CpuExecutor executor(kThreads);
    std::vector<float> out(static_cast<std::size_t>(grid.sample_count()));
    const auto query_all = [&](bool is_seeded) {
        const std::int64_t rows = grid.samples(1) * grid.samples(2);
        // Of large grids every fourth row is measured, times four: a whole one takes minutes.
        const std::int64_t stride = n > 128 ? 4 : 1;
        const auto query_rows = [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t r = begin; r < end; ++r) {
                const std::int64_t row = r * stride;
                unsigned seed = EmbreeMesh::kNone;
                for (std::int64_t i = 0; i < grid.samples(0); ++i) {
                    if (!is_seeded) seed = EmbreeMesh::kNone;
                    out[static_cast<std::size_t>(row * grid.samples(0) + i)] = embree.distance(
                        grid.position(i, row % grid.samples(1), row / grid.samples(1)), seed);
                }
            }
        };
        const CallTime time =
            time_call([&] { executor.for_each_range(rows / stride, 16, query_rows); });
        return double(stride) * time.wall * 1e-3;
    };
    const double cold = query_all(false), seeded = query_all(true);
    std::printf("%s dense %d^3, %d threads: Embree cold %.2f s, seeded %.2f s%s\n",
                bench.name.c_str(), n, kThreads, cold, seeded,
                n > 128 ? " (from a quarter of the rows)" : "");
    const char* names[4] = {"order 0", "order 1", "order 0 with errors", "order 1 with errors"};
    for (int i = 0; i < 4; ++i) {
        std::printf(
            "    graze %-20s %7.3f s: 1/%.1f of cold (bar 1/10), 1/%.1f of seeded (bar "
            "1/5)\n",
            names[i], ours[i], cold / ours[i], seeded / ours[i]);
    }
}

void bench_sparse(const BenchMesh& bench, int n) {
    const FieldGrid grid = cubic_grid(bench.mesh, n, 8);
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
    points.reserve(bench.mesh.positions.size());
    for (const Vec3& p : bench.mesh.positions) {
        const Vec3 q = (p - grid.origin) / grid.spacing;
        points.emplace_back(q.x, q.y, q.z);
    }
    triangles.reserve(bench.mesh.triangles.size());
    for (const Triangle& t : bench.mesh.triangles)
        triangles.emplace_back(t[0], t[1], t[2]);
    const openvdb::tools::QuadAndTriangleDataAdapter<openvdb::Vec3s, openvdb::Vec3I> adapter(
        points, triangles);
    const auto transform = openvdb::math::Transform::createLinearTransform(1.0);
    // All run in turns, so that other work on the machine slows down all alike.
    constexpr int kRounds = 9;
    std::size_t voxels = 0;
    FieldReport reports[4];
    CallTimes vdb, ours[4];
    for (int round = 0; round < kRounds; ++round) {
        vdb.time([&] {
            voxels =
                openvdb::tools::meshToVolume<openvdb::FloatGrid>(adapter, *transform, 3.0f, 3.0f)
                    ->activeVoxelCount();
        });
        for (int i = 0; i < 4; ++i) {
            FieldOptions options{.sparse = true, .band = 3, .device = Device::cpu(kThreads)};
            options.grid = grid;
            options.order = i % 2 == 0 ? FieldOrder::zero : FieldOrder::one;
            options.measure_error = i >= 2;
            ours[i].time([&] { build_field(bench.mesh, options, &reports[i]); });
        }
    }
    const double other = median_seconds(vdb);
    std::printf("%s sparse %d^3, band 3, %d threads: OpenVDB %.3f s, %zu voxels\n",
                bench.name.c_str(), n, kThreads, other, voxels);
    for (int i = 0; i < 4; ++i) {
        std::printf(
            "    graze order %d%-12s %7.3f s: 1/%.1f of OpenVDB (bar 1/3), %lld bricks, %.1f MB\n",
            i % 2, i >= 2 ? " with errors" : "", median_seconds(ours[i]),
            other / median_seconds(ours[i]), static_cast<long long>(reports[i].brick_count),
            double(reports[i].memory_bytes) * 1e-6);
    }
}

// Compares the largest resident size so far with what the result takes.
void report_memory() {
    const BenchMesh bench = load_bench_mesh("bunny_hr.obj", 60000);
    FieldOptions options{.sparse = true, .band = 3, .device = Device::cpu(kThreads)};
    options.grid = cubic_grid(bench.mesh, 1024, 8);
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    FieldReport report;
    build_field(bench.mesh, options, &report);
    getrusage(RUSAGE_SELF, &after);
    std::printf(
        "%s sparse 1024^3 order 1: result %.1f MB in %.2f s; largest resident size grew by "
        "%.1f MB, 1/%.2f of it the result\n",
        bench.name.c_str(), double(report.memory_bytes) * 1e-6, report.seconds,
        double(after.ru_maxrss - before.ru_maxrss) * 1024e-6,
        double(after.ru_maxrss - before.ru_maxrss) * 1024 / double(report.memory_bytes));
}

}  // namespace
}  // namespace graze

// bench_field [memory] [dense] [sparse] runs only what is named, or everything.
int main(int argc, char** argv) {
    using namespace graze;
    const auto is_wanted = [&](const char* name) {
        return argc == 1 || std::find(argv + 1, argv + argc, std::string(name)) != argv + argc;
    };
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, kThreads);
    // This comes first, while the largest resident size is still small.
    if (is_wanted("memory")) report_memory();
    openvdb::initialize();
    const BenchMesh bench = load_bench_mesh("armadillo_86k.obj", 86000);
    if (is_wanted("dense")) {
        bench_dense(bench, 128);
        bench_dense(bench, 256);
    }
    if (is_wanted("sparse")) bench_sparse(bench, 256);
    return 0;
}

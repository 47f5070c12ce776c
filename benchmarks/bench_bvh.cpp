// Compares the Bvh on one thread with Embree 3 on one thread, in one run: build, closest points,
// rays. Embree has its best settings for the task: default build quality, robust off, single-ray
// calls.
#include <benchmark/benchmark.h>
#include <embree3/rtcore.h>

#include <map>
#include <random>

#include "benchmarks/bench_meshes.h"
#include "benchmarks/embree_triangles.h"
#include "geometry/bvh/triangle_bvh.h"
#include "geometry/bvh/wide_traverse.h"
#include "parallel/cpu_executor.h"

namespace graze {
namespace {

const BenchMesh& bench_mesh() {
    static const BenchMesh mesh = load_bench_mesh("buddha_100k.obj", 100000);
    return mesh;
}

CpuExecutor& executor() {
    static CpuExecutor one_thread(1);
    return one_thread;
}

struct Trees {
    TriangleBvh bvh{host_memory()};
    WideBvh wide{host_memory()};
};

void build(Trees& trees, BvhQuality quality = BvhQuality::high) {
    const Mesh& mesh = bench_mesh().mesh;
    build_triangle_bvh(executor(), mesh.positions.data(), mesh.triangles.data(),
                       static_cast<std::int64_t>(mesh.triangles.size()), quality, trees.bvh);
    build_wide_bvh(executor(), trees.bvh, trees.wide);
}

const Trees& built_trees() {
    static const Trees* trees = [] {
        auto* result = new Trees;
        build(*result);
        return result;
    }();
    return *trees;
}

// ---- Embree's side

struct EmbreeScene {
    RTCDevice device = rtcNewDevice("threads=1,set_affinity=0");
    RTCScene scene = nullptr;

    void build() {
        if (scene) rtcReleaseScene(scene);
        scene = rtcNewScene(device);
        add_embree_triangles(device, scene, bench_mesh().mesh);
        rtcCommitScene(scene);
    }
};

EmbreeScene& embree() {
    static EmbreeScene scene;
    if (!scene.scene) scene.build();
    return scene;
}

struct EmbreeClosest {
    Vec3 point;
    Vec3 closest;
    unsigned triangle = kNoTriangle;
};

bool embree_point_query(RTCPointQueryFunctionArguments* arguments) {
    auto& result = *static_cast<EmbreeClosest*>(arguments->userPtr);
    const Mesh& mesh = bench_mesh().mesh;
    const Triangle t = mesh.triangles[arguments->primID];
    const auto candidate = closest_point_triangle(result.point, mesh.positions[t[0]],
                                                  mesh.positions[t[1]], mesh.positions[t[2]]);
    const float d = std::sqrt(candidate.distance_sq);
    if (d >= arguments->query->radius) return false;
    arguments->query->radius = d;
    result.closest = candidate.point;
    result.triangle = arguments->primID;
    return true;
}

EmbreeClosest embree_closest(const Vec3& point) {
    RTCPointQuery query{point.x, point.y, point.z, 0, std::numeric_limits<float>::infinity()};
    RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    EmbreeClosest result{point, {}, kNoTriangle};
    rtcPointQuery(embree().scene, &query, &context, embree_point_query, &result);
    return result;
}

RTCRayHit embree_first_hit(const Ray& ray) {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRayHit hit{};
    hit.ray = {ray.origin.x,
               ray.origin.y,
               ray.origin.z,
               ray.t_min,
               ray.direction.x,
               ray.direction.y,
               ray.direction.z,
               0,
               ray.t_max,
               0xffffffffu,
               0,
               0};
    hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(embree().scene, &context, &hit);
    return hit;
}

// ---- inputs

const Aabb& mesh_box() {
    static const Aabb box = bounds(bench_mesh().mesh);
    return box;
}

// Returns points anywhere in the box, or within 1% of the box's size from the surface.
const std::vector<Vec3>& query_points(bool is_near) {
    static std::map<bool, std::vector<Vec3>> all;
    std::vector<Vec3>& points = all[is_near];
    if (!points.empty()) return points;
    const Mesh& mesh = bench_mesh().mesh;
    const Aabb box = mesh_box();
    std::mt19937 random(7);
    std::uniform_real_distribution<float> unit(0, 1);
    for (int i = 0; i < 50000; ++i) {
        const Vec3 u{unit(random), unit(random), unit(random)};
        if (is_near) {
            const Vec3 p = mesh.positions[random() % mesh.positions.size()];
            points.push_back(p + (u - Vec3{0.5f, 0.5f, 0.5f}) * (0.02f * length(extent(box))));
        } else {
            points.push_back(box.min + scale(u, extent(box)));
        }
    }
    return points;
}

// Returns a ray from every vertex against its normal, as the rays method casts them, or rays from
// random points around the box to random points in it.
const std::vector<Ray>& query_rays(bool from_vertices) {
    static std::map<bool, std::vector<Ray>> all;
    std::vector<Ray>& rays = all[from_vertices];
    if (!rays.empty()) return rays;
    const Mesh& mesh = bench_mesh().mesh;
    const Aabb box = mesh_box();
    const float tiny = 1e-4f * length(extent(box));
    if (from_vertices) {
        const std::vector<Vec3> normals = vertex_normals(mesh);
        for (std::size_t v = 0; v < normals.size(); ++v)
            rays.push_back({mesh.positions[v], -normals[v], tiny});
        return rays;
    }
    std::mt19937 random(8);
    std::uniform_real_distribution<float> unit(0, 1);
    for (int i = 0; i < 50000; ++i) {
        const auto inside = [&] {
            return box.min + scale(Vec3{unit(random), unit(random), unit(random)}, extent(box));
        };
        const Vec3 target = inside();
        const Vec3 outside = centre(box) + normalized(inside() - centre(box)) * length(extent(box));
        rays.push_back({outside, target - outside});
    }
    return rays;
}

// ---- measurements

void build_embree(benchmark::State& state) {
    for (auto _ : state)
        embree().build();
    state.SetLabel(bench_mesh().name);
}
BENCHMARK(build_embree)->Unit(benchmark::kMillisecond);

void build_graze(benchmark::State& state) {
    Trees trees;
    build(trees);
    for (auto _ : state)
        build(trees);
    state.SetLabel(bench_mesh().name);
}
BENCHMARK(build_graze)->Unit(benchmark::kMillisecond);

void build_graze_fast(benchmark::State& state) {
    Trees trees;
    build(trees, BvhQuality::fast);
    for (auto _ : state)
        build(trees, BvhQuality::fast);
}
BENCHMARK(build_graze_fast)->Unit(benchmark::kMillisecond);

void refit_graze(benchmark::State& state) {
    Trees trees;
    build(trees);
    const Mesh& mesh = bench_mesh().mesh;
    for (auto _ : state) {
        refit_triangle_bvh(executor(), mesh.positions.data(), mesh.triangles.data(), trees.bvh);
        refit_wide_bvh(executor(), trees.bvh, trees.wide);
    }
}
BENCHMARK(refit_graze)->Unit(benchmark::kMillisecond);

// One iteration runs all queries, so that every tool answers the same ones.
template <class Work>
void run_queries(benchmark::State& state, std::size_t count, const Work& work) {
    for (auto _ : state) {
        for (std::size_t i = 0; i < count; ++i)
            work(i);
    }
    state.counters["queries/s"] = benchmark::Counter(static_cast<double>(count),
                                                     benchmark::Counter::kIsIterationInvariantRate);
}

void closest_embree(benchmark::State& state) {
    const auto& points = query_points(state.range(0) != 0);
    embree();
    run_queries(state, points.size(),
                [&](std::size_t i) { benchmark::DoNotOptimize(embree_closest(points[i])); });
}
BENCHMARK(closest_embree)->ArgName("near")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void closest_graze(benchmark::State& state) {
    const auto& points = query_points(state.range(0) != 0);
    const Trees& trees = built_trees();
    run_queries(state, points.size(), [&](std::size_t i) {
        ClosestPoint query(points[i], trees.bvh.triangles.data());
        traverse(trees.wide.view(), query);
        benchmark::DoNotOptimize(query.closest());
    });
}
BENCHMARK(closest_graze)->ArgName("near")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void first_hit_embree(benchmark::State& state) {
    const auto& rays = query_rays(state.range(0) != 0);
    embree();
    run_queries(state, rays.size(),
                [&](std::size_t i) { benchmark::DoNotOptimize(embree_first_hit(rays[i])); });
}
BENCHMARK(first_hit_embree)
    ->ArgName("from_vertices")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);

void first_hit_graze(benchmark::State& state) {
    const auto& rays = query_rays(state.range(0) != 0);
    const Trees& trees = built_trees();
    run_queries(state, rays.size(), [&](std::size_t i) {
        FirstHit query(rays[i], trees.bvh.triangles.data());
        traverse(trees.wide.view(), query);
        benchmark::DoNotOptimize(query.hit());
    });
}
BENCHMARK(first_hit_graze)->ArgName("from_vertices")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void first_hit_graze_binary(benchmark::State& state) {
    const auto& rays = query_rays(state.range(0) != 0);
    const Trees& trees = built_trees();
    const BvhView tree = trees.bvh.tree.view();
    run_queries(state, rays.size(), [&](std::size_t i) {
        FirstHit query(rays[i], trees.bvh.triangles.data());
        traverse(tree, query);
        benchmark::DoNotOptimize(query.hit());
    });
}
BENCHMARK(first_hit_graze_binary)
    ->ArgName("from_vertices")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);

// True where both tools agree, without which their times mean nothing.
bool answers_agree() {
    const Trees& trees = built_trees();
    std::size_t wrong = 0;
    for (const Vec3& p : query_points(true)) {
        ClosestPoint query(p, trees.bvh.triangles.data());
        traverse(trees.wide.view(), query);
        const float theirs = distance(embree_closest(p).closest, p),
                    ours = distance(query.closest().point, p);
        wrong += std::fabs(theirs - ours) > 1e-5f * length(extent(mesh_box())) ? 1 : 0;
    }
    for (const Ray& ray : query_rays(false)) {
        FirstHit query(ray, trees.bvh.triangles.data());
        traverse(trees.wide.view(), query);
        const RTCRayHit theirs = embree_first_hit(ray);
        const bool theirs_hit = theirs.hit.geomID != RTC_INVALID_GEOMETRY_ID;
        const bool ours_hit = query.hit().triangle != kNoTriangle;
        wrong += theirs_hit != ours_hit ||
                         (ours_hit && std::fabs(theirs.ray.tfar - query.hit().t) > 1e-4f)
                     ? 1
                     : 0;
    }
    std::printf("%s, %zu triangles: %zu of %zu answers differ from Embree's\n",
                bench_mesh().name.c_str(), bench_mesh().mesh.triangles.size(), wrong,
                query_points(true).size() + query_rays(false).size());
    // Embree's default ray test is not watertight: a few of its rays pass through edges.
    return wrong <= 10;
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (!graze::answers_agree()) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

// Building, refitting and asking a Bvh on the GPU, by events.
#include <algorithm>
#include <cstdio>
#include <numeric>

#include "benchmarks/bench_meshes.h"
#include "benchmarks/cuda_timing.h"
#include "core/morton.h"
#include "geometry/bvh_pairs.h"
#include "geometry/triangle_bvh.h"
#include "graze/device.h"

namespace graze {
namespace {

template <bool kStackless>
struct CastRay {
    TriangleBvhView bvh;
    const Ray* rays;
    RayHit* hits;
    GRAZE_HD void operator()(std::int64_t i) const {
        FirstHit query(rays[i], bvh.triangles);
        if constexpr (kStackless) {
            traverse_stackless(bvh.tree, query);
        } else {
            traverse(bvh.tree, query);
        }
        hits[i] = query.hit();
    }
};
struct FindClosest {
    TriangleBvhView bvh;
    const Vec3* points;
    float* distances;
    GRAZE_HD void operator()(std::int64_t i) const {
        ClosestPoint query(points[i], bvh.triangles);
        traverse(bvh.tree, query);
        distances[i] = query.closest().distance_sq;
    }
};

template <class T>
Buffer<T> upload(CudaExecutor& executor, const std::vector<T>& host) {
    auto buffer = executor.make_buffer<T>(static_cast<std::int64_t>(host.size()));
    executor.copy_from_host("upload", host.data(), buffer.data(), buffer.size());
    executor.wait();
    return buffer;
}

// The vertices along a Morton curve, an order that a mesh keeps for all its life: neighbours in it
// work alike.
std::vector<std::size_t> near_order(const Mesh& mesh) {
    const MortonGrid grid = MortonGrid::over(bounds(mesh), 21);
    std::vector<std::size_t> order(mesh.positions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return grid.code(mesh.positions[a]) < grid.code(mesh.positions[b]);
    });
    return order;
}

// Against the normal from every vertex, as the rays method casts them.
std::vector<Ray> vertex_rays(const Mesh& mesh) {
    const std::vector<Vec3> normals = vertex_normals(mesh);
    const float tiny = 1e-4f * length(extent(bounds(mesh)));
    std::vector<Ray> rays;
    for (const std::size_t v : near_order(mesh))
        rays.push_back({mesh.positions[v], -normals[v], tiny});
    return rays;
}

void run(const BenchMesh& bench, int copies) {
    CudaExecutor executor;
    const Mesh& mesh = bench.mesh;
    const auto positions = upload(executor, mesh.positions);
    const auto triangles = upload(executor, mesh.triangles);
    std::printf("%s: %zu vertices, %zu triangles\n", bench.name.c_str(), mesh.positions.size(),
                mesh.triangles.size());
    for (const BvhQuality quality : {BvhQuality::fast, BvhQuality::high}) {
        const char* name = quality == BvhQuality::fast ? "fast" : "high";
        TriangleBvh bvh(executor.memory());
        const double build_ms = median_milliseconds(executor, [&] {
            build_triangle_bvh(executor, positions.data(), triangles.data(), triangles.size(),
                               quality, bvh);
        });
        const double refit_ms = median_milliseconds(executor, [&] {
            refit_triangle_bvh(executor, positions.data(), triangles.data(), bvh);
        });
        std::printf("  %s: build %8.3f ms   refit %8.3f ms\n", name, build_ms, refit_ms);

        const std::vector<Ray> rays_once = vertex_rays(mesh);
        for (const int repeat : {1, copies}) {
            std::vector<Ray> rays;
            for (int k = 0; k < repeat; ++k)
                rays.insert(rays.end(), rays_once.begin(), rays_once.end());
            const auto in = upload(executor, rays);
            auto hits = executor.make_buffer<RayHit>(in.size());
            const double ms = median_milliseconds(executor, [&] {
                executor.for_each("cast", in.size(),
                                  CastRay<false>{bvh.view(), in.data(), hits.data()});
            });
            const double stackless_ms = median_milliseconds(executor, [&] {
                executor.for_each("cast", in.size(),
                                  CastRay<true>{bvh.view(), in.data(), hits.data()});
            });
            const auto n = static_cast<double>(in.size());
            std::printf(
                "  %s: %9lld rays   %8.4f ms  %6.2f G rays/s   stackless %8.4f ms  %6.2f G "
                "rays/s\n",
                name, static_cast<long long>(in.size()), ms, n / ms * 1e-6, stackless_ms,
                n / stackless_ms * 1e-6);
        }
        std::vector<Vec3> points;
        for (const Ray& ray : rays_once)
            points.push_back(ray.origin + ray.direction * (ray.t_min * 100));
        const auto in = upload(executor, points);
        auto distances = executor.make_buffer<float>(in.size());
        const double closest_ms = median_milliseconds(executor, [&] {
            executor.for_each("closest", in.size(),
                              FindClosest{bvh.view(), in.data(), distances.data()});
        });
        BvhPairs pairs(executor.memory());
        const double pairs_ms = median_milliseconds(
            executor, [&] { find_self_overlaps(executor, bvh.tree, bvh.boxes.data(), pairs); });
        std::printf(
            "  %s: closest points %8.4f ms  %6.2f G/s   self-overlaps %8.3f ms  %lld pairs\n", name,
            closest_ms, static_cast<double>(in.size()) / closest_ms * 1e-6, pairs_ms,
            static_cast<long long>(pairs.pairs.size()));
    }
}

}  // namespace
}  // namespace graze

int main() {
    using namespace graze;
    if (Device::list().size() < 2) {
        std::puts("no GPU");
        return 0;
    }
    std::printf("%s\n", Device::cuda().description().c_str());
    run(load_bench_mesh("buddha_100k.obj", 100'000), 20);
    run({"bumpy sphere", make_bumpy_sphere(500, 1000)}, 2);
}

// Builds, refits and queries a Bvh on the GPU, timed by events.
#include <algorithm>
#include <cstdio>
#include <numeric>

#include "benchmarks/bench_meshes.h"
#include "benchmarks/cuda_timing.h"
#include "core/morton.h"
#include "geometry/bvh/bvh_pairs.h"
#include "geometry/bvh/first_hits_impl.h"
#include "geometry/bvh/triangle_bvh.h"
#include "parallel/fill.h"
#include "parallel/upload.h"

namespace graze {
namespace {

enum class Traversal { stack, stackless };
template <Traversal kTraversal>
struct CastInBinaryTree {
    TriangleBvhView bvh;
    const Ray* rays;
    RayHit* hits;
    GRAZE_HD void operator()(std::int64_t i) const {
        FirstHit query(rays[i], bvh.triangles);
        if constexpr (kTraversal == Traversal::stackless) {
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

// Keeps the stream busy for a while, so that the host can send more meanwhile.
__global__ void spin(std::uint64_t nanoseconds) {
    const auto now = [] {
        std::uint64_t time;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
        return time;
    };
    const std::uint64_t begin = now();
    while (now() - begin < nanoseconds) {
    }
}

// Counts the answers that are not the same in every bit, and clears the answers, so that none is
// counted twice.
std::int64_t count_different(CudaExecutor& executor, Buffer<RayHit>& hits,
                             const Buffer<RayHit>& expected) {
    const std::vector<RayHit> a = download(executor, hits), b = download(executor, expected);
    std::int64_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].triangle != b[i].triangle || a[i].t != b[i].t || a[i].u != b[i].u ||
            a[i].v != b[i].v || a[i].front != b[i].front) {
            ++count;
        }
    }
    executor.for_each("empty", hits.size(), Fill<RayHit>{hits.data(), {-1, -1, -1, 0, false}});
    return count;
}

// Returns the vertices along a Morton curve, an order that a mesh can keep for all its life. Rays
// of neighbours in it visit similar nodes.
std::vector<std::size_t> near_order(const Mesh& mesh) {
    const MortonGrid grid = MortonGrid::over(bounds(mesh), 21);
    std::vector<std::size_t> order(mesh.positions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return grid.code(mesh.positions[a]) < grid.code(mesh.positions[b]);
    });
    return order;
}

// Returns a ray from every vertex against its normal, as the rays method casts them.
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

        QuantisedBvh quantised(executor.memory());
        const double quantise_ms =
            median_milliseconds(executor, [&] { build_quantised_bvh(executor, bvh, quantised); });
        const double requantise_ms =
            median_milliseconds(executor, [&] { refit_quantised_bvh(executor, bvh, quantised); });
        std::printf("  %s: quantised build %8.3f ms   refit %8.3f ms   %.1f MB\n", name,
                    quantise_ms, requantise_ms,
                    static_cast<double>(quantised.units.size()) * 16e-6);

        const std::vector<Ray> rays_once = vertex_rays(mesh);
        for (const int repeat : {1, copies}) {
            std::vector<Ray> rays;
            for (int k = 0; k < repeat; ++k)
                rays.insert(rays.end(), rays_once.begin(), rays_once.end());
            const auto in = upload(executor, rays);
            auto hits = executor.make_buffer<RayHit>(in.size());
            auto expected = executor.make_buffer<RayHit>(in.size());
            const auto report = [&](const char* label, const auto& cast, int cast_count = 1,
                                    bool is_sent_ahead = false) {
                const auto before = [&] {
                    if (is_sent_ahead) spin<<<1, 1, 0, executor.stream()>>>(100'000);
                };
                const double ms = median_milliseconds(executor, cast, 51, before) / cast_count;
                const auto n = static_cast<double>(in.size());
                std::printf("  %s: %9lld rays   %-21s %8.4f ms  %6.2f G rays/s   %lld differ\n",
                            name, static_cast<long long>(in.size()), label, ms, n / ms * 1e-6,
                            static_cast<long long>(count_different(executor, hits, expected)));
            };
            executor.for_each(
                "cast", in.size(),
                CastInBinaryTree<Traversal::stack>{bvh.view(), in.data(), expected.data()});
            report("binary tree", [&] {
                executor.for_each(
                    "cast", in.size(),
                    CastInBinaryTree<Traversal::stack>{bvh.view(), in.data(), hits.data()});
            });
            report("binary, stackless", [&] {
                executor.for_each(
                    "cast", in.size(),
                    CastInBinaryTree<Traversal::stackless>{bvh.view(), in.data(), hits.data()});
            });
            report("quantised, threads", [&] {
                executor.for_each(
                    "cast", in.size(),
                    CastRay{quantised.view(bvh), bvh.view().triangles, in.data(), hits.data()});
            });
            const auto cast_by_warps = [&] {
                find_first_hits(executor, bvh, quantised, in.data(), in.size(), hits.data());
            };
            report("quantised, warps", cast_by_warps);
            // Both events and the launch between them wait on the stream when the first event's
            // turn comes, so that the host's share is not counted.
            report("one launch sent ahead", cast_by_warps, 1, true);
            // The host has sent each launch before the last one is done, so its share is not
            // counted.
            constexpr int kInRow = 20;
            report(
                "20 launches in a row",
                [&] {
                    for (int k = 0; k < kInRow; ++k)
                        cast_by_warps();
                },
                kInRow);
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
    if (!find_gpu()) return 0;
    std::printf("%s\n", Device::cuda().description().c_str());
    run(load_bench_mesh("buddha_100k.obj", 100'000), 20);
    run({"bumpy sphere", make_bumpy_sphere(500, 1000)}, 2);
}

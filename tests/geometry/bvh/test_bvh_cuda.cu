#include <algorithm>

#include "geometry/bvh/winding_number.h"
#include "geometry/intersect_mesh_triangles.h"
#include "parallel/cpu_executor.h"
#include "parallel/upload.h"
#include "tests/cuda_test.h"
#include "tests/geometry/bvh/bvh_cases.h"

namespace graze {
namespace {

const BvhQuality kQualities[] = {BvhQuality::fast, BvhQuality::high};

template <class Executor>
struct Built {
    Built(Executor& executor, const Mesh& mesh, BvhQuality quality)
        : positions(upload(executor, mesh.positions)),
          triangles(upload(executor, mesh.triangles)),
          bvh(executor.memory()) {
        build_triangle_bvh(executor, positions.data(), triangles.data(), triangles.size(), quality,
                           bvh);
    }
    HostTree tree(Executor& executor) const {
        return {download(executor, bvh.tree.nodes), download(executor, bvh.tree.primitives),
                download(executor, bvh.tree.leaf_parents)};
    }
    Buffer<Vec3> positions;
    Buffer<Triangle> triangles;
    TriangleBvh bvh;
};

class BvhCuda : public CudaTest {
protected:
    CpuExecutor host{1};
};

TEST_F(BvhCuda, TreesAreTheHostsTrees) {
    for (const NamedMesh& m : bvh_meshes()) {
        for (const BvhQuality quality : kQualities) {
            Built<CudaExecutor> gpu(executor(), m.mesh, quality);
            Built<CpuExecutor> cpu(host, m.mesh, quality);
            check_tree(gpu.tree(executor()), m.mesh, m.name);
            EXPECT_TRUE(same_tree(gpu.tree(executor()), cpu.tree(host))) << m.name;
            const Mesh moved{moved_positions(m.mesh), m.mesh.triangles};
            const auto moved_positions = upload(executor(), moved.positions);
            refit_triangle_bvh(executor(), moved_positions.data(), gpu.triangles.data(), gpu.bvh);
            check_tree(gpu.tree(executor()), moved, m.name + ", refitted");
        }
    }
}

TEST_F(BvhCuda, BuildingAndRefittingAgainAllocatesNothing) {
    const Mesh mesh = make_torus(80, 60);
    Built<CudaExecutor> gpu(executor(), mesh, BvhQuality::high);
    BvhPairs pairs(executor().memory());
    const auto step = [&] {
        for (const BvhQuality quality : kQualities) {
            build_triangle_bvh(executor(), gpu.positions.data(), gpu.triangles.data(),
                               gpu.triangles.size(), quality, gpu.bvh);
            refit_triangle_bvh(executor(), gpu.positions.data(), gpu.triangles.data(), gpu.bvh);
            find_self_overlaps(executor(), gpu.bvh.tree, gpu.bvh.boxes.data(), pairs);
        }
    };
    step();
    const std::int64_t before = executor().memory().allocation_count();
    step();
    EXPECT_EQ(executor().memory().allocation_count(), before);
}

struct CastRays {
    TriangleBvhView bvh;
    const Ray* rays;
    bool stackless;
    RayHit* hits;
    GRAZE_HD void operator()(std::int64_t i) const {
        FirstHit query(rays[i], bvh.triangles);
        if (stackless) {
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
    ClosestPointTriangle<float>* closest;
    GRAZE_HD void operator()(std::int64_t i) const {
        ClosestPoint query(points[i], bvh.triangles);
        traverse(bvh.tree, query);
        closest[i] = query.closest();
    }
};

template <class Executor>
std::vector<RayHit> cast_rays(Executor& executor, const Built<Executor>& built,
                              const std::vector<Ray>& rays, bool stackless) {
    const auto in = upload(executor, rays);
    auto out = executor.template make_buffer<RayHit>(in.size());
    executor.for_each("test: cast", in.size(),
                      CastRays{built.bvh.view(), in.data(), stackless, out.data()});
    return download(executor, out);
}
template <class Executor>
std::vector<ClosestPointTriangle<float>> find_closest(Executor& executor,
                                                      const Built<Executor>& built,
                                                      const std::vector<Vec3>& points) {
    const auto in = upload(executor, points);
    auto out = executor.template make_buffer<ClosestPointTriangle<float>>(in.size());
    executor.for_each("test: closest", in.size(),
                      FindClosest{built.bvh.view(), in.data(), out.data()});
    return download(executor, out);
}

// The trees and the arithmetic are the same, so the answers agree to the last bit.
TEST_F(BvhCuda, QueriesAnswerAsOnTheHost) {
    for (const NamedMesh& m : bvh_meshes()) {
        const auto rays = probe_rays(m.mesh, 2000);
        const auto points = probe_points(m.mesh, 2000);
        for (const BvhQuality quality : kQualities) {
            const Built<CudaExecutor> gpu(executor(), m.mesh, quality);
            const Built<CpuExecutor> cpu(host, m.mesh, quality);
            const auto expected_hits = cast_rays(host, cpu, rays, false);
            for (const bool stackless : {false, true}) {
                const auto hits = cast_rays(executor(), gpu, rays, stackless);
                for (std::size_t i = 0; i < rays.size(); ++i) {
                    ASSERT_EQ(hits[i].triangle, expected_hits[i].triangle) << m.name << " " << i;
                    if (hits[i].triangle == kNoTriangle) continue;
                    ASSERT_EQ(hits[i].t, expected_hits[i].t) << m.name;
                    ASSERT_EQ(hits[i].u, expected_hits[i].u) << m.name;
                    ASSERT_EQ(hits[i].front, expected_hits[i].front) << m.name;
                }
            }
            const auto closest = find_closest(executor(), gpu, points);
            const auto expected = find_closest(host, cpu, points);
            for (std::size_t i = 0; i < points.size() && !m.mesh.triangles.empty(); ++i) {
                ASSERT_EQ(closest[i].distance_sq, expected[i].distance_sq) << m.name;
                ASSERT_TRUE(closest[i].point == expected[i].point) << m.name;
                ASSERT_EQ(closest[i].feature, expected[i].feature) << m.name;
            }
        }
    }
}

TEST_F(BvhCuda, SelfOverlapsAreTheHostsInTheSameOrder) {
    for (const NamedMesh& m : bvh_meshes()) {
        for (const BvhQuality quality : kQualities) {
            const Built<CudaExecutor> gpu(executor(), m.mesh, quality);
            const Built<CpuExecutor> cpu(host, m.mesh, quality);
            BvhPairs found(executor().memory()), expected(host_memory());
            find_self_overlaps(executor(), gpu.bvh.tree, gpu.bvh.boxes.data(), found);
            find_self_overlaps(host, cpu.bvh.tree, cpu.bvh.boxes.data(), expected);
            const auto a = download(executor(), found.pairs), b = download(host, expected.pairs);
            EXPECT_TRUE(
                std::equal(a.begin(), a.end(), b.begin(), b.end(),
                           [](IndexPair x, IndexPair y) { return x.a == y.a && x.b == y.b; }))
                << m.name;
            EXPECT_TRUE(sorted_pairs(a) == brute_pairs(m.mesh)) << m.name;
        }
    }
}

struct SumWinding {
    TriangleBvhView bvh;
    const WindingMoment* moments;
    const Vec3* points;
    double* windings;
    GRAZE_HD void operator()(std::int64_t i) const {
        windings[i] = winding_number(bvh, moments, points[i]);
    }
};
template <class Executor>
std::vector<double> winding_numbers(Executor& executor, const Mesh& mesh,
                                    const std::vector<Vec3>& points) {
    const Built<Executor> built(executor, mesh, BvhQuality::high);
    WindingTree tree(executor.memory());
    build_winding_tree(executor, built.bvh, tree);
    const auto in = upload(executor, points);
    auto out = executor.template make_buffer<double>(in.size());
    executor.for_each("test: winding", in.size(),
                      SumWinding{built.bvh.view(), tree.moments.data(), in.data(), out.data()});
    return download(executor, out);
}
TEST_F(BvhCuda, WindingNumbersAreTheHosts) {
    for (const NamedMesh& m : bvh_meshes()) {
        const auto points = probe_points(m.mesh, 500);
        const auto gpu = winding_numbers(executor(), m.mesh, points);
        const auto cpu = winding_numbers(host, m.mesh, points);
        // The arc tangent may differ in its last bits.
        for (std::size_t i = 0; i < points.size(); ++i)
            EXPECT_NEAR(gpu[i], cpu[i], 1e-12) << m.name;
    }
}

struct DecidePair {
    const Vec3* positions;
    const Triangle* triangles;
    const IndexPair* pairs;
    std::uint8_t* decisions;
    GRAZE_HD void operator()(std::int64_t i) const {
        decisions[i] =
            intersect_mesh_triangles(positions, triangles[pairs[i].a], triangles[pairs[i].b]) ? 1
                                                                                              : 0;
    }
};
template <class Executor>
std::vector<std::uint8_t> decide_pairs(Executor& executor, const Mesh& mesh) {
    const Built<Executor> built(executor, mesh, BvhQuality::fast);
    BvhPairs pairs(executor.memory());
    find_self_overlaps(executor, built.bvh.tree, built.bvh.boxes.data(), pairs);
    auto out = executor.template make_buffer<std::uint8_t>(pairs.pairs.size());
    executor.for_each(
        "test: decide", pairs.pairs.size(),
        DecidePair{built.positions.data(), built.triangles.data(), pairs.pairs.data(), out.data()});
    return download(executor, out);
}
// Exact predicates on the device, degenerate input (small integers) included.
TEST_F(BvhCuda, TriangleIntersectionsAreTheHosts) {
    std::vector<NamedMesh> meshes = bvh_meshes();
    Mesh grid = random_soup(1500, 0.5f, 31);
    for (Vec3& p : grid.positions)
        p = {std::round(p.x * 3), std::round(p.y * 3), std::round(p.z * 2)};
    meshes.push_back({"on a grid", grid});
    for (const NamedMesh& m : meshes) {
        const auto gpu = decide_pairs(executor(), m.mesh), cpu = decide_pairs(host, m.mesh);
        EXPECT_TRUE(gpu == cpu) << m.name;
        if (m.name == "on a grid") {
            EXPECT_GT(std::count(cpu.begin(), cpu.end(), 1), 1000);
        }
    }
}

}  // namespace
}  // namespace graze

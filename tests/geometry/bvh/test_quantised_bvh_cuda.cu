#include <algorithm>

#include "geometry/bvh/first_hits_impl.h"
#include "parallel/cpu_executor.h"
#include "parallel/upload.h"
#include "tests/cuda_test.h"
#include "tests/geometry/bvh/quantised_cases.h"

namespace graze {
namespace {

template <class Executor>
struct Trees {
    Trees(Executor& executor, const Mesh& mesh, BvhQuality quality)
        : positions(upload(executor, mesh.positions)),
          triangles(upload(executor, mesh.triangles)),
          bvh(executor.memory()),
          quantised(executor.memory()) {
        build_triangle_bvh(executor, positions.data(), triangles.data(), triangles.size(), quality,
                           bvh);
        build_quantised_bvh(executor, bvh, quantised);
    }
    Buffer<Vec3> positions;
    Buffer<Triangle> triangles;
    TriangleBvh bvh;
    QuantisedBvh quantised;
};

class QuantisedBvhCuda : public CudaTest {
protected:
    CpuExecutor host{1};
};

bool same_units(const std::vector<QuantisedUnit>& a, const std::vector<QuantisedUnit>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const QuantisedUnit& x, const QuantisedUnit& y) {
                          return std::equal(x.words, x.words + 4, y.words);
                      });
}

// Rays are cast by warps, and by a thread each; there are more than a block has, and the last warp
// is not full.
TEST_F(QuantisedBvhCuda, TreesAndHitsAreTheHosts) {
    for (const NamedMesh& m : bvh_meshes()) {
        std::vector<Ray> rays = straining_rays(m.mesh, 2000);
        rays.pop_back();
        const auto in = upload(executor(), rays);
        for (const BvhQuality quality : {BvhQuality::fast, BvhQuality::high}) {
            const Trees<CudaExecutor> gpu(executor(), m.mesh, quality);
            const Trees<CpuExecutor> cpu(host, m.mesh, quality);
            EXPECT_TRUE(same_units(download(executor(), gpu.quantised.units),
                                   download(host, cpu.quantised.units)))
                << m.name;
            const std::vector<RayHit> expected = binary_first_hits(cpu.bvh, rays);
            auto out = executor().make_buffer<RayHit>(in.size());
            find_first_hits(executor(), gpu.bvh, gpu.quantised, in.data(), in.size(), out.data());
            expect_same_hits(download(executor(), out), expected, m.mesh, rays,
                             m.name + ", by warps");
            executor().for_each("test: cast", in.size(),
                                CastRay{gpu.quantised.view(gpu.bvh), gpu.bvh.triangles.data(),
                                        in.data(), out.data()});
            expect_same_hits(download(executor(), out), expected, m.mesh, rays,
                             m.name + ", by threads");
        }
    }
}

TEST_F(QuantisedBvhCuda, HitsOfFewRaysAreTheHosts) {
    const Mesh mesh = make_torus(30, 20);
    const Trees<CudaExecutor> gpu(executor(), mesh, BvhQuality::high);
    const Trees<CpuExecutor> cpu(host, mesh, BvhQuality::high);
    const std::vector<Ray> all = straining_rays(mesh, 200);
    for (const std::ptrdiff_t count : {0, 1, 31, 32, 33, 127}) {
        const std::vector<Ray> rays(all.begin(), all.begin() + count);
        const auto in = upload(executor(), rays);
        auto out = executor().make_buffer<RayHit>(in.size());
        find_first_hits(executor(), gpu.bvh, gpu.quantised, in.data(), in.size(), out.data());
        expect_same_hits(download(executor(), out), binary_first_hits(cpu.bvh, rays), mesh, rays,
                         std::to_string(count) + " rays");
    }
}

// Where not all warps run at the same time, their rays are chosen differently.
TEST_F(QuantisedBvhCuda, HitsOfManyRaysAreTheHosts) {
    const Mesh mesh = make_torus(80, 60);
    const Trees<CudaExecutor> gpu(executor(), mesh, BvhQuality::high);
    const Trees<CpuExecutor> cpu(host, mesh, BvhQuality::high);
    const std::vector<Ray> few = straining_rays(mesh, 2000);
    const std::vector<RayHit> expected_of_few = binary_first_hits(cpu.bvh, few);
    std::vector<Ray> rays;
    std::vector<RayHit> expected;
    const std::size_t many = 1001 * static_cast<std::size_t>(executor().multiprocessor_count());
    for (std::size_t i = 0; i < many; ++i) {
        rays.push_back(few[i % few.size()]);
        expected.push_back(expected_of_few[i % few.size()]);
    }
    const auto in = upload(executor(), rays);
    auto out = executor().make_buffer<RayHit>(in.size());
    find_first_hits(executor(), gpu.bvh, gpu.quantised, in.data(), in.size(), out.data());
    expect_same_hits(download(executor(), out), expected, mesh, rays, "many rays");
}

TEST_F(QuantisedBvhCuda, RefitFollowsTheMesh) {
    const Mesh mesh = make_torus(30, 20);
    const Mesh moved{moved_positions(mesh), mesh.triangles};
    Trees<CudaExecutor> gpu(executor(), mesh, BvhQuality::high);
    const auto positions = upload(executor(), moved.positions);
    refit_triangle_bvh(executor(), positions.data(), gpu.triangles.data(), gpu.bvh);
    const std::int64_t before = executor().memory().allocation_count();
    refit_quantised_bvh(executor(), gpu.bvh, gpu.quantised);
    EXPECT_EQ(executor().memory().allocation_count(), before);
    const Trees<CpuExecutor> cpu(host, moved, BvhQuality::high);
    const std::vector<Ray> rays = probe_rays(moved, 500);
    const auto in = upload(executor(), rays);
    auto out = executor().make_buffer<RayHit>(in.size());
    find_first_hits(executor(), gpu.bvh, gpu.quantised, in.data(), in.size(), out.data());
    expect_same_hits(download(executor(), out), binary_first_hits(cpu.bvh, rays), moved, rays,
                     "torus");
}

}  // namespace
}  // namespace graze

#include "geometry/bvh/quantised_bvh.h"

#include <bit>
#include <cstdlib>
#include <filesystem>

#include "geometry/bvh/quantised_traverse.h"
#include "graze/mesh_io.h"
#include "parallel/cpu_executor.h"
#include "tests/geometry/bvh/quantised_cases.h"
#include "tests/needs_data.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

const BvhQuality kQualities[] = {BvhQuality::fast, BvhQuality::high};

struct Trees {
    Trees(CpuExecutor& executor, const Mesh& mesh, BvhQuality quality) {
        build_triangle_bvh(executor, mesh.positions.data(), mesh.triangles.data(),
                           static_cast<std::int64_t>(mesh.triangles.size()), quality, bvh);
        build_quantised_bvh(executor, bvh, quantised);
    }
    std::vector<RayHit> first_hits(CpuExecutor& executor, const std::vector<Ray>& rays) const {
        std::vector<RayHit> hits(rays.size());
        find_first_hits(executor, bvh, quantised, rays.data(),
                        static_cast<std::int64_t>(rays.size()), hits.data());
        return hits;
    }
    TriangleBvh bvh{host_memory()};
    QuantisedBvh quantised{host_memory()};
};

// Walks the whole tree: each box holds everything below it, with the margin that rays count on;
// each triangle is there once.
struct CheckTree {
    const QuantisedUnit* units;
    const std::string& name;
    std::vector<int> seen;
    std::int64_t node_count = 0;

    Aabbd triangle_box(std::uint32_t unit) {
        const auto& t = *reinterpret_cast<const BvhTriangle*>(units + unit);
        ++seen[t.index];
        return {min_of(min_of(wide(t.a), wide(t.b)), wide(t.c)),
                max_of(max_of(wide(t.a), wide(t.b)), wide(t.c))};
    }
    Aabbd walk(std::uint32_t unit) {
        ++node_count;
        const auto& node = *reinterpret_cast<const QuantisedNode*>(units + unit);
        const std::uint32_t inner = node.half[0].inner & 0xff, count = node.half[1].more;
        EXPECT_TRUE(count == 8 || inner == 0) << name;
        std::uint32_t next_node = node.half[0].more;
        std::uint32_t next_triangle = next_node + kNodeUnits * count_ones(inner);
        Aabbd all = Aabbd::empty();
        for (unsigned slot = 0; slot < count; ++slot) {
            for (unsigned turn = 0; turn < 8; ++turn) {
                EXPECT_EQ(node.half[turn / 4].inner >> (8 * (turn % 4) + (slot ^ turn)) & 1,
                          inner >> slot & 1);
            }
            Aabbd below;
            if (inner >> slot & 1) {
                below = walk(next_node);
                next_node += kNodeUnits;
            } else {
                below = triangle_box(next_triangle);
                next_triangle += kTriangleUnits;
            }
            const QuantisedNode::Half& half = node.half[slot / 4];
            const unsigned shift = 8 * (slot % 4);
            for (int axis = 0; axis < 3; ++axis) {
                const auto step =
                    double(std::bit_cast<float>((node.exponents >> 8 * axis & 0xff) << 23));
                const auto origin = double(node.origin[axis]);
                const double low = origin + (half.lower[axis] >> shift & 0xff) * step;
                const double high = origin + (half.upper[axis] >> shift & 0xff) * step;
                EXPECT_LE(low, below.min[axis] - 0.9 * kQuantisedMargin * step) << name;
                EXPECT_GE(high, below.max[axis] + 0.9 * kQuantisedMargin * step) << name;
            }
            all = merge(all, below);
        }
        return all;
    }
    static Vec3d wide(const Vec3& p) { return {double(p.x), double(p.y), double(p.z)}; }
};

TEST(QuantisedBvh, BoxesHoldWhatIsBelow) {
    CpuExecutor executor(2);
    for (const NamedMesh& m : bvh_meshes()) {
        for (const BvhQuality quality : kQualities) {
            const Trees trees(executor, m.mesh, quality);
            if (m.mesh.triangles.empty()) {
                EXPECT_TRUE(trees.quantised.units.is_empty());
                continue;
            }
            CheckTree check{trees.quantised.units.data(), m.name,
                            std::vector<int>(m.mesh.triangles.size(), 0)};
            check.walk(0);
            EXPECT_EQ(check.seen, std::vector<int>(m.mesh.triangles.size(), 1)) << m.name;
            EXPECT_EQ(check.node_count, trees.quantised.unit_of_node.size()) << m.name;
        }
    }
}

TEST(QuantisedTriangles, AreFoundByRankAsTheyAreTaken) {
    for (std::uint32_t waiting_and_inner = 0; waiting_and_inner < 0x10000; ++waiting_and_inner) {
        QuantisedTriangles lot;
        lot.base = 5;
        lot.bits = waiting_and_inner | waiting_and_inner % 8 << 16 | 8u << 19;
        QuantisedTriangles left = lot;
        for (std::uint32_t rank = lot.count(); rank-- > 0;)
            ASSERT_EQ(lot.find(rank), left.take()) << waiting_and_inner;
    }
}

TEST(QuantisedBvh, FirstHitsAreTheBinaryTrees) {
    CpuExecutor executor(2);
    for (const NamedMesh& m : bvh_meshes()) {
        const std::vector<Ray> rays = straining_rays(m.mesh, oracle::case_count(1000));
        for (const BvhQuality quality : kQualities) {
            const Trees trees(executor, m.mesh, quality);
            expect_same_hits(trees.first_hits(executor, rays), binary_first_hits(trees.bvh, rays),
                             m.mesh, rays, m.name);
        }
    }
}

TEST(QuantisedBvh, AnyHitIsTheBinaryTrees) {
    CpuExecutor executor(2);
    const Mesh mesh = random_soup(3000, 0.1f, 11);
    const Trees trees(executor, mesh, BvhQuality::high);
    for (const Ray& ray : straining_rays(mesh, 1000)) {
        AnyHit found(ray, trees.bvh.triangles.data()), expected(ray, trees.bvh.triangles.data());
        traverse(trees.quantised.view(trees.bvh), ray, found);
        traverse(trees.bvh.tree.view(), expected);
        EXPECT_EQ(found.is_hit(), expected.is_hit());
    }
}

TEST(QuantisedBvh, RefitFollowsTheMesh) {
    CpuExecutor executor(2);
    const Mesh mesh = make_torus(30, 20);
    Trees trees(executor, mesh, BvhQuality::high);
    const Mesh moved{moved_positions(mesh), mesh.triangles};
    refit_triangle_bvh(executor, moved.positions.data(), moved.triangles.data(), trees.bvh);
    refit_quantised_bvh(executor, trees.bvh, trees.quantised);
    const std::vector<Ray> rays = straining_rays(moved, 500);
    expect_same_hits(trees.first_hits(executor, rays), binary_first_hits(trees.bvh, rays), moved,
                     rays, "torus");
}

TEST(QuantisedBvh, BuildingAndRefittingAgainAllocatesNothing) {
    CpuExecutor executor(2);
    const Mesh mesh = make_torus(80, 60);
    Trees trees(executor, mesh, BvhQuality::high);
    const std::int64_t before = host_memory().allocation_count();
    build_quantised_bvh(executor, trees.bvh, trees.quantised);
    refit_quantised_bvh(executor, trees.bvh, trees.quantised);
    EXPECT_EQ(host_memory().allocation_count(), before);
}

// Rays go into a scan from its vertices.
TEST(QuantisedBvh, FirstHitsOnScansAreTheBinaryTrees) {
    GRAZE_NEEDS_DATA("models");
    CpuExecutor executor(2);
    for (const char* model : {"buddha_100k.obj", "armadillo_86k.obj"}) {
        const Mesh mesh = load_mesh(data_folder() / "models" / model);
        const Trees trees(executor, mesh, BvhQuality::high);
        std::vector<Ray> rays;
        for (std::size_t i = 0; i < mesh.triangles.size(); i += GRAZE_SANITIZED != 0 ? 10 : 1) {
            const Triangle& t = mesh.triangles[i];
            const Vec3 a = mesh.positions[t[0]], b = mesh.positions[t[1]], c = mesh.positions[t[2]];
            rays.push_back({a, cross(c - a, b - a)});
            rays.push_back({a, c - b});
        }
        expect_same_hits(trees.first_hits(executor, rays), binary_first_hits(trees.bvh, rays), mesh,
                         rays, model);
    }
}

}  // namespace
}  // namespace graze

// What Method::rays takes of a mesh, and walks over its triangles.
#include "narrow_phase/rays/shape_rays.h"

#include <gtest/gtest.h>

#include <set>

#include "geometry/topology.h"
#include "narrow_phase/rays/cast_vertex_ray.h"
#include "parallel/cpu_executor.h"
#include "tests/narrow_phase/rays/ray_cases.h"

namespace graze {
namespace {

MeshRays rays_of(const Mesh& mesh) {
    return make_mesh_rays(mesh, 1, nullptr);
}

TEST(ShapeRays, KnowWhereRaysLeaveTheirOwnBody) {
    const MeshRays cube = rays_of(sample::cube());
    ASSERT_EQ(cube.vertices.size(), 8u);
    for (const RayVertex& v : cube.vertices) {
        EXPECT_NEAR(v.inner_reach, 2 * std::sqrt(3.0f), 1e-5) << "to the opposite corner";
        EXPECT_EQ(v.outer_reach, HUGE_VALF);
        EXPECT_NEAR(length(v.normal - v.position / std::sqrt(3.0f)), 0, 1e-6);
    }
    const MeshRays sphere = rays_of(irregular(make_sphere(1, 3)));
    for (const RayVertex& v : sphere.vertices)
        EXPECT_NEAR(v.inner_reach, 2, 0.1);
    // Across the hole of a ring, the rays along normals meet its other side.
    const MeshRays ring = rays_of(irregular(small_torus()));
    int across_count = 0;
    for (const RayVertex& v : ring.vertices) {
        EXPECT_LT(v.inner_reach, 0.35f);
        across_count += std::isfinite(v.outer_reach);
    }
    EXPECT_GE(across_count, 24);
    const MeshRays sheet = rays_of(make_sheet({}));
    for (const RayVertex& v : sheet.vertices)
        EXPECT_EQ(v.inner_reach, HUGE_VALF) << "an open mesh has no other side";
}

TEST(ShapeRays, LeaveOutWhatHasNoNormalAndCopies) {
    Mesh mesh = sample::cube();
    mesh.positions.push_back({5, 5, 5});          // of no triangle
    mesh.triangles.push_back(mesh.triangles[3]);  // a copy
    mesh.triangles.insert(mesh.triangles.begin(), mesh.triangles[5]);
    const MeshRays rays = rays_of(mesh);
    EXPECT_EQ(rays.vertices.size(), 8u);
    ASSERT_EQ(rays.triangles.size(), 12u);
    for (std::size_t i = 0; i < rays.triangles.size(); ++i) {
        const Triangle& t = mesh.triangles[rays.triangle_index[i]];
        for (int k = 0; k < 3; ++k)
            EXPECT_EQ(rays.triangles[i].corners[k], mesh.positions[t[k]]);
    }
    const std::set<std::uint32_t> indices(rays.triangle_index.begin(), rays.triangle_index.end());
    EXPECT_EQ(indices.size(), 12u);
}

TEST(ShapeRays, HaveNeighboursAcrossSeamsAndNoneAtBoundaries) {
    for (const bool is_split : {false, true}) {
        const Mesh smooth = small_torus();
        Mesh mesh = smooth;
        if (is_split) {
            mesh = {};
            for (const Triangle& t : smooth.triangles) {
                const auto first = static_cast<std::uint32_t>(mesh.positions.size());
                for (const std::uint32_t v : t.v)
                    mesh.positions.push_back(smooth.positions[v]);
                mesh.triangles.push_back({{first, first + 1, first + 2}});
            }
        }
        const MeshRays rays = rays_of(mesh);
        for (std::uint32_t i = 0; i < rays.triangles.size(); ++i) {
            for (int k = 0; k < 3; ++k) {
                const std::uint32_t next = rays.triangles[i].neighbours[k];
                ASSERT_LT(next, rays.triangles.size());
                const auto& back = rays.triangles[next].neighbours;
                EXPECT_TRUE(back[0] == i || back[1] == i || back[2] == i);
                // Both share the side.
                int shared_count = 0;
                for (const Vec3& p : rays.triangles[i].corners) {
                    for (const Vec3& q : rays.triangles[next].corners)
                        shared_count += p == q;
                }
                EXPECT_EQ(shared_count, 2);
            }
        }
    }
    const MeshRays one = rays_of(sample::single_triangle());
    for (const std::uint32_t next : one.triangles[0].neighbours)
        EXPECT_EQ(next, kNoIndex);
}

TEST(WalkToHit, ArrivesFromAnywhereNear) {
    const MeshRays ground = rays_of(ground_mesh(20, 1));
    RandomPoints<float> random(1);
    for (int i = 0; i < 2000; ++i) {
        // Below the upper face, and a ray upwards.
        const Vec3 origin{random.uniform(-0.8f, 0.8f), random.uniform(-0.8f, 0.8f), -0.1f};
        const Vec3 up =
            normalized(Vec3{random.uniform(-0.3f, 0.3f), random.uniform(-0.3f, 0.3f), 1});
        const VertexRay ray{origin, up, 1, 0, 0};
        const RayOutcome cast = cast_vertex_ray<CastAtEveryTriangle>(ground.view(), ray);
        ASSERT_TRUE(cast.is_met());
        // A triangle a few cells away.
        const Vec3 near{origin.x + random.uniform(-0.2f, 0.2f),
                        origin.y + random.uniform(-0.2f, 0.2f), -0.1f};
        const RayOutcome start =
            cast_vertex_ray<CastWithoutStack>(ground.view(), {near, {0, 0, 1}, 1, 0, 0});
        ASSERT_TRUE(start.is_met());
        const RayOutcome walked = walk_to_hit(ground.view(), ray, start.triangle(), 40);
        ASSERT_TRUE(walked.is_met());
        EXPECT_NEAR(walked.depth, cast.depth, 1e-6);
        // In front of the face, the same walk tells how far.
        const VertexRay above{origin + Vec3{0, 0, 0.2f}, up, 1, 1, 1};
        const RayOutcome ahead = walk_to_hit(ground.view(), above, start.triangle(), 40);
        ASSERT_TRUE(ahead.is_met());
        EXPECT_LT(ahead.depth, 0);
    }
}

TEST(WalkToHit, EndsWhereThereIsNothing) {
    const VertexRay aside{{50, 50, 50}, {0, 0, 1}, HUGE_VALF, 0, 0};
    for (const auto& [name, mesh] : sample::all_meshes()) {
        if (mesh.triangles.empty() || mesh.triangles.size() > 2000) continue;
        const MeshRays rays = rays_of(mesh);
        for (std::uint32_t start = 0; start < rays.triangles.size(); ++start) {
            EXPECT_FALSE(walk_to_hit(rays.view(), aside, start, 100).is_met()) << name;
            const VertexRay without{{0, 0, 0}, {0, 0, 0}, 1, 0, 0};
            EXPECT_FALSE(walk_to_hit(rays.view(), without, start, 100).is_met()) << name;
        }
    }
    // Seen from outside, a triangle is no hit.
    const MeshRays cube = rays_of(sample::cube());
    const VertexRay below{{0.1f, 0.2f, -3}, {0, 0, 1}, HUGE_VALF, 0, 0};
    EXPECT_FALSE(cast_vertex_ray<CastAtEveryTriangle>(cube.view(), below).is_met());
}

}  // namespace
}  // namespace graze

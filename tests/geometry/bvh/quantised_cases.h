// What a QuantisedBvh is asked on every machine; used by test_quantised_bvh.cpp and
// test_quantised_bvh_cuda.cu.
#pragma once

#include "geometry/bvh/first_hits.h"
#include "tests/geometry/bvh/bvh_cases.h"

namespace graze {

// Rays through the mesh, and what strains the arithmetic of boxes: directions of any length,
// origins far away, rays along axes and in the plane of a flat mesh, rays that end where they
// begin.
inline std::vector<Ray> straining_rays(const Mesh& mesh, int count) {
    std::vector<Ray> rays = probe_rays(mesh, count);
    std::mt19937 random(23);
    std::uniform_real_distribution<float> unit(-1, 1);
    const std::size_t n = rays.size();
    for (std::size_t i = 0; i < n; ++i) {
        Ray ray = rays[i];
        const Vec3 target = mesh.positions.empty()
                                ? Vec3{0, 0, 0}
                                : mesh.positions[random() % mesh.positions.size()];
        ray.t_max = std::numeric_limits<float>::infinity();
        switch (i % 5) {
            case 0:
                ray.direction *= std::pow(10.0f, 37 * unit(random));
                break;
            case 1:
                ray.origin = target - ray.direction * std::pow(10.0f, 6 * std::fabs(unit(random)));
                break;
            case 2:
                ray.direction = Vec3{0, 0, 0};
                ray.direction[static_cast<int>(random() % 3)] = random() % 2 ? 1.0f : -1.0f;
                ray.origin = target - ray.direction * 3.0f;
                break;
            case 3:
                ray.direction[static_cast<int>(random() % 3)] *= 1e-30f;
                break;
            default:
                ray.direction = target - ray.origin;
                ray.direction.z = 0;
                break;
        }
        rays.push_back(ray);
        if (i % 10 != 0) continue;
        ray.origin = target;
        ray.t_min = 0;
        ray.t_max = i % 20 == 0 ? -0.0f : 0.0f;
        rays.push_back(ray);
    }
    return rays;
}

// Hits are the same in every bit. Where a triangle is seen edge-on, so that by rounding its hit is
// outside of its own box, the tree decides whether it is found, and brute force is the judge.
inline void expect_same_hits(const std::vector<RayHit>& found, const std::vector<RayHit>& expected,
                             const Mesh& mesh, const std::vector<Ray>& rays,
                             const std::string& what) {
    ASSERT_EQ(found.size(), rays.size()) << what;
    ASSERT_EQ(expected.size(), rays.size()) << what;
    std::size_t edge_on = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        RayHit other = expected[i];
        if (found[i].triangle != other.triangle) {
            other = brute_first_hit(mesh, rays[i]);
            ++edge_on;
        }
        ASSERT_EQ(found[i].triangle, other.triangle) << what << ", ray " << i;
        if (other.triangle == kNoTriangle) continue;
        ASSERT_EQ(found[i].t, other.t) << what << ", ray " << i;
        ASSERT_EQ(found[i].u, other.u) << what << ", ray " << i;
        ASSERT_EQ(found[i].v, other.v) << what << ", ray " << i;
        ASSERT_EQ(found[i].front, other.front) << what << ", ray " << i;
    }
    EXPECT_LE(edge_on, rays.size() / 500) << what;
}

// The oracle: the binary tree, a ray at a time, on the host.
inline std::vector<RayHit> binary_first_hits(const TriangleBvh& bvh, const std::vector<Ray>& rays) {
    std::vector<RayHit> hits;
    hits.reserve(rays.size());
    for (const Ray& ray : rays) {
        FirstHit query(ray, bvh.triangles.data());
        traverse(bvh.tree.view(), query);
        hits.push_back(query.hit());
    }
    return hits;
}

}  // namespace graze

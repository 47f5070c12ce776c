// What a MeshTree must answer on every machine, against all triangles one by one; run by
// test_mesh_tree.cpp and test_mesh_tree_cuda.cu.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "geometry/closest_point_triangle.h"
#include "geometry/intersect_ray_triangle.h"
#include "geometry/overlap_box_triangle.h"
#include "graze/generate_mesh.h"
#include "graze/mesh_tree.h"
#include "tests/geometry/bvh/bvh_cases.h"
#include "tests/oracle/brute_distance.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {

// Closed and open, apart and crossing itself, with vertices doubled, turned inside out.
inline std::vector<NamedMesh> tree_meshes() {
    std::vector<NamedMesh> meshes{{"torus", make_torus(24, 12)},
                                  {"cube", sample::cube()},
                                  {"one triangle", sample::single_triangle()},
                                  {"soup", random_soup(300, 0.3f, 3)},
                                  {"sphere", make_sphere(0.9f, 3)}};
    NamedMesh turned{"cube turned inside out", sample::cube()};
    for (Triangle& t : turned.mesh.triangles)
        std::swap(t.v[1], t.v[2]);
    meshes.push_back(turned);
    NamedMesh split{"torus of loose triangles", {}};
    for (const Triangle& t : meshes[0].mesh.triangles) {
        const auto first = static_cast<std::uint32_t>(split.mesh.positions.size());
        for (int k = 0; k < 3; ++k)
            split.mesh.positions.push_back(meshes[0].mesh.positions[t[k]]);
        split.mesh.triangles.push_back({{first, first + 1, first + 2}});
    }
    meshes.push_back(split);
    NamedMesh two{"two spheres that overlap", make_sphere(0.6f, 2)};
    const auto count = static_cast<std::uint32_t>(two.mesh.positions.size());
    const std::vector<Triangle> triangles = two.mesh.triangles;
    for (std::uint32_t i = 0; i < count; ++i)
        two.mesh.positions.push_back(two.mesh.positions[i] + Vec3{0.5f, 0.1f, 0});
    for (const Triangle& t : triangles)
        two.mesh.triangles.push_back({{t[0] + count, t[1] + count, t[2] + count}});
    meshes.push_back(two);
    return meshes;
}

// Around the mesh, at its vertices, at the middles of its edges and a little beside both.
inline std::vector<Vec3> tree_points(const Mesh& mesh, int count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> unit(-1, 1);
    const Aabb box = bounds(mesh);
    const Vec3 size = extent(box) + Vec3{0.1f, 0.1f, 0.1f};
    const auto offset = [&] { return Vec3{unit(random), unit(random), unit(random)}; };
    std::vector<Vec3> points;
    for (int i = 0; i < count; ++i) {
        const Triangle& t = mesh.triangles[random() % mesh.triangles.size()];
        const Vec3 corner = mesh.positions[t[0]], next = mesh.positions[t[1]];
        const float near = 0.1f * std::pow(10.0f, -static_cast<float>(i % 4));
        switch (i % 3) {
            case 0:
                points.push_back(centre(box) + scale(size, offset()));
                break;
            case 1:
                points.push_back(corner + offset() * near);
                break;
            default:
                points.push_back((corner + next) * 0.5f + offset() * near);
        }
    }
    return points;
}

inline void expect_nearest(MeshTree& tree, const std::vector<Vec3>& points, const char* name) {
    const Mesh& mesh = tree.mesh();
    const std::span<const NearestPoint> nearest = tree.find_nearest(points);
    ASSERT_EQ(nearest.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const NearestPoint& found = nearest[i];
        const double exact = oracle::unsigned_distance(mesh, points[i]);
        EXPECT_NEAR(found.distance, exact, 2e-6) << name << ", point " << i;
        EXPECT_NEAR(length(found.position - points[i]), exact, 2e-6) << name;
        ASSERT_LT(found.triangle, mesh.triangles.size());
        const Triangle& t = mesh.triangles[found.triangle];
        const Vec3 at = mesh.positions[t[0]] * (1 - found.u - found.v) +
                        mesh.positions[t[1]] * found.u + mesh.positions[t[2]] * found.v;
        EXPECT_NEAR(length(at - found.position), 0, 2e-6) << name;
        EXPECT_NEAR(length(found.normal), 1, 1e-5) << name << ", point " << i;
    }
}

// Where the point is not on the surface but for rounding.
inline void expect_signs(MeshTree& tree, const std::vector<Vec3>& points, DistanceSign sign,
                         double turn, const char* name) {
    const std::span<const float> distances = tree.signed_distances(points, sign);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double exact = oracle::unsigned_distance(tree.mesh(), points[i]);
        EXPECT_NEAR(std::fabs(distances[i]), exact, 2e-6) << name;
        if (exact < 1e-5) continue;
        const double winding = turn * oracle::winding_number(tree.mesh(), points[i]);
        if (std::fabs(winding - 0.5) < 1e-4) continue;
        EXPECT_EQ(distances[i] < 0, winding > 0.5)
            << name << ", point " << i << " with winding number " << winding;
    }
}

inline std::vector<RayHit> hits_one_by_one(const Mesh& mesh, const Ray& ray) {
    std::vector<RayHit> hits;
    const auto shear = make_ray_shear(ray.origin, ray.direction);
    for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i) {
        const Triangle& t = mesh.triangles[i];
        RayTriangleHit<float> hit;
        if (intersect_ray_triangle(shear, mesh.positions[t[0]], mesh.positions[t[1]],
                                   mesh.positions[t[2]], ray.t_min, ray.t_max, hit))
            hits.push_back({hit.t, hit.u, hit.v, i, hit.front});
    }
    std::sort(hits.begin(), hits.end(), [](const RayHit& a, const RayHit& b) {
        return std::pair(a.t, a.triangle) < std::pair(b.t, b.triangle);
    });
    return hits;
}

inline void expect_rays(MeshTree& tree, const std::vector<Vec3>& points, const char* name) {
    std::vector<Ray> rays;
    for (std::size_t i = 0; i + 1 < points.size(); i += 2) {
        Ray ray{points[i], points[i + 1] - points[i]};
        if (i % 6 == 0) ray.t_max = 1;
        if (i % 10 == 0) ray.direction = {i % 20 == 0 ? 1.0f : 0.0f, 0, i % 20 == 0 ? 0.0f : -2.0f};
        rays.push_back(ray);
    }
    const auto first = tree.find_first_hits(rays);
    const std::vector<RayHit> firsts(first.begin(), first.end());
    const auto any = tree.find_any_hits(rays);
    const std::vector<std::uint8_t> anys(any.begin(), any.end());
    const AnswerLists<RayHit> all = tree.find_all_hits(rays);
    std::size_t hit_count = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        const std::vector<RayHit> expected = hits_one_by_one(tree.mesh(), rays[i]);
        ASSERT_EQ(all.of(i).size(), expected.size()) << name << ", ray " << i;
        for (std::size_t k = 0; k < expected.size(); ++k) {
            EXPECT_EQ(all.of(i)[k].triangle, expected[k].triangle) << name;
            EXPECT_EQ(all.of(i)[k].t, expected[k].t) << name;
            EXPECT_EQ(all.of(i)[k].front, expected[k].front) << name;
        }
        EXPECT_EQ(anys[i], expected.empty() ? 0 : 1) << name;
        EXPECT_EQ(firsts[i].triangle, expected.empty() ? kNoTriangle : expected[0].triangle);
        if (!expected.empty()) {
            EXPECT_EQ(firsts[i].t, expected[0].t);
        }
        hit_count += expected.size();
    }
    EXPECT_GT(hit_count, 0u) << name;
}

inline void expect_lists(MeshTree& tree, const std::vector<Vec3>& points, const char* name) {
    const Mesh& mesh = tree.mesh();
    const float reach = 0.3f;
    const int wanted = 5;
    const auto nearest = tree.find_nearest_triangles(points, wanted);
    const std::vector<NearTriangle> few(nearest.begin(), nearest.end());
    const AnswerLists<NearTriangle> within = tree.find_within(points, reach);
    for (std::size_t i = 0; i < points.size(); ++i) {
        std::vector<NearTriangle> expected;
        for (std::uint32_t k = 0; k < mesh.triangles.size(); ++k) {
            const Triangle& t = mesh.triangles[k];
            expected.push_back({closest_point_triangle(points[i], mesh.positions[t[0]],
                                                       mesh.positions[t[1]], mesh.positions[t[2]])
                                    .distance_sq,
                                k});
        }
        std::sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) {
            return std::pair(a.distance, a.triangle) < std::pair(b.distance, b.triangle);
        });
        for (std::size_t k = 0; k < static_cast<std::size_t>(wanted); ++k) {
            const NearTriangle& found = few[i * wanted + k];
            if (k < expected.size()) {
                EXPECT_EQ(found.triangle, expected[k].triangle) << name << ", point " << i;
                EXPECT_EQ(found.distance, std::sqrt(expected[k].distance)) << name;
            } else {
                EXPECT_EQ(found.triangle, kNoTriangle) << name;
            }
        }
        const auto end = std::partition_point(
            expected.begin(), expected.end(),
            [&](const NearTriangle& t) { return t.distance <= reach * reach; });
        const auto found = within.of(i);
        ASSERT_EQ(found.size(), static_cast<std::size_t>(end - expected.begin())) << name;
        for (std::size_t k = 0; k < found.size(); ++k)
            EXPECT_EQ(found[k].triangle, expected[k].triangle) << name;
    }
}

inline void expect_boxes(MeshTree& tree, const std::vector<Vec3>& points, const char* name) {
    const Mesh& mesh = tree.mesh();
    std::vector<Aabb> boxes{Aabb::empty()};
    for (std::size_t i = 0; i + 1 < points.size(); i += 2) {
        const Vec3 half = max_of(points[i + 1] - points[i], points[i] - points[i + 1]) * 0.25f;
        boxes.push_back({points[i] - half, points[i] + half});
    }
    const AnswerLists<std::uint32_t> found = tree.find_in_boxes(boxes);
    EXPECT_TRUE(found.of(0).empty());
    for (std::size_t i = 1; i < boxes.size(); ++i) {
        std::vector<std::uint32_t> expected;
        for (std::uint32_t k = 0; k < mesh.triangles.size(); ++k) {
            const Triangle& t = mesh.triangles[k];
            const Vec3 half = extent(boxes[i]) * 0.5f;
            if (overlap(boxes[i],
                        box_of(mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]])) &&
                overlap_box_triangle(boxes[i].min + half, half, mesh.positions[t[0]],
                                     mesh.positions[t[1]], mesh.positions[t[2]]))
                expected.push_back(k);
        }
        EXPECT_TRUE(std::ranges::equal(found.of(i), expected)) << name << ", box " << i;
    }
}

inline void expect_right_answers(const Device& device, int count) {
    for (const auto& [name, mesh] : tree_meshes()) {
        MeshTree tree(mesh, device);
        const std::vector<Vec3> points = tree_points(mesh, count, 7);
        expect_nearest(tree, points, name.c_str());
        expect_rays(tree, points, name.c_str());
        expect_lists(tree, points, name.c_str());
        expect_boxes(tree, points, name.c_str());
        const double turn = name == "cube turned inside out" ? -1 : 1;
        expect_signs(tree, points, DistanceSign::winding, turn, name.c_str());
        expect_signs(tree, points, DistanceSign::automatic, turn, name.c_str());
        const auto windings = tree.winding_numbers(points);
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (oracle::unsigned_distance(mesh, points[i]) < 1e-5) continue;
            EXPECT_NEAR(windings[i], oracle::winding_number(mesh, points[i]), 1e-3) << name;
        }
    }
}

}  // namespace graze

// What a Bvh must do on every machine; run by test_bvh.cpp and test_bvh_cuda.cu.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "geometry/bvh/bvh_pairs.h"
#include "geometry/bvh/triangle_bvh.h"

namespace graze {

struct NamedMesh {
    std::string name;
    Mesh mesh;
};

inline Mesh random_soup(int count, float size, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> unit(-1, 1);
    const auto point = [&] { return Vec3{unit(random), unit(random), unit(random)}; };
    Mesh mesh;
    for (int i = 0; i < count; ++i) {
        const Vec3 p = point();
        const auto first = static_cast<std::uint32_t>(mesh.positions.size());
        for (int k = 0; k < 3; ++k)
            mesh.positions.push_back(p + point() * size);
        mesh.triangles.push_back({{first, first + 1, first + 2}});
    }
    return mesh;
}

inline Mesh make_torus(int rings, int segments) {
    Mesh mesh;
    const float tau = 6.2831853f;
    for (int i = 0; i < rings; ++i) {
        for (int j = 0; j < segments; ++j) {
            const float a = tau * static_cast<float>(i) / static_cast<float>(rings);
            const float b = tau * static_cast<float>(j) / static_cast<float>(segments);
            const float r = 1.0f + 0.35f * std::cos(b);
            mesh.positions.push_back({r * std::cos(a), r * std::sin(a), 0.35f * std::sin(b)});
        }
    }
    const auto id = [&](int i, int j) {
        return static_cast<std::uint32_t>(i % rings * segments + j % segments);
    };
    for (int i = 0; i < rings; ++i) {
        for (int j = 0; j < segments; ++j) {
            mesh.triangles.push_back({{id(i, j), id(i + 1, j), id(i + 1, j + 1)}});
            mesh.triangles.push_back({{id(i, j), id(i + 1, j + 1), id(i, j + 1)}});
        }
    }
    return mesh;
}

// Ordinary, tiny and hostile inputs: the tree must hold for all of them.
inline std::vector<NamedMesh> bvh_meshes() {
    std::vector<NamedMesh> meshes;
    meshes.push_back({"empty", Mesh{}});
    for (const int count : {1, 2, 3, 9, 100, 3000}) {
        meshes.push_back({"soup of " + std::to_string(count), random_soup(count, 0.1f, 11)});
    }
    meshes.push_back({"torus", make_torus(60, 40)});
    Mesh same = random_soup(1, 0.5f, 3);
    same.triangles.resize(2000, same.triangles[0]);
    meshes.push_back({"2000 times the same triangle", same});
    Mesh flat = random_soup(1500, 0.1f, 4);
    for (Vec3& p : flat.positions)
        p.z = 0.25f;
    meshes.push_back({"flat", flat});
    // Each box is so much larger than the last that choosing by area merges one pair a round.
    Mesh growing;
    for (int i = 0; i < 3000; ++i) {
        const float s = std::pow(1.02f, static_cast<float>(i));
        const auto first = static_cast<std::uint32_t>(growing.positions.size());
        growing.positions.insert(growing.positions.end(),
                                 {{s, s, s}, {s * 1.01f, s, s}, {s, s * 1.01f, s}});
        growing.triangles.push_back({{first, first + 1, first + 2}});
    }
    meshes.push_back({"geometric progression", growing});
    Mesh point = random_soup(1, 0.5f, 3);
    point.positions.assign(3, {1, 2, 3});
    point.triangles.resize(50, point.triangles[0]);
    meshes.push_back({"all in one point", point});
    return meshes;
}

// The tree as vectors on the host.
struct HostTree {
    std::vector<BvhNode> nodes;
    std::vector<std::uint32_t> primitives;
    std::vector<std::int32_t> leaf_parents;
};

// Every primitive once, boxes tight and nested, counts and parents right, and no path longer than
// promised.
inline void check_tree(const HostTree& tree, const Mesh& mesh, const std::string& name) {
    const auto count = static_cast<std::int64_t>(mesh.triangles.size());
    ASSERT_EQ(static_cast<std::int64_t>(tree.primitives.size()), count) << name;
    if (count == 0) return;
    const std::set<std::uint32_t> unique(tree.primitives.begin(), tree.primitives.end());
    ASSERT_EQ(static_cast<std::int64_t>(unique.size()), count) << name;
    ASSERT_EQ(*unique.rbegin(), count - 1) << name;
    ASSERT_EQ(tree.nodes[0].parent, -1) << name;

    struct Visit {
        std::int32_t node;
        int depth;
    };
    std::vector<Visit> stack{{0, 1}};
    std::vector<std::int32_t> order;  // parents before children
    std::vector<char> seen(static_cast<std::size_t>(count), 0);
    int deepest = 0;
    while (!stack.empty()) {
        const Visit visit = stack.back();
        stack.pop_back();
        order.push_back(visit.node);
        deepest = std::max(deepest, visit.depth);
        const BvhNode& node = tree.nodes[static_cast<std::size_t>(visit.node)];
        for (int side = 0; side < (count == 1 ? 1 : 2); ++side) {
            if (node.child[side] >= 0) {
                ASSERT_EQ(tree.nodes[static_cast<std::size_t>(node.child[side])].parent, visit.node)
                    << name;
                stack.push_back({node.child[side], visit.depth + 1});
                continue;
            }
            const std::int32_t leaf = ~node.child[side];
            const auto slot = static_cast<std::size_t>(leaf);
            ASSERT_FALSE(seen[slot]) << name;
            seen[slot] = 1;
            ASSERT_EQ(tree.leaf_parents[slot], visit.node) << name;
            const Triangle& t = mesh.triangles[tree.primitives[slot]];
            const Aabb box =
                box_of(mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]);
            ASSERT_TRUE(box.min == node.box[side].min && box.max == node.box[side].max) << name;
        }
    }
    EXPECT_LE(deepest, kBvhMaxDepth) << name;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), count) << name;
    std::vector<std::int32_t> below(tree.nodes.size(), 0);
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        const BvhNode& node = tree.nodes[static_cast<std::size_t>(*it)];
        std::int32_t sum = 0;
        for (int side = 0; side < (count == 1 ? 1 : 2); ++side) {
            if (node.child[side] < 0) {
                ++sum;
                continue;
            }
            const BvhNode& child = tree.nodes[static_cast<std::size_t>(node.child[side])];
            const Aabb box = merge(child.box[0], child.box[1]);
            ASSERT_TRUE(box.min == node.box[side].min && box.max == node.box[side].max) << name;
            sum += below[static_cast<std::size_t>(node.child[side])];
        }
        below[static_cast<std::size_t>(*it)] = sum;
        ASSERT_EQ(node.count, sum) << name;
    }
}

inline bool same_tree(const HostTree& a, const HostTree& b) {
    const auto same_node = [](const BvhNode& x, const BvhNode& y) {
        for (int side = 0; side < 2; ++side) {
            if (x.child[side] != y.child[side] || x.box[side].min != y.box[side].min ||
                x.box[side].max != y.box[side].max) {
                return false;
            }
        }
        return x.parent == y.parent && x.count == y.count;
    };
    return a.primitives == b.primitives && a.leaf_parents == b.leaf_parents &&
           std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(), same_node);
}

inline std::vector<Vec3> moved_positions(const Mesh& mesh) {
    std::vector<Vec3> moved = mesh.positions;
    for (std::size_t i = 0; i < moved.size(); ++i) {
        moved[i] = Vec3{moved[i].y, -2 * moved[i].x, moved[i].z + 0.1f * static_cast<float>(i % 7)};
    }
    return moved;
}

// Points around and rays through the mesh, some of them from its vertices.
inline std::vector<Vec3> probe_points(const Mesh& mesh, int count) {
    std::mt19937 random(21);
    std::uniform_real_distribution<float> unit(-1.5f, 1.5f);
    std::vector<Vec3> points;
    for (int i = 0; i < count; ++i) {
        points.push_back({unit(random), unit(random), unit(random)});
        if (!mesh.positions.empty())
            points.push_back(mesh.positions[random() % mesh.positions.size()]);
    }
    return points;
}
inline std::vector<Ray> probe_rays(const Mesh& mesh, int count) {
    std::mt19937 random(22);
    std::normal_distribution<float> spread;
    std::vector<Ray> rays;
    for (const Vec3& origin : probe_points(mesh, count)) {
        Vec3 direction{spread(random), spread(random), spread(random)};
        // Rays along axes, and rays aimed at vertices, which meet several triangles at once.
        if (random() % 4 == 0) direction = Vec3{0, 0, random() % 2 ? 1.0f : -1.0f};
        if (random() % 4 == 0 && !mesh.positions.empty()) {
            direction = mesh.positions[random() % mesh.positions.size()] - origin;
        }
        if (random() % 50 == 0) direction = Vec3{0, 0, 0};
        const float t_mins[] = {0.0f, -1.0f, 0.3f};
        rays.push_back({origin, direction, t_mins[random() % 3],
                        random() % 2 ? 1.0f : std::numeric_limits<float>::infinity()});
    }
    return rays;
}

// The same questions asked of every triangle in turn.
inline RayHit brute_first_hit(const Mesh& mesh, const Ray& ray) {
    RayHit best{};
    const auto shear = make_ray_shear(ray.origin, ray.direction);
    float limit = ray.t_max;
    for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i) {
        const Triangle& t = mesh.triangles[i];
        RayTriangleHit<float> hit;
        if (!intersect_ray_triangle(shear, mesh.positions[t[0]], mesh.positions[t[1]],
                                    mesh.positions[t[2]], ray.t_min, limit, hit)) {
            continue;
        }
        if (best.triangle == kNoTriangle || hit.t < best.t)
            best = {hit.t, hit.u, hit.v, i, hit.front};
        limit = best.t;
    }
    return best;
}
inline std::vector<std::uint32_t> brute_all_hits(const Mesh& mesh, const Ray& ray) {
    std::vector<std::uint32_t> hits;
    const auto shear = make_ray_shear(ray.origin, ray.direction);
    for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i) {
        const Triangle& t = mesh.triangles[i];
        RayTriangleHit<float> hit;
        if (intersect_ray_triangle(shear, mesh.positions[t[0]], mesh.positions[t[1]],
                                   mesh.positions[t[2]], ray.t_min, ray.t_max, hit)) {
            hits.push_back(i);
        }
    }
    return hits;
}
inline float brute_distance_sq(const Mesh& mesh, const Vec3& point) {
    float best = std::numeric_limits<float>::infinity();
    for (const Triangle& t : mesh.triangles) {
        best = std::min(best, closest_point_triangle(point, mesh.positions[t[0]],
                                                     mesh.positions[t[1]], mesh.positions[t[2]])
                                  .distance_sq);
    }
    return best;
}
inline std::vector<Aabb> brute_boxes(const Mesh& mesh) {
    std::vector<Aabb> boxes;
    boxes.reserve(mesh.triangles.size());
    for (const Triangle& t : mesh.triangles) {
        boxes.push_back(box_of(mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]));
    }
    return boxes;
}
inline std::vector<std::pair<std::uint32_t, std::uint32_t>> brute_pairs(const Mesh& mesh) {
    const std::vector<Aabb> boxes = brute_boxes(mesh);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (std::uint32_t i = 0; i < boxes.size(); ++i) {
        for (std::uint32_t j = i + 1; j < boxes.size(); ++j) {
            if (overlap(boxes[i], boxes[j])) pairs.push_back({i, j});
        }
    }
    return pairs;
}
inline std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted_pairs(
    const std::vector<IndexPair>& pairs) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> result;
    result.reserve(pairs.size());
    for (const IndexPair& pair : pairs)
        result.push_back({pair.a, pair.b});
    std::sort(result.begin(), result.end());
    return result;
}

}  // namespace graze

// Meshes and scenes for tests of Method::rays, and the comparison of what it finds with its
// definition.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "graze/detector.h"
#include "graze/generate_mesh.h"
#include "tests/oracle/random_points.h"
#include "tests/oracle/ray_oracle.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {

using oracle::RandomPoints;

inline Transform at(const Vec3& position, float scale = 1) {
    return {position, Quat::identity(), scale};
}

inline Quat random_rotation(RandomPoints<float>& random) {
    return normalized(Quat{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                           random.uniform(-1, 1) + 1e-3f});
}

inline Mesh box_mesh(const Vec3& half) {
    Mesh mesh = sample::cube();
    for (Vec3& p : mesh.positions)
        p = scale(p, half);
    return mesh;
}

// Two boxes' worth of an L, closed, without a vertex inside a side.
inline Mesh l_shape() {
    Mesh mesh;
    const float outline[6][2] = {{0, 0}, {1, 0}, {1, 0.4f}, {0.4f, 0.4f}, {0.4f, 1}, {0, 1}};
    for (const float z : {-0.2f, 0.2f}) {
        for (const auto& p : outline)
            mesh.positions.push_back({p[0], p[1], z});
    }
    const std::uint32_t cap[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    for (const auto& t : cap) {
        mesh.triangles.push_back({{t[0], t[2], t[1]}});
        mesh.triangles.push_back({{t[0] + 6, t[1] + 6, t[2] + 6}});
    }
    for (std::uint32_t i = 0; i < 6; ++i) {
        const std::uint32_t next = (i + 1) % 6;
        mesh.triangles.push_back({{i, next, next + 6}});
        mesh.triangles.push_back({{i, next + 6, i + 6}});
    }
    return mesh;
}

// The ground: a box whose upper face, at z = 0, is a grid.
inline Mesh ground_mesh(int cells = 8, float half = 4, float depth = 2) {
    Mesh mesh;
    const auto side = static_cast<std::uint32_t>(cells + 1);
    for (std::uint32_t y = 0; y < side; ++y) {
        for (std::uint32_t x = 0; x < side; ++x) {
            const auto along = [&](std::uint32_t i) {
                return half * (2 * static_cast<float>(i) / static_cast<float>(cells) - 1);
            };
            mesh.positions.push_back({along(x), along(y), 0});
        }
    }
    for (std::uint32_t y = 0; y + 1 < side; ++y) {
        for (std::uint32_t x = 0; x + 1 < side; ++x) {
            const std::uint32_t i = y * side + x;
            mesh.triangles.push_back({{i, i + 1, i + side + 1}});
            mesh.triangles.push_back({{i, i + side + 1, i + side}});
        }
    }
    // The rim goes down to four corners' worth of copies, and the bottom closes it.
    std::vector<std::uint32_t> rim;
    for (std::uint32_t x = 0; x + 1 < side; ++x)
        rim.push_back(x);
    for (std::uint32_t y = 0; y + 1 < side; ++y)
        rim.push_back(y * side + side - 1);
    for (std::uint32_t x = side - 1; x > 0; --x)
        rim.push_back((side - 1) * side + x);
    for (std::uint32_t y = side - 1; y > 0; --y)
        rim.push_back(y * side);
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (const std::uint32_t i : rim)
        mesh.positions.push_back({mesh.positions[i].x, mesh.positions[i].y, -depth});
    const auto centre = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.positions.push_back({0, 0, -depth});
    const auto count = static_cast<std::uint32_t>(rim.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t next = (i + 1) % count;
        mesh.triangles.push_back({{rim[i], first + i, rim[next]}});
        mesh.triangles.push_back({{rim[next], first + i, first + next}});
        mesh.triangles.push_back({{centre, first + next, first + i}});
    }
    return mesh;
}

inline Mesh small_torus(int segments = 24, int sides = 12) {
    return make_torus({.radius = 0.4f, .tube_radius = 0.15f, .segments = segments, .sides = sides});
}

// Without the symmetry by which rays meet edges and vertices all the time.
inline Mesh irregular(Mesh mesh) {
    RandomPoints<float> random(1);
    const float reach = 0.004f * length(extent(bounds(mesh)));
    for (Vec3& p : mesh.positions)
        p += random.in_box(reach);
    return mesh;
}

// Closed meshes, and with `all` an open one and soups too.
inline std::vector<Shape> ray_shapes(bool all, unsigned seed = 0) {
    std::vector<Shape> shapes = {Shape::from_mesh(irregular(make_sphere(0.4f, 2))),
                                 Shape::from_mesh(irregular(box_mesh({0.3f, 0.2f, 0.4f}))),
                                 Shape::from_mesh(irregular(small_torus())),
                                 Shape::from_mesh(irregular(make_gear({.teeth = 6}))),
                                 Shape::from_mesh(irregular(l_shape())),
                                 Shape::from_mesh(irregular(sample::tetrahedron()))};
    if (all) {
        shapes.push_back(Shape::from_mesh(make_sheet({})));
        shapes.push_back(Shape::from_mesh(sample::fan(8)));
        shapes.push_back(Shape::from_mesh(sample::random_soup(40, 30, seed)));
        shapes.push_back(Shape::from_mesh(sample::book(5)));
    }
    return shapes;
}

inline Scene random_ray_scene(unsigned seed, bool all = false, int body_count = 6,
                              float spread = 0.7f) {
    RandomPoints<float> random(seed);
    const std::vector<Shape> shapes = ray_shapes(all, seed);
    Scene scene;
    for (int i = 0; i < body_count; ++i) {
        const float scale = seed % 2 == 0 ? 1.0f : random.uniform(0.5f, 1.5f);
        const auto& shape = shapes[static_cast<std::size_t>(
            random.integer(0, static_cast<int>(shapes.size()) - 1))];
        scene.add(shape, {random.in_box(spread), random_rotation(random), scale});
    }
    return scene;
}

// Moves every body a little, each in its own way, the same for the same seed.
inline void nudge(Scene& scene, unsigned seed, float distance) {
    RandomPoints<float> random(seed);
    for (std::uint32_t i = 0; i < scene.size(); ++i) {
        Transform pose = scene[i].pose;
        pose.translation += random.in_box(distance);
        const Vec3 turn = random.in_box(distance);
        pose.rotation = normalized(Quat{1, turn.x, turn.y, turn.z} * pose.rotation);
        scene.set_pose(i, pose);
    }
}

inline std::vector<Contact> cast_rays(const Scene& scene, const DetectorOptions& options = {},
                                      int threads = 0) {
    Detector detector(Method::rays, Device::cpu(threads), options);
    const auto contacts = detector.detect(scene);
    return {contacts.begin(), contacts.end()};
}

// Source body, target body, vertex.
using RayKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
using ContactsByRay = std::map<RayKey, Contact>;

inline ContactsByRay by_ray(std::span<const Contact> contacts) {
    ContactsByRay result;
    for (const Contact& c : contacts) {
        const bool is_of_a = c.feature_a.kind == FeatureKind::vertex;
        EXPECT_EQ((is_of_a ? c.feature_b : c.feature_a).kind, FeatureKind::face);
        const RayKey key = is_of_a ? RayKey{c.body_a, c.body_b, c.feature_a.index}
                                   : RayKey{c.body_b, c.body_a, c.feature_b.index};
        EXPECT_TRUE(result.emplace(key, c).second) << "a vertex twice";
    }
    return result;
}

}  // namespace graze

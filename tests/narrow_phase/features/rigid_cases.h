// Scenes of rigid meshes, and what DeformingDetector says of all their triangles together: the
// bodies are its parts, at the very points where Method::features has their vertices.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "graze/deforming.h"
#include "graze/detector.h"
#include "narrow_phase/features/rigid_pairs.h"
#include "tests/oracle/random_points.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {

using oracle::RandomPoints;

inline Transform random_pose(RandomPoints<float>& random, float spread, float scale = 1) {
    const Quat rotation = normalized(
        Quat{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), 1e-3f});
    return {random.in_box(spread), rotation, scale};
}

// A few bodies of several meshes near each other; some move where `moves`, some stand still.
inline Scene random_rigid_scene(unsigned seed, bool moves, int body_count = 6) {
    RandomPoints<float> random(seed);
    const std::vector<Shape> shapes = {Shape::from_mesh(sample::cube()),
                                       Shape::from_mesh(sample::torus(16, 8)),
                                       Shape::from_mesh(sample::tetrahedron()),
                                       Shape::from_mesh(sample::random_soup(40, 30, seed))};
    Scene scene;
    for (int i = 0; i < body_count; ++i) {
        const float scale = random.uniform(0.5f, 2);
        const Transform pose = random_pose(random, 2, scale);
        const auto body = scene.add(shapes[static_cast<std::size_t>(random.integer(0, 3))], pose);
        if (!moves || i % 3 == 2) continue;
        scene.set_motion(body, pose, random_pose(random, 2, scale));
    }
    return scene;
}

// All bodies of a scene as the parts of one deforming thing.
struct UnitedBodies {
    DeformingTopology topology;
    std::vector<Vec3d> t0, t1;
    std::vector<std::uint32_t> first_vertex, first_face;  // by body

    explicit UnitedBodies(const Scene& scene) {
        for (std::uint32_t body = 0; body < scene.size(); ++body) {
            const Mesh& mesh = *scene[body].shape.mesh();
            const auto first = static_cast<std::uint32_t>(t0.size());
            first_vertex.push_back(first);
            first_face.push_back(static_cast<std::uint32_t>(topology.triangles.size()));
            const ShapeMesh view{mesh.positions.data(), nullptr, {}, 0, nullptr};
            Transform pose_t0 = scene[body].pose, pose_t1 = scene[body].pose_t1.value_or(pose_t0);
            pose_t0.rotation = normalized(pose_t0.rotation);
            pose_t1.rotation = normalized(pose_t1.rotation);
            const BodyMesh moved{view, pose_t0, pose_t1};
            for (std::uint32_t v = 0; v < mesh.positions.size(); ++v) {
                t0.push_back(moved.at_t0(v));
                t1.push_back(moved.at_t1(v));
                topology.parts.push_back(body);
            }
            for (const Triangle& t : mesh.triangles)
                topology.triangles.push_back({{first + t[0], first + t[1], first + t[2]}});
            topology.ignored_parts.push_back({body, body});
        }
        topology.vertex_count = static_cast<std::int64_t>(t0.size());
    }
    std::uint32_t vertex(std::uint32_t v) const { return v - first_vertex[topology.parts[v]]; }
    std::uint32_t body_of_face(std::uint32_t f) const {
        return topology.parts[topology.triangles[f][0]];
    }
    std::uint32_t face(std::uint32_t f) const { return f - first_face[body_of_face(f)]; }
};

// What touches, by name: bodies and features. The value is the time or the distance.
using NamedFeature = std::tuple<std::uint32_t, FeatureKind, std::uint32_t, std::uint32_t>;
using TouchingFeatures = std::map<std::pair<NamedFeature, NamedFeature>, double>;

inline void add_touching(NamedFeature first, NamedFeature second, double value,
                         TouchingFeatures& touching) {
    if (std::get<0>(second) < std::get<0>(first)) std::swap(first, second);
    const bool is_new = touching.emplace(std::pair(first, second), value).second;
    if (!is_new) touching[{first, second}] = -1e30;  // named twice, which no answer should do
}

// By vertices, so that no index of an edge is needed.
template <class Hit>
void add_hit(const UnitedBodies& all, const Hit& hit, double value, TouchingFeatures& touching) {
    const auto part = [&](int i) { return all.topology.parts[hit.vertices[i]]; };
    if (hit.is_vertex_face()) {
        add_touching({part(0), FeatureKind::vertex, all.vertex(hit.vertices[0]), 0},
                     {part(1), FeatureKind::face, all.face(hit.face), 0}, value, touching);
    } else {
        add_touching(
            {part(0), FeatureKind::edge, all.vertex(hit.vertices[0]), all.vertex(hit.vertices[1])},
            {part(2), FeatureKind::edge, all.vertex(hit.vertices[2]), all.vertex(hit.vertices[3])},
            value, touching);
    }
}

inline NamedFeature named(const Scene& scene, std::uint32_t body, const Feature& feature) {
    if (feature.kind != FeatureKind::edge) return {body, feature.kind, feature.index, 0};
    // Edges are numbered by their vertices.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (const Triangle& t : scene[body].shape.mesh()->triangles) {
        for (int k = 0; k < 3; ++k) {
            const auto [low, high] = std::minmax({t[k], t[(k + 1) % 3]});
            if (low != high) edges.emplace_back(low, high);
        }
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return {body, FeatureKind::edge, edges.at(feature.index).first, edges.at(feature.index).second};
}

}  // namespace graze

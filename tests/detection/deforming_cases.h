// Deforming things that are small enough to test every pair of features, and the slow test that
// does so.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graze/deforming.h"
#include "narrow_phase/features/impact_time.h"
#include "tests/oracle/random_points.h"

namespace graze {

template <class T>
struct DeformingCase {
    std::string name;
    DeformingTopology topology;
    std::vector<Vec3T<T>> t0, t1;  // [m]
};

// Makes triangles in strips of shared vertices, a rope and particles, which move by about their
// size. They have parts 0, 1 and 2, of which some ignore each other. A kind of 1 and above puts
// points onto a small grid, where much touches, lies in one plane or has collapsed.
template <class T>
DeformingCase<T> random_deforming(unsigned seed, int vertex_count, int kind) {
    oracle::RandomPoints<T> random(seed);
    DeformingCase<T> result;
    result.name = "random " + std::to_string(seed) + " kind " + std::to_string(kind);
    DeformingTopology& topology = result.topology;
    topology.vertex_count = vertex_count;
    const auto index = [&](int i) { return static_cast<std::uint32_t>(i); };
    const int third = vertex_count / 3;
    for (int i = 0; i < vertex_count; ++i) {
        const Vec3T<T> base = kind == 0 ? random.in_box(T(2)) : random.on_grid(2);
        const Vec3T<T> step = kind == 0 ? random.in_box(T(1)) : random.on_grid(kind == 1 ? 1 : 0);
        result.t0.push_back(base);
        result.t1.push_back(base + step);
        topology.parts.push_back(index(i / third));
    }
    for (int i = 0; i + 2 < third; ++i)
        topology.triangles.push_back({{index(i), index(i + 1), index(i + 2)}});
    for (int i = third; i + 3 < 2 * third; i += 2)
        topology.triangles.push_back({{index(i), index(i + 2), index(i + 1)}});
    for (int i = 2 * third; i + 1 < vertex_count - 4; ++i)
        topology.loose_edges.push_back({{index(i), index(i + 1)}});
    topology.loose_edges.push_back({{1, 0}});  // a triangle has it, too
    for (int i = vertex_count - 3; i < vertex_count; ++i)
        topology.loose_vertices.push_back(index(i));
    topology.loose_vertices.push_back(0);  // a triangle has it, too
    if (seed % 2 == 1) topology.ignored_parts = {{1, 1}, {2, 0}};
    return result;
}

// Two successive frames of each real sequence, under GRAZE_DATA/sequences.
inline constexpr std::pair<const char*, const char*> kRealFrames[] = {
    {"cloth-funnel/frames/227.ply", "cloth-funnel/frames/228.ply"},
    {"cloth-ball/frames/cloth_ball92.ply", "cloth-ball/frames/cloth_ball93.ply"},
    {"n-body/frames/balls16_18.ply", "n-body/frames/balls16_19.ply"}};

// The names of a pair of features: its vertices as Impact has them, and the face's index.
using FeatureNames = std::array<std::uint32_t, 5>;

inline FeatureNames names_of(const std::uint32_t (&vertices)[4], std::uint32_t face) {
    return {vertices[0], vertices[1], vertices[2], vertices[3], face};
}

// Calls look(is_vertex_face, vertices, face) for each pair of features that may collide, whatever
// the distance.
template <class Look>
void for_each_feature_pair(const DeformingTopology& topology, const Look& look) {
    const auto part = [&](std::uint32_t vertex) {
        return topology.parts.empty() ? 0u : topology.parts[vertex];
    };
    const auto ignored = [&](std::uint32_t a, std::uint32_t b) {
        return std::any_of(topology.ignored_parts.begin(), topology.ignored_parts.end(),
                           [&](const DeformingTopology::PartPair& pair) {
                               return (pair.a == part(a) && pair.b == part(b)) ||
                                      (pair.a == part(b) && pair.b == part(a));
                           });
    };
    std::set<std::uint32_t> vertices;
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    const auto add_edge = [&](std::uint32_t a, std::uint32_t b) {
        vertices.insert({a, b});
        if (a != b) edges.insert({std::min(a, b), std::max(a, b)});
    };
    std::set<std::uint32_t> of_faces;
    std::set<std::pair<std::uint32_t, std::uint32_t>> face_edges;
    for (const Triangle& t : topology.triangles) {
        of_faces.insert({t[0], t[1], t[2]});
        for (int k = 0; k < 3; ++k)
            add_edge(t[k], t[(k + 1) % 3]);
    }
    face_edges = edges;
    for (const Edge& e : topology.loose_edges)
        add_edge(e[0], e[1]);
    for (const std::uint32_t vertex : topology.loose_vertices) {
        if (vertices.insert(vertex).second) edges.insert({vertex, vertex});
    }
    for (const std::uint32_t v : vertices) {
        for (std::uint32_t f = 0; f < topology.triangles.size(); ++f) {
            const Triangle& t = topology.triangles[f];
            if (v == t[0] || v == t[1] || v == t[2] || ignored(v, t[0])) continue;
            look(true, {v, t[0], t[1], t[2]}, f);
        }
    }
    for (auto a = edges.begin(); a != edges.end(); ++a) {
        for (auto b = std::next(a); b != edges.end(); ++b) {
            const auto& [a0, a1] = *a;
            const auto& [b0, b1] = *b;
            if (a0 == b0 || a0 == b1 || a1 == b0 || a1 == b1 || ignored(a0, b0)) continue;
            // A loose vertex is tested against a face, not against the face's edges.
            if ((a0 == a1 && face_edges.count(*b) > 0) || (b0 == b1 && face_edges.count(*a) > 0))
                continue;
            look(false, {a0, a1, b0, b1}, Impact::kNoFace);
        }
    }
}

// Tests every pair of features, one by one.
template <class T>
std::map<FeatureNames, ImpactTime> impacts_one_by_one(const DeformingCase<T>& c,
                                                      double min_separation) {
    std::map<FeatureNames, ImpactTime> found;
    for_each_feature_pair(
        c.topology,
        [&](bool is_vertex_face, const std::array<std::uint32_t, 4>& v, std::uint32_t face) {
            Vec3T<T> p0[4], p1[4];
            for (std::size_t i = 0; i < 4; ++i) {
                p0[i] = c.t0[v[i]];
                p1[i] = c.t1[v[i]];
            }
            const ImpactTime impact = is_vertex_face
                                          ? impact_time_vertex_face(p0, p1, min_separation)
                                          : impact_time_edge_edge(p0, p1, min_separation);
            if (impact.collides) found.insert({{v[0], v[1], v[2], v[3], face}, impact});
        });
    return found;
}

// Makes a case of all vertices and triangles of a mesh that moves from t0 to t1.
inline DeformingCase<float> moving_mesh(std::string name, const std::vector<Vec3>& t0,
                                        const std::vector<Vec3>& t1,
                                        const std::vector<Triangle>& triangles) {
    DeformingCase<float> result;
    result.name = std::move(name);
    result.topology.vertex_count = static_cast<std::int64_t>(t0.size());
    result.topology.triangles = triangles;
    result.t0 = t0;
    result.t1 = t1;
    return result;
}

template <class T>
DeformingCase<double> widened(const DeformingCase<T>& c) {
    DeformingCase<double> result{c.name + " in double", c.topology, {}, {}};
    for (const Vec3T<T>& p : c.t0)
        result.t0.push_back(static_cast<Vec3d>(p));
    for (const Vec3T<T>& p : c.t1)
        result.t1.push_back(static_cast<Vec3d>(p));
    return result;
}

}  // namespace graze

// Finds edges, neighbours, fans, pseudonormals and defects in the obvious way, by maps and sets.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "graze/mesh.h"

namespace graze::oracle {

using EdgeEnds = std::pair<std::uint32_t, std::uint32_t>;

struct TopologyTruth {
    std::map<EdgeEnds, std::vector<std::uint32_t>> sides_of_edge;       // corners, ascending
    std::map<std::uint32_t, std::vector<std::uint32_t>> fan_of_vertex;  // corners, ascending
    std::map<std::uint32_t, EdgeEnds> edge_of_side;
    std::map<std::uint32_t, std::uint32_t> neighbour_of_side;  // none at a boundary
};

inline TopologyTruth find_topology(const Mesh& mesh) {
    TopologyTruth truth;
    for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i) {
        const Triangle& t = mesh.triangles[i];
        std::set<std::uint32_t> seen;
        for (std::uint32_t k = 0; k < 3; ++k) {
            if (seen.insert(t.v[k]).second) truth.fan_of_vertex[t.v[k]].push_back(3 * i + k);
        }
        if (seen.size() < 3) continue;  // a triangle that names a vertex twice has no edges
        for (std::uint32_t k = 0; k < 3; ++k) {
            const EdgeEnds ends = std::minmax({t.v[k], t.v[(k + 1) % 3]});
            truth.sides_of_edge[ends].push_back(3 * i + k);
            truth.edge_of_side[3 * i + k] = ends;
        }
    }
    for (const auto& [ends, sides] : truth.sides_of_edge) {
        for (std::size_t i = 0; sides.size() > 1 && i < sides.size(); ++i) {
            truth.neighbour_of_side[sides[i]] = sides[(i + 1) % sides.size()] / 3;
        }
    }
    return truth;
}

// The normal is exact: every difference and product of usual floats fits in 113 bits.
inline std::array<__float128, 3> exact_normal(const Mesh& mesh, const Triangle& t) {
    const Vec3 a = mesh.positions[t[0]], b = mesh.positions[t[1]], c = mesh.positions[t[2]];
    __float128 p[3], q[3];
    for (int i = 0; i < 3; ++i) {
        p[i] = static_cast<__float128>(b[i]) - a[i];
        q[i] = static_cast<__float128>(c[i]) - a[i];
    }
    return {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
}

inline Vec3d unit_normal(const Mesh& mesh, const Triangle& t) {
    const auto n = exact_normal(mesh, t);
    return normalized(
        Vec3d{static_cast<double>(n[0]), static_cast<double>(n[1]), static_cast<double>(n[2])});
}

inline double angle_at(const Mesh& mesh, std::uint32_t corner) {
    const Triangle& t = mesh.triangles[corner / 3];
    const auto at = [&](std::uint32_t k) {
        return static_cast<Vec3d>(mesh.positions[t.v[(corner + k) % 3]]);
    };
    // corner / 3 * 3 is a multiple of 3, so corner % 3 and (corner + k) % 3 count within the
    // triangle.
    const Vec3d u = at(1) - at(0), v = at(2) - at(0);
    return std::atan2(length(cross(u, v)), dot(u, v));
}

// The sums are not made unit vectors, so that a test can tell how well-defined they are.
inline Vec3d vertex_normal_sum(const Mesh& mesh, const std::vector<std::uint32_t>& fan) {
    Vec3d sum{0, 0, 0};
    for (const std::uint32_t corner : fan) {
        const Vec3d n = unit_normal(mesh, mesh.triangles[corner / 3]);
        if (length(n) > 0) sum += n * angle_at(mesh, corner);
    }
    return sum;
}
inline Vec3d edge_normal_sum(const Mesh& mesh, const std::vector<std::uint32_t>& sides) {
    Vec3d sum{0, 0, 0};
    for (const std::uint32_t side : sides)
        sum += unit_normal(mesh, mesh.triangles[side / 3]);
    return sum;
}

// The counts of a MeshReport that are about connections.
struct MeshCounts {
    std::int64_t edges = 0, boundary = 0, non_manifold = 0, inconsistent = 0;
    std::int64_t components = 0, euler = 0, duplicates = 0, degenerate = 0, isolated = 0;
};

inline std::int64_t count_components(const Mesh& mesh, const TopologyTruth& truth) {
    std::set<std::uint32_t> unseen;
    for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i)
        unseen.insert(i);
    std::int64_t count = 0;
    while (!unseen.empty()) {
        ++count;
        std::vector<std::uint32_t> reached{*unseen.begin()};
        unseen.erase(unseen.begin());
        while (!reached.empty()) {
            const Triangle t = mesh.triangles[reached.back()];
            reached.pop_back();
            for (const std::uint32_t vertex : t.v) {
                for (const std::uint32_t corner : truth.fan_of_vertex.at(vertex)) {
                    if (unseen.erase(corner / 3)) reached.push_back(corner / 3);
                }
            }
        }
    }
    return count;
}

inline MeshCounts count_defects(const Mesh& mesh) {
    const TopologyTruth truth = find_topology(mesh);
    MeshCounts counts;
    counts.edges = static_cast<std::int64_t>(truth.sides_of_edge.size());
    std::set<std::uint32_t> edge_vertices;
    for (const auto& [ends, sides] : truth.sides_of_edge) {
        edge_vertices.insert({ends.first, ends.second});
        counts.boundary += sides.size() == 1;
        counts.non_manifold += sides.size() > 2;
        if (sides.size() != 2) continue;
        const auto start = [&](std::uint32_t side) { return mesh.triangles[side / 3].v[side % 3]; };
        counts.inconsistent += start(sides[0]) == start(sides[1]);
    }
    std::set<std::array<std::uint32_t, 3>> seen;
    std::int64_t with_edges = 0;
    for (const Triangle& t : mesh.triangles) {
        std::array<std::uint32_t, 3> key{t[0], t[1], t[2]};
        std::sort(key.begin(), key.end());
        counts.duplicates += !seen.insert(key).second;
        with_edges += key[0] != key[1] && key[1] != key[2];
        const auto n = exact_normal(mesh, t);
        counts.degenerate += n[0] == 0 && n[1] == 0 && n[2] == 0;
    }
    counts.components = count_components(mesh, truth);
    counts.euler = static_cast<std::int64_t>(edge_vertices.size()) - counts.edges + with_edges;
    counts.isolated = static_cast<std::int64_t>(mesh.positions.size() - truth.fan_of_vertex.size());
    return counts;
}

}  // namespace graze::oracle

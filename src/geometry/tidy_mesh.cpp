#include "geometry/tidy_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "geometry/first_equal.h"
#include "geometry/orient_parts.h"

namespace graze {

namespace {

// The three vertices in ascending order: equal for triangles over the same ones.
std::array<std::uint32_t, 3> vertices_of(const Triangle& t) {
    std::array<std::uint32_t, 3> v{t[0], t[1], t[2]};
    std::sort(v.begin(), v.end());
    return v;
}
// Whether two triangles over the same vertices face in the same direction.
bool has_same_orientation(const Triangle& a, const Triangle& b) {
    for (int turn = 0; turn < 3; ++turn) {
        if (a[0] == b[turn] && a[1] == b[(turn + 1) % 3] && a[2] == b[(turn + 2) % 3]) return true;
    }
    return false;
}
std::uint64_t key_of_vertices(const Triangle& t) {
    const auto v = vertices_of(t);
    return mixed_bits(mixed_bits(std::uint64_t{v[0]} | std::uint64_t{v[1]} << 32) + v[2]);
}

struct EdgeUse {
    std::int64_t open_count;  // edges not run along as often in one direction as in the other
    // Whether some edge is run along twice in one direction, as by copies, or leads to its own
    // vertex.
    bool may_repeat;
};

EdgeUse count_edge_uses(const std::vector<Triangle>& triangles, const SortedEdges& edges) {
    EdgeUse result{0, false};
    std::int64_t forth = 0, back = 0;
    for (std::int64_t i = 0; i < edges.size(); ++i) {
        const int direction = edges.direction(triangles, i);
        forth += direction > 0 ? 1 : 0;
        back += direction < 0 ? 1 : 0;
        result.may_repeat = result.may_repeat || direction == 0 || forth > 1 || back > 1;
        if (edges.is_last(i)) {
            result.open_count += forth != back ? 1 : 0;
            forth = back = 0;
        }
    }
    return result;
}

double six_times_volume(const MeshParts& parts) {
    double sum = 0;
    for (const MeshPart& part : parts.parts)
        sum += part.six_volume;
    return sum;
}

// Keeps the first of triangles over the same three vertices, of those that face in the same
// direction or of all, and returns how many are gone.
std::int64_t drop_copies(CpuExecutor& executor, std::vector<Triangle>& triangles,
                         bool of_either_orientation) {
    FirstEqual faces(executor, static_cast<std::int64_t>(triangles.size()));
    const std::vector<std::uint32_t> first = faces.find(
        triangles, key_of_vertices, vertices_of, [&](const Triangle& a, const Triangle& b) {
            if (vertices_of(a) != vertices_of(b)) return false;
            return of_either_orientation || has_same_orientation(a, b);
        });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        if (first[i] == i) triangles[kept++] = triangles[i];
    }
    const auto dropped = static_cast<std::int64_t>(triangles.size() - kept);
    triangles.resize(kept);
    return dropped;
}

}  // namespace

TidyMesh tidy_mesh(CpuExecutor& executor, const Mesh& mesh) {
    TidyMesh result;
    result.mesh.positions = mesh.positions;
    std::vector<Triangle>& triangles = result.mesh.triangles;
    triangles = mesh.triangles;

    result.first_vertex = find_first_vertices(executor, mesh.positions);
    const std::vector<std::uint32_t>& first_vertex = result.first_vertex;
    for (std::size_t v = 0; v < first_vertex.size(); ++v)
        result.joined_count += first_vertex[v] != v ? 1 : 0;
    for (Triangle& t : triangles)
        t = {{first_vertex[t[0]], first_vertex[t[1]], first_vertex[t[2]]}};

    // Copies that face in the same direction only repeat the surface. Copies that face in the
    // opposite one may be the two sides of a wall between solids; where that does not bound any
    // solid, they are copies.
    SortedEdges sides = sort_edges(executor, triangles);
    EdgeUse edges = count_edge_uses(triangles, sides);
    const auto drop = [&](bool of_either_orientation) {
        const std::int64_t dropped = drop_copies(executor, triangles, of_either_orientation);
        result.duplicate_count += dropped;
        if (dropped == 0) return;
        sides = sort_edges(executor, triangles);
        edges = count_edge_uses(triangles, sides);
    };
    if (edges.may_repeat) drop(false);
    result.parts = find_parts(result.mesh, sides);
    if (edges.open_count > 0 || six_times_volume(result.parts) == 0) {
        const std::int64_t before = result.duplicate_count;
        drop(true);
        if (result.duplicate_count > before) result.parts = find_parts(result.mesh, sides);
    }
    result.open_edge_count = edges.open_count;
    const PartOrientations turned = orient_parts(executor, result.parts, result.mesh);
    result.turned_part_count = turned.turned_count;
    result.inward_part_count = turned.inward_count;
    return result;
}

}  // namespace graze

// Topology: which triangles, edges and vertices of a mesh meet, as flat arrays, and the
// pseudonormals that tell inside from outside at vertices and edges.
//
// A corner c = 3 t + k names two things at once: corner k of triangle t, and the side of t that
// runs from corner k to the next one. Lists hold corners, so a reader gets the triangle (c / 3) and
// where in it (c % 3).
//
// A triangle that names a vertex twice is no surface, only a segment or a point. It has no edges
// and no neighbours, and the edges of its neighbours stay as they would be without it. It still
// belongs to its vertices, once to each.
#pragma once

#include <cstdint>

#include "graze/mesh.h"
#include "parallel/buffer.h"

namespace graze {

// What stands for an edge or a triangle that is not there.
inline constexpr std::uint32_t kNoIndex = 0xffffffffu;

// True where the three vertices differ: only such a triangle has edges.
GRAZE_INLINE constexpr bool has_distinct_vertices(const Triangle& t) {
    return t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
}

// True where the side runs from the edge's lower vertex to the higher one.
GRAZE_INLINE constexpr bool is_ascending(const Triangle* triangles, std::uint32_t corner) {
    const Triangle& t = triangles[corner / 3];
    const int k = static_cast<int>(corner % 3);
    return t[k] < t[k == 2 ? 0 : k + 1];
}

// The arrays of a Topology, in the memory of its machine and owned by it.
struct TopologyView {
    std::int64_t vertex_count;
    std::int64_t triangle_count;
    std::int64_t edge_count;

    const Edge* edges;  // edge_count, unique, sorted by (v[0], v[1])

    // The sides on edge e are edge_corners[edge_offsets[e]] up to edge_corners[edge_offsets[e +
    // 1]], ascending: one on a boundary, two inside a manifold, more where the mesh is not
    // manifold.
    const std::uint32_t* edge_offsets;  // edge_count + 1
    const std::uint32_t* edge_corners;  // edge_offsets[edge_count]

    // By corner: the edge under that side, and the triangle on its other side. Around an edge of
    // three or more triangles the neighbours form a ring: the next triangle in ascending order, and
    // after the last the first. kNoIndex for the neighbour at a boundary, and for both where the
    // triangle names a vertex twice.
    const std::uint32_t* triangle_edges;       // 3 * triangle_count
    const std::uint32_t* triangle_neighbours;  // 3 * triangle_count

    // The fan of vertex v is vertex_corners[vertex_offsets[v]] up to
    // vertex_corners[vertex_offsets[v + 1]]: one corner at v of each triangle that names v,
    // ascending.
    const std::uint32_t* vertex_offsets;  // vertex_count + 1
    const std::uint32_t* vertex_corners;  // vertex_offsets[vertex_count]
};

// See TopologyView for what each array holds. Kept from one build to the next, it allocates only
// when a mesh is larger than those before.
struct Topology {
    explicit Topology(Memory& memory)
        : edges(memory),
          edge_offsets(memory),
          edge_corners(memory),
          triangle_edges(memory),
          triangle_neighbours(memory),
          vertex_offsets(memory),
          vertex_corners(memory) {}

    std::int64_t vertex_count = 0;
    std::int64_t triangle_count = 0;
    Buffer<Edge> edges;
    Buffer<std::uint32_t> edge_offsets;
    Buffer<std::uint32_t> edge_corners;  // its unused end is undefined
    Buffer<std::uint32_t> triangle_edges;
    Buffer<std::uint32_t> triangle_neighbours;
    Buffer<std::uint32_t> vertex_offsets;
    Buffer<std::uint32_t> vertex_corners;  // its unused end is undefined

    TopologyView view() const {
        return {vertex_count,          triangle_count,
                edges.size(),          edges.data(),
                edge_offsets.data(),   edge_corners.data(),
                triangle_edges.data(), triangle_neighbours.data(),
                vertex_offsets.data(), vertex_corners.data()};
    }
};

// Memory that build_topology needs beside the result, about 98 bytes a triangle.
struct TopologyWorkspace {
    explicit TopologyWorkspace(Memory& memory)
        : corners(memory),
          edge_keys(memory),
          sorted_edge_keys(memory),
          edge_starts(memory),
          edge_start_count(memory),
          vertex_keys(memory),
          sorted_vertex_keys(memory),
          fan_sizes(memory) {}

    Buffer<std::uint32_t> corners;  // 0, 1, 2, ...
    Buffer<std::uint64_t> edge_keys;
    Buffer<std::uint64_t> sorted_edge_keys;
    Buffer<std::uint32_t> edge_starts;
    Buffer<std::uint32_t> edge_start_count;
    Buffer<std::uint32_t> vertex_keys;
    Buffer<std::uint32_t> sorted_vertex_keys;
    Buffer<std::uint32_t> fan_sizes;
};

// Unit normals. A normal is zero where there is none: for a degenerate triangle, and for a vertex
// or edge with only such triangles or whose triangles cancel out.
struct Pseudonormals {
    explicit Pseudonormals(Memory& memory)
        : faces(memory), edges(memory), vertices(memory), measures(memory) {}

    Buffer<Vec3> faces;     // by triangle
    Buffer<Vec3> edges;     // by edge: along the sum of its triangles' unit normals
    Buffer<Vec3> vertices;  // by vertex: along the sum of those weighted by their angle there

    // The faces once more in double, with their angles: what the sums are made from.
    struct FaceMeasure {
        Vec3d normal;
        double angles[3];  // [rad] by corner
    };
    Buffer<FaceMeasure> measures;
};

// Fills topology from a mesh of the executor's machine, whose indices are below vertex_count.
// The result has the same bits on either machine and for any number of threads. Waits once, for the
// edge count.
// Throws Error above 1.4 billion triangles or 4.2 billion vertices.
template <class Executor>
void build_topology(Executor& executor, const Triangle* triangles, std::int64_t triangle_count,
                    std::int64_t vertex_count, TopologyWorkspace& workspace, Topology& topology);

// Fills normals for positions of the mesh that topology was built from. The result has the same
// bits on either machine and for any number of threads. Does not wait.
template <class Executor>
void compute_pseudonormals(Executor& executor, const Vec3* positions, const Triangle* triangles,
                           const TopologyView& topology, Pseudonormals& normals);

}  // namespace graze

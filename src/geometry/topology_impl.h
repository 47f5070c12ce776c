// Topology by sorting: sides with the same two vertices become neighbours in a list sorted by
// (lower, higher) vertex, corners at the same vertex in one sorted by vertex. Both sorts are
// stable, so every list comes out ascending, and whatever is summed is gathered in that order: no
// atomics, the same bits every time.
//
// The pseudonormals are those of Baerentzen and Aanaes, "Signed Distance Computation Using the
// Angle Weighted Pseudonormal" (2005): the sign of (p - nearest point) . pseudonormal tells on
// which side of a closed mesh p lies, at vertices and edges as well. Where graze differs: triangles
// whose corners lie exactly on one line are left out, and angles come from arithmetic that rounds
// alike everywhere (see angle_between), so both machines give the same bits.
#pragma once

#include <bit>

#include "geometry/predicates.h"
#include "geometry/topology.h"
#include "parallel/fill.h"

namespace graze {

namespace topology_detail {

// Packs an edge into as few bits as the vertex count allows, so that the sort has less to look at.
struct EdgeKey {
    int vertex_bits;

    static EdgeKey for_vertex_count(std::int64_t vertex_count) {
        const auto last = static_cast<std::uint64_t>(vertex_count > 1 ? vertex_count - 1 : 1);
        return {static_cast<int>(std::bit_width(last))};
    }
    int bit_count() const { return 2 * vertex_bits; }
    GRAZE_INLINE std::uint64_t pack(std::uint32_t u, std::uint32_t v) const {
        const std::uint64_t low = u < v ? u : v, high = u < v ? v : u;
        return low << vertex_bits | high;
    }
    GRAZE_INLINE Edge unpack(std::uint64_t key) const {
        const std::uint64_t mask = (std::uint64_t{1} << vertex_bits) - 1;
        return {{static_cast<std::uint32_t>(key >> vertex_bits),
                 static_cast<std::uint32_t>(key & mask)}};
    }
    // A key that sorts behind all edges and equals none, for it would join a vertex with itself.
    GRAZE_INLINE std::uint64_t no_edge() const {
        return ~std::uint64_t{0} >> (64 - 2 * vertex_bits);
    }
};

// Writes the sort keys of the three corners of a triangle.
struct MakeKeys {
    const Triangle* triangles;
    std::uint32_t vertex_count;
    EdgeKey edge_key;
    std::uint32_t* corners;
    std::uint64_t* edge_keys;
    std::uint32_t* vertex_keys;
    std::uint32_t* triangle_edges;
    std::uint32_t* triangle_neighbours;

    GRAZE_HD void operator()(std::int64_t triangle) const {
        const Triangle t = triangles[triangle];
        const bool has_edges = has_distinct_vertices(t);
        for (int k = 0; k < 3; ++k) {
            const std::int64_t corner = 3 * triangle + k;
            corners[corner] = static_cast<std::uint32_t>(corner);
            edge_keys[corner] =
                has_edges ? edge_key.pack(t[k], t[k == 2 ? 0 : k + 1]) : edge_key.no_edge();
            const bool repeats = (k > 0 && t[k] == t[0]) || (k > 1 && t[k] == t[1]);
            vertex_keys[corner] = repeats ? vertex_count : t[k];
            if (!has_edges) triangle_edges[corner] = triangle_neighbours[corner] = kNoIndex;
        }
    }
};

// Keeps the offsets at which the sides of a new edge begin, and the one at which those of the last
// edge end.
struct StartsEdge {
    const std::uint64_t* sorted_keys;
    std::int64_t count;
    std::uint64_t no_edge;

    GRAZE_HD bool operator()(std::int64_t i) const {
        if (i == 0) return true;
        const std::uint64_t before = sorted_keys[i - 1];
        return before != no_edge && (i == count || sorted_keys[i] != before);
    }
};

// Writes an edge, and what its triangles know of it. The work item edge_count writes the end of the
// last one.
struct FillEdge {
    std::int64_t edge_count;
    EdgeKey edge_key;
    const std::uint32_t* starts;
    const std::uint64_t* sorted_keys;
    const std::uint32_t* edge_corners;
    Edge* edges;
    std::uint32_t* edge_offsets;
    std::uint32_t* triangle_edges;
    std::uint32_t* triangle_neighbours;

    GRAZE_HD void operator()(std::int64_t edge) const {
        const std::uint32_t begin = starts[edge];
        edge_offsets[edge] = begin;
        if (edge == edge_count) return;
        const std::uint32_t end = starts[edge + 1];
        edges[edge] = edge_key.unpack(sorted_keys[begin]);
        for (std::uint32_t i = begin; i < end; ++i) {
            const std::uint32_t corner = edge_corners[i];
            const std::uint32_t next = edge_corners[i + 1 < end ? i + 1 : begin];
            triangle_edges[corner] = static_cast<std::uint32_t>(edge);
            triangle_neighbours[corner] = end - begin > 1 ? next / 3 : kNoIndex;
        }
    }
};

// At the first corner of a vertex, counts them all; vertices of no triangle keep their zero.
struct CountFan {
    const std::uint32_t* sorted_keys;
    std::int64_t count;
    std::uint32_t vertex_count;
    std::uint32_t* fan_sizes;

    GRAZE_HD void operator()(std::int64_t i) const {
        const std::uint32_t vertex = sorted_keys[i];
        if (vertex == vertex_count || (i > 0 && sorted_keys[i - 1] == vertex)) return;
        std::int64_t end = i + 1;
        while (end < count && sorted_keys[end] == vertex)
            ++end;
        fan_sizes[vertex] = static_cast<std::uint32_t>(end - i);
    }
};

inline constexpr double kPi = 3.14159265358979323846;

// The arc tangent of x in [0, 1], with an error below 2^-51. Angle differences
// atan(x) - a = atan((x - tan a) / (1 + x tan a)) for a of 0, pi/8 or pi/4 leave at most pi/16,
// where twelve terms of the Taylor series reach the last bit. Only operations that IEEE 754 rounds
// exactly are used, unlike std::atan2, whose last bits differ between libraries and machines.
GRAZE_HD inline double arc_tangent(double x) {
    constexpr double kTan1 = 0.19891236737965800691;  // of pi/16
    constexpr double kTan2 = 0.41421356237309504880;  // of 2 pi/16
    constexpr double kTan3 = 0.66817863791929891999;  // of 3 pi/16
    double start = 0, rest = x;
    if (x > kTan3) {
        start = kPi / 4;
        rest = (x - 1) / (x + 1);
    } else if (x > kTan1) {
        start = kPi / 8;
        rest = (x - kTan2) / (1 + x * kTan2);
    }
    // 1 - q/3 + q^2/5 - ..., written out because a loop would divide at run time.
    const double q = rest * rest;
    double series = 1.0 / 21 - q * (1.0 / 23);
    series = 1.0 / 17 - q * (1.0 / 19 - q * series);
    series = 1.0 / 13 - q * (1.0 / 15 - q * series);
    series = 1.0 / 9 - q * (1.0 / 11 - q * series);
    series = 1.0 / 5 - q * (1.0 / 7 - q * series);
    series = 1.0 - q * (1.0 / 3 - q * series);
    return start + rest * series;
}

// The angle between two vectors, in [0, pi], given the length of their cross product and their dot
// product.
GRAZE_HD inline double angle_between(double cross_length, double dot_product) {
    const double side = std::fabs(dot_product);
    if (cross_length == 0 && side == 0) return 0;
    const double acute = cross_length <= side ? arc_tangent(cross_length / side)
                                              : kPi / 2 - arc_tangent(side / cross_length);
    return dot_product < 0 ? kPi - acute : acute;
}

// The unit normal and the angles of a triangle; all zero where it is degenerate.
struct MeasureFace {
    const Vec3* positions;
    const Triangle* triangles;
    Vec3* face_normals;
    Pseudonormals::FaceMeasure* measures;

    GRAZE_HD void operator()(std::int64_t triangle) const {
        const Triangle t = triangles[triangle];
        const Vec3 a = positions[t[0]], b = positions[t[1]], c = positions[t[2]];
        Pseudonormals::FaceMeasure measure{};
        if (!are_collinear(a, b, c)) {
            const Vec3d ab = static_cast<Vec3d>(b) - static_cast<Vec3d>(a);
            const Vec3d bc = static_cast<Vec3d>(c) - static_cast<Vec3d>(b);
            const Vec3d ca = static_cast<Vec3d>(a) - static_cast<Vec3d>(c);
            const Vec3d n = cross(ab, -ca);
            const double n_length = length(n);  // twice the area, whichever two sides it is from
            measure.normal = normalized(n);
            measure.angles[0] = angle_between(n_length, -dot(ab, ca));
            measure.angles[1] = angle_between(n_length, -dot(bc, ab));
            measure.angles[2] = angle_between(n_length, -dot(ca, bc));
        }
        face_normals[triangle] = static_cast<Vec3>(measure.normal);
        measures[triangle] = measure;
    }
};

// A sum of weighted unit vectors that knows when it is only what rounding left of zero.
struct DirectionSum {
    Vec3d sum{0, 0, 0};
    double weight = 0;

    GRAZE_INLINE void add(const Vec3d& unit, double w) {
        sum += unit * w;
        weight += w;
    }
    GRAZE_INLINE Vec3 direction() const {
        // Unit normals are good to some 2^-51; opposite faces of a sheet cancel to about that.
        constexpr double kCancelled = 1e-12;
        if (!(length(sum) > kCancelled * weight)) return {0, 0, 0};
        return static_cast<Vec3>(normalized(sum));
    }
};

struct SumEdgeNormal {
    TopologyView topology;
    const Pseudonormals::FaceMeasure* measures;
    Vec3* edge_normals;

    GRAZE_HD void operator()(std::int64_t edge) const {
        DirectionSum sum;
        for (std::uint32_t i = topology.edge_offsets[edge]; i < topology.edge_offsets[edge + 1];
             ++i) {
            sum.add(measures[topology.edge_corners[i] / 3].normal, 1);
        }
        edge_normals[edge] = sum.direction();
    }
};

struct SumVertexNormal {
    TopologyView topology;
    const Pseudonormals::FaceMeasure* measures;
    Vec3* vertex_normals;

    GRAZE_HD void operator()(std::int64_t vertex) const {
        DirectionSum sum;
        for (std::uint32_t i = topology.vertex_offsets[vertex];
             i < topology.vertex_offsets[vertex + 1]; ++i) {
            const std::uint32_t corner = topology.vertex_corners[i];
            const Pseudonormals::FaceMeasure& face = measures[corner / 3];
            sum.add(face.normal, face.angles[corner % 3]);
        }
        vertex_normals[vertex] = sum.direction();
    }
};

// Corners have 32 bits, and kNoIndex is not one of them.
inline void check_size(std::int64_t triangle_count, std::int64_t vertex_count) {
    constexpr std::int64_t kLimit = kNoIndex;
    if (triangle_count > (kLimit - 1) / 3 || vertex_count >= kLimit) {
        throw Error("a mesh of " + std::to_string(triangle_count) + " triangles and " +
                    std::to_string(vertex_count) +
                    " vertices is too large: split it in parts of at most 1.4 billion triangles");
    }
}

// Makes room for everything whose size is known before the edges are.
inline void resize(std::int64_t triangle_count, std::int64_t vertex_count, TopologyWorkspace& work,
                   Topology& topology) {
    const std::int64_t corner_count = 3 * triangle_count;
    topology.triangle_count = triangle_count;
    topology.vertex_count = vertex_count;
    for (Buffer<std::uint32_t>* by_corner :
         {&topology.edge_corners, &topology.triangle_edges, &topology.triangle_neighbours,
          &topology.vertex_corners, &work.corners, &work.vertex_keys, &work.sorted_vertex_keys}) {
        by_corner->resize(corner_count);
    }
    work.edge_keys.resize(corner_count);
    work.sorted_edge_keys.resize(corner_count);
    work.edge_starts.resize(corner_count + 1);
    work.edge_start_count.resize(1);
    work.fan_sizes.resize(vertex_count);
    topology.vertex_offsets.resize(vertex_count + 1);
}

template <class Executor>
void build_edges(Executor& executor, const EdgeKey& edge_key, TopologyWorkspace& work,
                 Topology& topology) {
    const std::int64_t corner_count = 3 * topology.triangle_count;
    executor.sort_by_key("topology: sort sides", work.edge_keys.data(),
                         work.sorted_edge_keys.data(), work.corners.data(),
                         topology.edge_corners.data(), corner_count, edge_key.bit_count());
    executor.compact("topology: find edges", corner_count + 1,
                     StartsEdge{work.sorted_edge_keys.data(), corner_count, edge_key.no_edge()},
                     work.edge_starts.data(), work.edge_start_count.data());
    const std::int64_t edge_count = std::int64_t{executor.read(work.edge_start_count.data())} - 1;
    topology.edges.resize(edge_count);
    topology.edge_offsets.resize(edge_count + 1);
    executor.for_each(
        "topology: fill edges", edge_count + 1,
        FillEdge{edge_count, edge_key, work.edge_starts.data(), work.sorted_edge_keys.data(),
                 topology.edge_corners.data(), topology.edges.data(), topology.edge_offsets.data(),
                 topology.triangle_edges.data(), topology.triangle_neighbours.data()});
}

template <class Executor>
void build_fans(Executor& executor, TopologyWorkspace& work, Topology& topology) {
    const std::int64_t corner_count = 3 * topology.triangle_count;
    const auto vertex_count = static_cast<std::uint32_t>(topology.vertex_count);
    executor.sort_by_key("topology: sort corners", work.vertex_keys.data(),
                         work.sorted_vertex_keys.data(), work.corners.data(),
                         topology.vertex_corners.data(), corner_count,
                         static_cast<int>(std::bit_width(vertex_count)));
    executor.for_each("topology: clear fans", vertex_count,
                      Fill<std::uint32_t>{work.fan_sizes.data(), 0});
    executor.for_each("topology: count fans", corner_count,
                      CountFan{work.sorted_vertex_keys.data(), corner_count, vertex_count,
                               work.fan_sizes.data()});
    executor.exclusive_scan("topology: offsets of fans", work.fan_sizes.data(),
                            topology.vertex_offsets.data(), vertex_count);
}

}  // namespace topology_detail

template <class Executor>
void build_topology(Executor& executor, const Triangle* triangles, std::int64_t triangle_count,
                    std::int64_t vertex_count, TopologyWorkspace& workspace, Topology& topology) {
    using namespace topology_detail;
    check_size(triangle_count, vertex_count);
    resize(triangle_count, vertex_count, workspace, topology);
    const EdgeKey edge_key = EdgeKey::for_vertex_count(vertex_count);
    executor.for_each(
        "topology: make keys", triangle_count,
        MakeKeys{triangles, static_cast<std::uint32_t>(vertex_count), edge_key,
                 workspace.corners.data(), workspace.edge_keys.data(), workspace.vertex_keys.data(),
                 topology.triangle_edges.data(), topology.triangle_neighbours.data()});
    build_fans(executor, workspace, topology);
    build_edges(executor, edge_key, workspace, topology);
}

template <class Executor>
void compute_pseudonormals(Executor& executor, const Vec3* positions, const Triangle* triangles,
                           const TopologyView& topology, Pseudonormals& normals) {
    using namespace topology_detail;
    normals.faces.resize(topology.triangle_count);
    normals.measures.resize(topology.triangle_count);
    normals.edges.resize(topology.edge_count);
    normals.vertices.resize(topology.vertex_count);
    executor.for_each(
        "pseudonormals: faces", topology.triangle_count,
        MeasureFace{positions, triangles, normals.faces.data(), normals.measures.data()});
    executor.for_each("pseudonormals: edges", topology.edge_count,
                      SumEdgeNormal{topology, normals.measures.data(), normals.edges.data()});
    executor.for_each("pseudonormals: vertices", topology.vertex_count,
                      SumVertexNormal{topology, normals.measures.data(), normals.vertices.data()});
}

}  // namespace graze

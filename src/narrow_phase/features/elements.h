// Elements: the triangles, loose edges and loose vertices of a deforming thing as one type, and
// which of them owns which vertex and edge.
//
// A vertex or an edge belongs to several elements, and a pair of elements has up to six vertex-face
// and nine edge-edge pairs. For each pair of features to be tested once, every vertex and every
// edge is owned by one of its elements (representative triangles; Fan et al. 2011 call them masks):
// a vertex is tested against a face only in the pair of its owner and the face, and two edges only
// in the pair of their owners. The box of an element contains those of its features, so where two
// features touch, the broad phase finds that pair of elements.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/deforming.h"

namespace graze {

struct alignas(32) Element {
    static constexpr std::uint32_t kOwnsVertex = 1u;     // << k, for k = 0, 1, 2
    static constexpr std::uint32_t kOwnsEdge = 1u << 3;  // << k, for k = 0, 1, 2
    static constexpr std::uint32_t kIsFace = 1u << 6;
    static constexpr std::uint32_t kIsPoint = 1u << 7;  // a loose vertex

    std::uint32_t vertices[3];  // a loose edge names its second vertex twice, a loose vertex thrice
    std::uint32_t edges[3];     // edge k runs from vertex k to the next; valid only where owned
    std::uint32_t part;
    std::uint32_t flags;

    GRAZE_INLINE bool is_face() const { return (flags & kIsFace) != 0; }
    GRAZE_INLINE bool is_point() const { return (flags & kIsPoint) != 0; }
    GRAZE_INLINE bool owns_vertex(int k) const { return (flags & (kOwnsVertex << k)) != 0; }
    GRAZE_INLINE bool owns_edge(int k) const { return (flags & (kOwnsEdge << k)) != 0; }
    // Of two vertices, and neither a triangle's nor one that an earlier element has.
    GRAZE_INLINE bool is_loose_edge() const { return !is_face() && !is_point() && owns_edge(0); }
    GRAZE_INLINE bool has_vertex(std::uint32_t vertex) const {
        return vertices[0] == vertex || vertices[1] == vertex || vertices[2] == vertex;
    }
};

struct Elements {
    std::vector<Element> elements;  // triangles in the given order, loose edges, loose vertices
    // The edges are unique, have v[0] <= v[1] and are sorted by (v[0], v[1]). A loose vertex is an
    // edge from itself to itself, so that it can come near a rope or another loose vertex.
    std::vector<Edge> edges;
    // The pairs of parts that pass through each other, as lower << 32 | higher, sorted.
    std::vector<std::uint64_t> ignored_parts;
    std::int64_t triangle_count = 0;
};

// Throws Error where an index is out of range, an element has vertices of two parts, or there are
// too many elements or vertices.
Elements make_elements(const DeformingTopology& topology);

// True where parts a and b may collide; `ignored` is Elements::ignored_parts.
GRAZE_INLINE bool may_collide(std::uint32_t a, std::uint32_t b, const std::uint64_t* ignored,
                              std::int64_t ignored_count) {
    const std::uint64_t key = std::uint64_t{min_of(a, b)} << 32 | max_of(a, b);
    std::int64_t first = 0, last = ignored_count;
    while (first < last) {
        const std::int64_t middle = (first + last) / 2;
        if (ignored[middle] < key)
            first = middle + 1;
        else
            last = middle;
    }
    return first == ignored_count || ignored[first] != key;
}

// The visit_ functions call report.vertex_face(vertex, index of the face, face) and
// report.edge_edge(edge a, edge b, a's vertices, b's vertices), with a < b, for the pairs of
// features that belong to a pair of elements and share no vertex.
template <class Report>
GRAZE_INLINE void visit_vertex_faces(const Element& of_vertex, const Element& face,
                                     std::uint32_t face_index, Report& report) {
    if (!face.is_face()) return;
    for (int k = 0; k < 3; ++k) {
        const std::uint32_t vertex = of_vertex.vertices[k];
        if (of_vertex.owns_vertex(k) && !face.has_vertex(vertex))
            report.vertex_face(vertex, face_index, face);
    }
}

template <class Report>
GRAZE_INLINE void visit_edge_edges(const Element& a, const Element& b, Report& report) {
    // A loose vertex against a face is a vertex-face pair.
    if ((a.is_point() && b.is_face()) || (b.is_point() && a.is_face())) return;
    for (int i = 0; i < 3; ++i) {
        if (!a.owns_edge(i)) continue;
        const std::uint32_t a0 = a.vertices[i], a1 = a.vertices[i == 2 ? 0 : i + 1];
        for (int j = 0; j < 3; ++j) {
            const std::uint32_t b0 = b.vertices[j], b1 = b.vertices[j == 2 ? 0 : j + 1];
            if (!b.owns_edge(j) || a0 == b0 || a0 == b1 || a1 == b0 || a1 == b1) continue;
            if (a.edges[i] < b.edges[j])
                report.edge_edge(a.edges[i], b.edges[j], a0, a1, b0, b1);
            else
                report.edge_edge(b.edges[j], a.edges[i], b0, b1, a0, a1);
        }
    }
}

template <class Report>
GRAZE_INLINE void visit_feature_pairs(const Element& a, std::uint32_t a_index, const Element& b,
                                      std::uint32_t b_index, Report& report) {
    visit_vertex_faces(a, b, b_index, report);
    visit_vertex_faces(b, a, a_index, report);
    visit_edge_edges(a, b, report);
}

}  // namespace graze

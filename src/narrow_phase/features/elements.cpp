#include "narrow_phase/features/elements.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "graze/error.h"
#include "parallel/cpu_executor.h"

namespace graze {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 30;

void check_vertex(std::uint32_t vertex, std::int64_t vertex_count, const char* kind,
                  std::size_t index) {
    if (vertex < vertex_count) return;
    throw Error(std::string("deforming detector: ") + kind + " " + std::to_string(index) +
                " names vertex " + std::to_string(vertex) + ", but there are " +
                std::to_string(vertex_count));
}

Element make_element(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t flags) {
    return {{a, b, c}, {0, 0, 0}, 0, flags};
}

void append_elements(const DeformingTopology& topology, std::vector<Element>& elements) {
    elements.reserve(topology.triangles.size() + topology.loose_edges.size() +
                     topology.loose_vertices.size());
    for (std::size_t i = 0; i < topology.triangles.size(); ++i) {
        const Triangle& t = topology.triangles[i];
        for (const std::uint32_t vertex : t.v)
            check_vertex(vertex, topology.vertex_count, "triangle", i);
        elements.push_back(make_element(t[0], t[1], t[2], Element::kIsFace));
    }
    for (std::size_t i = 0; i < topology.loose_edges.size(); ++i) {
        const Edge& e = topology.loose_edges[i];
        for (const std::uint32_t vertex : e.v)
            check_vertex(vertex, topology.vertex_count, "loose edge", i);
        elements.push_back(make_element(e[0], e[1], e[1], 0));
    }
    for (std::size_t i = 0; i < topology.loose_vertices.size(); ++i) {
        const std::uint32_t vertex = topology.loose_vertices[i];
        check_vertex(vertex, topology.vertex_count, "loose vertex", i);
        elements.push_back(make_element(vertex, vertex, vertex, Element::kIsPoint));
    }
}

void check_rest_positions(const DeformingTopology& topology) {
    const std::vector<Vec3d>& positions = topology.rest_positions;
    if (!positions.empty() &&
        static_cast<std::int64_t>(positions.size()) != topology.vertex_count) {
        throw Error("deforming detector: rest_positions has " + std::to_string(positions.size()) +
                    " entries for " + std::to_string(topology.vertex_count) +
                    " vertices; give one for each, or none");
    }
    for (std::size_t i = 0; i < positions.size(); ++i) {
        if (!std::isfinite(positions[i].x + positions[i].y + positions[i].z))
            throw Error("deforming detector: rest position " + std::to_string(i) +
                        " is not finite; check what made it");
    }
}

void assign_parts(const DeformingTopology& topology, std::vector<Element>& elements) {
    if (topology.parts.empty()) return;
    if (static_cast<std::int64_t>(topology.parts.size()) != topology.vertex_count) {
        throw Error("deforming detector: parts has " + std::to_string(topology.parts.size()) +
                    " entries for " + std::to_string(topology.vertex_count) +
                    " vertices; give one for each, or none");
    }
    for (std::size_t i = 0; i < elements.size(); ++i) {
        Element& element = elements[i];
        element.part = topology.parts[element.vertices[0]];
        for (const std::uint32_t vertex : element.vertices) {
            if (topology.parts[vertex] != element.part) {
                throw Error("deforming detector: element " + std::to_string(i) +
                            " (triangles, then loose edges) has vertices of parts " +
                            std::to_string(element.part) + " and " +
                            std::to_string(topology.parts[vertex]) +
                            "; what is connected belongs to one part");
            }
        }
    }
}

// The first element that names a vertex owns it.
void own_vertices(std::int64_t vertex_count, std::vector<Element>& elements) {
    std::vector<bool> is_owned(static_cast<std::size_t>(vertex_count));
    for (Element& element : elements) {
        for (int k = 0; k < 3; ++k) {
            const std::uint32_t vertex = element.vertices[k];
            if (is_owned[vertex]) {
                // A loose vertex that another element has is no element of its own.
                if (element.is_point() && k == 0) break;
                continue;
            }
            is_owned[vertex] = true;
            element.flags |= Element::kOwnsVertex << k;
        }
    }
}

// Numbers the edges and makes the first element that has an edge its owner.
void own_edges(std::vector<Element>& elements, std::vector<Edge>& edges) {
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> sides;  // 3 * element + side, 0 to 2
    keys.reserve(3 * elements.size());
    sides.reserve(3 * elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const Element& element = elements[i];
        const bool is_new_point = element.is_point() && element.owns_vertex(0);
        for (std::uint32_t k = 0; k < 3; ++k) {
            const std::uint32_t a = element.vertices[k], b = element.vertices[k == 2 ? 0 : k + 1];
            if (a == b && !(is_new_point && k == 0)) continue;
            keys.push_back(std::uint64_t{std::min(a, b)} << 32 | std::max(a, b));
            sides.push_back(3 * static_cast<std::uint32_t>(i) + k);
        }
    }
    std::vector<std::uint64_t> sorted_keys(keys.size());
    std::vector<std::uint32_t> sorted_sides(sides.size());
    CpuExecutor executor;
    executor.sort_by_key("edges: sort", keys.data(), sorted_keys.data(), sides.data(),
                         sorted_sides.data(), static_cast<std::int64_t>(keys.size()));
    for (std::size_t i = 0; i < sorted_keys.size(); ++i) {
        if (i > 0 && sorted_keys[i] == sorted_keys[i - 1]) continue;
        Element& element = elements[sorted_sides[i] / 3];
        const std::uint32_t side = sorted_sides[i] % 3;
        element.flags |= Element::kOwnsEdge << side;
        element.edges[side] = static_cast<std::uint32_t>(edges.size());
        edges.push_back({{static_cast<std::uint32_t>(sorted_keys[i] >> 32),
                          static_cast<std::uint32_t>(sorted_keys[i])}});
    }
}

std::vector<std::uint64_t> sorted_part_pairs(const DeformingTopology& topology) {
    std::vector<std::uint64_t> keys;
    keys.reserve(topology.ignored_parts.size());
    for (const DeformingTopology::PartPair& pair : topology.ignored_parts)
        keys.push_back(std::uint64_t{std::min(pair.a, pair.b)} << 32 | std::max(pair.a, pair.b));
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
}

}  // namespace

Elements make_elements(const DeformingTopology& topology) {
    const std::size_t count =
        topology.triangles.size() + topology.loose_edges.size() + topology.loose_vertices.size();
    if (count > static_cast<std::size_t>(kMaxElements) || topology.vertex_count < 0 ||
        topology.vertex_count > 2 * kMaxElements) {
        throw Error("deforming detector: " + std::to_string(count) + " elements of " +
                    std::to_string(topology.vertex_count) +
                    " vertices; give at most 2^30 elements of 2^31 vertices");
    }
    Elements result;
    result.triangle_count = static_cast<std::int64_t>(topology.triangles.size());
    append_elements(topology, result.elements);
    check_rest_positions(topology);
    assign_parts(topology, result.elements);
    own_vertices(topology.vertex_count, result.elements);
    own_edges(result.elements, result.edges);
    result.ignored_parts = sorted_part_pairs(topology);
    return result;
}

}  // namespace graze

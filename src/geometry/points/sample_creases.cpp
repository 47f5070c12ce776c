#include <algorithm>
#include <cmath>

#include "geometry/points/point_grid.h"
#include "geometry/points/sampled_surface.h"

namespace graze {

namespace {

// Accepts points, one after the other, that are not too close to an earlier one on their side.
class CreasePoints {
public:
    explicit CreasePoints(float spacing) : grid_(spacing) {}

    void add(const Vec3& position, const Vec3& normal, std::uint32_t triangle, float min_distance) {
        const bool is_taken = grid_.has_near(position, [&](std::uint32_t i) {
            const SurfaceSample& other = samples_[i];
            return length_sq(other.position - position) < min_distance * min_distance &&
                   are_on_one_side(other.normal, normal);
        });
        if (is_taken) return;
        grid_.add(position, static_cast<std::uint32_t>(samples_.size()));
        samples_.push_back({position, normal, triangle, true});
    }
    std::vector<SurfaceSample> take() { return std::move(samples_); }

private:
    GrowingGrid grid_;
    std::vector<SurfaceSample> samples_;
};

bool is_crease(const SampledSurface& surface, std::uint32_t edge) {
    const TopologyView topology = surface.topology();
    const std::uint32_t begin = topology.edge_offsets[edge], end = topology.edge_offsets[edge + 1];
    if (end - begin != 2) return true;
    const Vec3& a = surface.face_normal(topology.edge_corners[begin] / 3);
    const Vec3& b = surface.face_normal(topology.edge_corners[begin + 1] / 3);
    // A triangle without an area has no normal, and makes no crease.
    return length_sq(a) > 0 && length_sq(b) > 0 && dot(a, b) < kCreaseCosine;
}

// What meets at a vertex.
struct VertexCreases {
    std::uint32_t count = 0;
    Vec3 directions[2] = {};  // unit, away from it, of the first two
};

bool is_corner(const SampledSurface& surface, std::uint32_t vertex, const VertexCreases& creases) {
    if (creases.count == 2)
        return dot(creases.directions[0], creases.directions[1]) > -kCreaseCosine;
    if (creases.count > 0) return true;
    // The tip of a cone has no creases.
    const TopologyView topology = surface.topology();
    const Vec3& normal = surface.vertex_normal(vertex);
    for (std::uint32_t i = topology.vertex_offsets[vertex]; i < topology.vertex_offsets[vertex + 1];
         ++i) {
        const Vec3& face = surface.face_normal(topology.vertex_corners[i] / 3);
        if (length_sq(face) > 0 && dot(face, normal) < kCreaseCosine) return true;
    }
    return false;
}

}  // namespace

double crease_length(const SampledSurface& surface) {
    const TopologyView topology = surface.topology();
    const std::vector<Vec3>& positions = surface.mesh().positions;
    double sum = 0;
    for (std::uint32_t edge = 0; edge < topology.edge_count; ++edge) {
        if (!is_crease(surface, edge)) continue;
        sum += length(static_cast<Vec3d>(positions[topology.edges[edge][1]]) -
                      static_cast<Vec3d>(positions[topology.edges[edge][0]]));
    }
    return sum;
}

std::vector<SurfaceSample> sample_creases(const SampledSurface& surface, float spacing) {
    const TopologyView topology = surface.topology();
    const std::vector<Vec3>& positions = surface.mesh().positions;
    std::vector<std::uint32_t> creases;
    std::vector<VertexCreases> at_vertex(positions.size());
    for (std::uint32_t edge = 0; edge < topology.edge_count; ++edge) {
        if (!is_crease(surface, edge)) continue;
        creases.push_back(edge);
        for (int end = 0; end < 2; ++end) {
            const std::uint32_t vertex = topology.edges[edge][end];
            const Vec3 offset = positions[topology.edges[edge][1 - end]] - positions[vertex];
            VertexCreases& there = at_vertex[vertex];
            if (there.count < 2) there.directions[there.count] = normalized(offset);
            ++there.count;
        }
    }
    CreasePoints points(spacing);
    // Corners are worth a point each unless there are many; along a crease points may be as close
    // as the length of its edges demands.
    const float corner_distance = 0.35f * spacing, crease_distance = 0.6f * spacing;
    const auto add_vertex = [&](std::uint32_t vertex, float min_distance) {
        points.add(positions[vertex], surface.vertex_normal(vertex),
                   topology.vertex_corners[topology.vertex_offsets[vertex]] / 3, min_distance);
    };
    for (std::uint32_t vertex = 0; vertex < positions.size(); ++vertex) {
        if (topology.vertex_offsets[vertex] == topology.vertex_offsets[vertex + 1]) continue;
        if (is_corner(surface, vertex, at_vertex[vertex])) add_vertex(vertex, corner_distance);
    }
    for (const std::uint32_t edge : creases) {
        const Vec3d from = static_cast<Vec3d>(positions[topology.edges[edge][0]]);
        const Vec3d to = static_cast<Vec3d>(positions[topology.edges[edge][1]]);
        const double parts = std::max(1.0, std::ceil(length(to - from) / spacing - 0.1));
        for (int end = 0; end < 2; ++end)
            add_vertex(topology.edges[edge][end], crease_distance);
        const std::uint32_t triangle = topology.edge_corners[topology.edge_offsets[edge]] / 3;
        for (double part = 1; part < parts; ++part) {
            points.add(static_cast<Vec3>(from + (to - from) * (part / parts)),
                       surface.edge_normal(edge), triangle, crease_distance);
        }
    }
    return points.take();
}

}  // namespace graze

#include "geometry/mesh_parts.h"

#include <cmath>
#include <numeric>

namespace graze {

namespace {

// Union-find with path halving. It is serial, as it takes far less time than the sort of the edges.
std::vector<std::uint32_t> label_parts(std::size_t triangle_count, const SortedEdges& edges) {
    std::vector<std::uint32_t> parents(triangle_count);
    std::iota(parents.begin(), parents.end(), 0u);
    const auto root_of = [&](std::uint32_t t) {
        while (parents[t] != t)
            t = parents[t] = parents[parents[t]];
        return t;
    };
    for (std::int64_t i = 0; i + 1 < edges.size(); ++i) {
        if (edges.is_last(i)) continue;
        const std::uint32_t a = root_of(edges.triangle(i)), b = root_of(edges.triangle(i + 1));
        if (a != b) parents[a < b ? b : a] = a < b ? a : b;
    }
    // The lowest triangle of a part is its root, so that it is numbered before the others.
    std::vector<std::uint32_t> labels(triangle_count);
    std::uint32_t part_count = 0;
    for (std::uint32_t t = 0; t < triangle_count; ++t)
        labels[t] = parents[t] == t ? part_count++ : labels[root_of(t)];
    return labels;
}

struct Corners {
    Vec3d a, b, c;
    Corners(const Mesh& mesh, const Triangle& t)
        : a(static_cast<Vec3d>(mesh.positions[t[0]])),
          b(static_cast<Vec3d>(mesh.positions[t[1]])),
          c(static_cast<Vec3d>(mesh.positions[t[2]])) {}
    Vec3d twice_area() const { return cross(b - a, c - a); }
};

}  // namespace

MeshParts find_parts(const Mesh& mesh, const SortedEdges& edges) {
    MeshParts result;
    const std::size_t count = mesh.triangles.size();
    result.part_of_triangle = label_parts(count, edges);
    std::vector<MeshPart>& parts = result.parts;
    std::vector<Vec3d> origins, middles;
    for (std::uint32_t t = 0; t < count; ++t) {
        const std::uint32_t part = result.part_of_triangle[t];
        const Corners at(mesh, mesh.triangles[t]);
        if (part == parts.size()) {
            parts.push_back({.first_triangle = t});
            origins.push_back(at.a);
            middles.push_back({0, 0, 0});
        }
        MeshPart& own = parts[part];
        const double area = length(at.twice_area()) * 0.5;
        ++own.triangle_count;
        own.area += area;
        own.vector_area += at.twice_area() * 0.5;
        middles[part] += (at.a + at.b + at.c - origins[part] * 3.0) * (area / 3);
        for (const std::uint32_t vertex : mesh.triangles[t].v)
            own.box = merge(own.box, mesh.positions[vertex]);
    }
    for (std::int64_t i = 0, sum = 0; i < edges.size(); ++i) {
        sum += edges.direction(mesh.triangles, i);
        if (!edges.is_last(i)) continue;
        if (sum != 0) parts[result.part_of_triangle[edges.triangle(i)]].is_closed = false;
        sum = 0;
    }
    for (std::size_t p = 0; p < parts.size(); ++p) {
        if (parts[p].area > 0) middles[p] = origins[p] + middles[p] / parts[p].area;
    }
    // A closed part's volume is the same around any point; around its own middle it is rounded
    // least.
    std::vector<double> reaches(parts.size(), 0);
    for (std::size_t t = 0; t < count; ++t) {
        const std::uint32_t part = result.part_of_triangle[t];
        const Corners at(mesh, mesh.triangles[t]);
        const Vec3d out = (at.a + at.b + at.c) / 3.0 - middles[part];
        parts[part].six_volume += dot(out, at.twice_area());
        reaches[part] += length(out) * length(at.twice_area());
    }
    for (std::size_t p = 0; p < parts.size(); ++p) {
        // A single triangle is where its middle is, and no more than rounding tells its side.
        const double size = double(length(extent(parts[p].box)));
        if (!(reaches[p] > 1e-6 * parts[p].area * size)) reaches[p] = parts[p].six_volume = 0;
        if (!(std::fabs(parts[p].six_volume) > 1e-9 * reaches[p])) parts[p].six_volume = 0;
        if (reaches[p] > 0) parts[p].outwardness = parts[p].six_volume / reaches[p];
    }
    return result;
}

}  // namespace graze

#include "open_sheet.h"

#include <BulletCollision/CollisionShapes/btConcaveShape.h>
#include <BulletCollision/CollisionShapes/btTriangleCallback.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace graze::bullet {

namespace {

// The least cosine between a triangle's normal and the axis.
constexpr double kLeastCosine = 1e-3;

using Edges = std::set<std::array<std::uint32_t, 2>>;

Vec3d normal_of(const Mesh& mesh, const Triangle& t) {
    const auto a = static_cast<Vec3d>(mesh.positions[t[0]]);
    return cross(static_cast<Vec3d>(mesh.positions[t[1]]) - a,
                 static_cast<Vec3d>(mesh.positions[t[2]]) - a);
}

// Returns the axes, first the one along which the triangles cover the most.
std::array<int, 3> axes_of(const Mesh& mesh) {
    Vec3d covered{0, 0, 0};
    for (const Triangle& t : mesh.triangles) {
        const Vec3d normal = normal_of(mesh, t);
        for (int axis = 0; axis < 3; ++axis)
            covered[axis] += std::fabs(normal[axis]);
    }
    std::array<int, 3> axes{0, 1, 2};
    std::stable_sort(axes.begin(), axes.end(),
                     [&](int a, int b) { return covered[a] > covered[b]; });
    return axes;
}

// Returns the mesh with all triangles facing up and without those that have no area; nothing where
// one is too steep.
std::optional<Mesh> facing_up(const Mesh& mesh, int up) {
    Mesh result;
    result.positions = mesh.positions;
    for (const Triangle& t : mesh.triangles) {
        const Vec3d normal = normal_of(mesh, t);
        const double size = length(normal);
        if (!(size > 0)) continue;
        if (!(std::fabs(normal[up]) > kLeastCosine * size)) return std::nullopt;
        result.triangles.push_back(normal[up] > 0 ? t : Triangle{t[0], t[2], t[1]});
    }
    if (result.triangles.empty()) return std::nullopt;
    return result;
}

// Returns the edges, each with its direction; nothing where two triangles on the same side of an
// edge share it.
std::optional<Edges> directed_edges(const Mesh& mesh) {
    Edges edges;
    for (const Triangle& t : mesh.triangles) {
        for (std::size_t i = 0; i < 3; ++i) {
            if (!edges.insert({t[i], t[(i + 1) % 3]}).second) return std::nullopt;
        }
    }
    return edges;
}

// Counts the triangles above or below a point: those that hold it, seen along the axis.
struct CountLayers : btTriangleCallback {
    CountLayers(const Vec3& p, int axis)
        : x(p[(axis + 1) % 3]),
          y(p[(axis + 2) % 3]),
          along_x((axis + 1) % 3),
          along_y((axis + 2) % 3) {}
    void processTriangle(btVector3* corners, int /*part*/, int /*index*/) override {
        int left = 0, right = 0;
        for (int i = 0; i < 3; ++i) {
            const btVector3 &a = corners[i], &b = corners[(i + 1) % 3];
            const double side = (static_cast<double>(b[along_x]) - a[along_x]) * (y - a[along_y]) -
                                (static_cast<double>(b[along_y]) - a[along_y]) * (x - a[along_x]);
            left += side > 0 ? 1 : 0;
            right += side < 0 ? 1 : 0;
        }
        if (left == 3 || right == 3) ++count;
    }
    double x, y;
    int along_x, along_y;
    int count = 0;
};

// Layers are looked for at points of each triangle, so what overlaps by less than a part of the
// smallest triangle there may go unseen.
bool is_single_layer(const Mesh& mesh, int up, const btConcaveShape& shape) {
    const Aabb box = bounds(mesh);
    for (const Triangle& t : mesh.triangles) {
        const Vec3 middle =
            (mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]]) / 3.0f;
        for (std::size_t i = 0; i < 4; ++i) {
            const Vec3 at = i == 3 ? middle : middle + (mesh.positions[t[i]] - middle) * 0.75f;
            CountLayers layers(at, up);
            btVector3 min(at.x, at.y, at.z), max = min;
            min[up] = box.min[up];
            max[up] = box.max[up];
            shape.processAllTriangles(&layers, min, max);
            if (layers.count > 1) return false;
        }
    }
    return true;
}

// Makes a closed mesh of one that faces away from a plane across the axis: walls lead from its
// borders to the plane.
Mesh extrude(const Mesh& sheet, const Edges& edges, int up, float level) {
    Mesh mesh = sheet;
    const auto count = static_cast<std::uint32_t>(sheet.positions.size());
    mesh.positions.reserve(2 * sheet.positions.size());
    for (const Vec3& p : sheet.positions) {
        mesh.positions.push_back(p);
        mesh.positions.back()[up] = level;
    }
    for (const Triangle& t : sheet.triangles)
        mesh.triangles.push_back({t[0] + count, t[2] + count, t[1] + count});
    for (const auto& [a, b] : edges) {
        if (edges.contains({b, a})) continue;
        mesh.triangles.push_back({b, a, a + count});
        mesh.triangles.push_back({b, a + count, b + count});
    }
    return mesh;
}

SheetSides close(Mesh sheet, const Edges& edges, int up) {
    // The solids are thick, so that nothing that is fast gets through between two steps.
    const Aabb box = bounds(sheet);
    const Vec3 sides = extent(box);
    const float thickness = std::max({sides.x, sides.y, sides.z}) / 4;
    SheetSides result;
    result.up = {0, 0, 0};
    result.up[up] = 1;
    result.below = extrude(sheet, edges, up, box.min[up] - thickness);
    Edges turned_edges;
    for (const auto& [a, b] : edges)
        turned_edges.insert({b, a});
    for (Triangle& t : sheet.triangles)
        t = {t[0], t[2], t[1]};
    result.above = extrude(sheet, turned_edges, up, box.max[up] + thickness);
    return result;
}

}  // namespace

std::optional<SheetSides> close_sheet(const Mesh& mesh, const btConcaveShape& shape) {
    for (const int up : axes_of(mesh)) {
        std::optional<Mesh> sheet = facing_up(mesh, up);
        if (!sheet) continue;
        const auto edges = directed_edges(*sheet);
        if (edges && is_single_layer(*sheet, up, shape))
            return close(std::move(*sheet), *edges, up);
    }
    return std::nullopt;
}

}  // namespace graze::bullet

// SphereTree: a tree of spheres over points or triangles, each of which holds all that is below it
// (after Barbic and James, 2008), so that a search can leave out many of them at once.
#pragma once

#include <cstdint>
#include <vector>

#include "graze/mesh.h"

namespace graze {

class CpuExecutor;

// Children, or points of a leaf, are next to each other. Nodes are in breadth-first order: the root
// is node 0, and each level follows the one above it. All leaves are in the last level.
struct SphereNode {
    Vec3 centre;          // [m]
    float radius;         // [m] of a sphere that holds all points below, its own rounding included
    std::uint32_t first;  // the first child, or the first point of a leaf
    std::uint16_t count;  // of children or points; 1 to 8
    std::uint16_t is_leaf;
};
static_assert(sizeof(SphereNode) == 24);

constexpr int kSphereTreeWidth = 8;
constexpr std::uint64_t kSphereTreeMaxPoints = std::uint64_t{1} << 30;

struct SphereTreeView {
    const SphereNode* nodes;
    const Vec3* points;            // [m] in the order of the tree; null where it is over triangles
    const std::uint32_t* indices;  // the index of each in the shape's points, or its triangles
    std::uint32_t node_count, point_count;
    std::int32_t level_count;  // 0 where there are no points
};

// In the host's memory.
struct SphereTree {
    std::vector<SphereNode> nodes;
    std::vector<Vec3> points;
    std::vector<std::uint32_t> indices;
    int level_count = 0;

    SphereTreeView view() const {
        return {nodes.data(),
                points.empty() ? nullptr : points.data(),
                indices.data(),
                static_cast<std::uint32_t>(nodes.size()),
                static_cast<std::uint32_t>(indices.size()),
                level_count};
    }
};

// Throws Error where a tree cannot hold so many points or triangles.
void require_sphere_tree_capacity(std::uint64_t count);

// A tree over points; chosen: the indices of those that it holds. Coordinates must be finite. The
// result is the same for any number of threads. Throws Error above kSphereTreeMaxPoints.
SphereTree build_sphere_tree(CpuExecutor& executor, const std::vector<Vec3>& points,
                             const std::vector<std::uint32_t>& chosen);
// The same over all of them.
SphereTree build_sphere_tree(CpuExecutor& executor, const std::vector<Vec3>& points);
// A tree over triangles: its spheres hold whole triangles, and what is said of points above holds
// for them; it has no points.
SphereTree build_sphere_tree(CpuExecutor& executor, const Mesh& mesh);

}  // namespace graze

// SphereTree: a tree of spheres over points, each of which holds all points below it (after Barbic
// and James, 2008), so that a search can leave out many points at once.
#pragma once

#include "graze/vec3.h"
#include "parallel/buffer.h"

namespace graze {

// Children, or points of a leaf, are next to each other. Nodes are in breadth-first order: the root
// is node 0, and each level follows the one above it.
struct SphereNode {
    Vec3 centre;          // [m]
    float radius;         // [m] of a sphere that holds all points below, rounding included
    std::uint32_t first;  // the first child, or the first point of a leaf
    std::uint16_t count;  // of children or points; 1 to 8
    std::uint16_t is_leaf;
};
static_assert(sizeof(SphereNode) == 24);

struct SphereTreeView {
    const SphereNode* nodes;
    const Vec3* points;            // [m] in the order of the tree
    const std::uint32_t* indices;  // the index of each of them in the shape's points
    std::uint32_t node_count, point_count;
    std::int32_t level_count;  // 0 where there are no points
};

}  // namespace graze

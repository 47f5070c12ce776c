// TriangleBvh: a Bvh over a mesh's triangles with their corners beside it, on either machine.
#pragma once

#include "geometry/bvh/bvh_queries.h"
#include "graze/mesh.h"

namespace graze {

struct TriangleBvhView {
    BvhView tree;
    const BvhTriangle* triangles;  // by slot
};

struct TriangleBvh {
    explicit TriangleBvh(Memory& memory)
        : tree(memory), triangles(memory), boxes(memory), workspace(memory) {}

    TriangleBvhView view() const { return {tree.view(), triangles.data()}; }

    Bvh tree;
    Buffer<BvhTriangle> triangles;
    Buffer<Aabb> boxes;  // by triangle index
    BvhWorkspace workspace;
};

// positions and triangles are in the executor's memory; indices must be valid and coordinates
// finite.
template <class Executor>
void build_triangle_bvh(Executor& executor, const Vec3* positions, const Triangle* triangles,
                        std::int64_t count, BvhQuality quality, TriangleBvh& bvh);
// The same triangles at new positions.
template <class Executor>
void refit_triangle_bvh(Executor& executor, const Vec3* positions, const Triangle* triangles,
                        TriangleBvh& bvh);

}  // namespace graze

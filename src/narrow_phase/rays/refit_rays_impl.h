// Positions change, what is next to what does not: boxes go up the tree from its leaves, triangles
// and vertices take their corners and normals, blocks their boxes.
//
// After L10 of Lehericey et al. (2013), who refit the trees of bodies that deform and still begin
// walks at the last triangle. Where graze differs: a ray also ends at its own body, which deforms,
// too; own_hit.h finds out where only for rays that meet something.
#pragma once

#include "narrow_phase/rays/refit_rays.h"

namespace graze {
namespace rays_detail {

struct RefitRayVertex {
    RefittedRays rays;
    const Vec3* normals;  // by vertex of the mesh

    GRAZE_HD void operator()(std::int64_t i) const {
        const std::uint32_t index = rays.vertex_index[i];
        const Vec3 normal = normals[index];
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        const float reach = length_sq(normal) > 0 ? kInfinity : -kInfinity;
        rays.vertices[i] = {rays.positions[index], reach, normal, reach};
    }
};

struct RefitWalkTriangle {
    RefittedRays rays;
    GRAZE_HD void operator()(std::int64_t i) const {
        const Triangle t = rays.mesh_triangles[i];
        for (int k = 0; k < 3; ++k)
            rays.triangles[i].corners[k] = rays.positions[t[k]];
    }
};

struct RefitBlockBox {
    RefittedRays rays;
    GRAZE_HD void operator()(std::int64_t block) const {
        const std::int64_t first = block * kRayBlockVertices;
        const std::int64_t end = min_of(first + kRayBlockVertices, rays.vertex_count);
        Aabb box = Aabb::empty();
        for (std::int64_t i = first; i < end; ++i)
            box = merge(box, rays.positions[rays.vertex_index[i]]);
        rays.block_boxes[block] = box;
    }
};

}  // namespace rays_detail

template <class Executor>
void refit_rays(Executor& executor, const RefittedRays& rays, RayNormals& normals,
                TriangleBvh& tree) {
    using namespace rays_detail;
    refit_triangle_bvh(executor, rays.positions, rays.mesh_triangles, tree);
    TopologyView topology = normals.topology.view();
    topology.edge_count = 0;  // normals of edges are of no use here
    compute_pseudonormals(executor, rays.positions, rays.mesh_triangles, topology, normals.normals);
    executor.for_each("rays: refit vertices", rays.vertex_count,
                      RefitRayVertex{rays, normals.normals.vertices.data()});
    executor.for_each("rays: refit triangles", rays.triangle_count, RefitWalkTriangle{rays});
    executor.for_each("rays: refit blocks",
                      (rays.vertex_count + kRayBlockVertices - 1) / kRayBlockVertices,
                      RefitBlockBox{rays}, 64);
}

}  // namespace graze

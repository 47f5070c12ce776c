// What Method::rays has of a mesh, at new positions of its vertices: trees keep their form.
#pragma once

#include "geometry/bvh/triangle_bvh.h"
#include "geometry/topology.h"
#include "narrow_phase/rays/ray_vertex.h"

namespace graze {

// What is kept of a mesh that deforms, in the executor's memory, to compute normals anew.
struct RayNormals {
    explicit RayNormals(Memory& memory) : topology(memory), normals(memory) {}

    Topology topology;
    Pseudonormals normals;
};

// What is written: all but vertex_index, positions and mesh_triangles, which are read.
struct RefittedRays {
    const Vec3* positions;  // [m] by vertex of the mesh
    const Triangle* mesh_triangles;
    std::int64_t triangle_count;
    const std::uint32_t* vertex_index;
    std::int64_t vertex_count;
    RayVertex* vertices;
    Aabb* block_boxes;
    WalkTriangle* triangles;
};

// Everything but the trees that are made from the binary one. A vertex without a normal gets
// negative reaches, so that its rays meet nothing; of others the reaches are infinite (own_hit.h).
template <class Executor>
void refit_rays(Executor& executor, const RefittedRays& rays, RayNormals& normals,
                TriangleBvh& tree);

}  // namespace graze

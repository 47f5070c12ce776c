// TidyMesh: what a field is built from. It has the surface of the mesh given, with vertices at the
// same position made one, triangles over the same three vertices kept once, and parts turned around
// that face inwards (orient_parts.h). It tells whether that bounds a solid.
#pragma once

#include "geometry/mesh_parts.h"

namespace graze {

struct TidyMesh {
    Mesh mesh;
    std::vector<std::uint32_t> first_vertex;  // by vertex: the first one at its position
    std::int64_t joined_count = 0;            // vertices at the position of an earlier one
    std::int64_t duplicate_count = 0;         // triangles left out
    // How many edges have more triangles that run along them in one direction than in the other:
    // none where the mesh bounds a solid, whether it intersects itself or not.
    std::int64_t open_edge_count = 0;
    MeshParts parts;                     // as they are now
    std::int64_t turned_part_count = 0;  // parts that were turned around
    // Open parts that seem to face inwards and are left as they are.
    std::int64_t inward_part_count = 0;

    bool is_closed() const { return open_edge_count == 0; }
};

TidyMesh tidy_mesh(CpuExecutor& executor, const Mesh& mesh);

}  // namespace graze

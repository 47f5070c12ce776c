// MeshParts: the parts of a mesh that hang together by edges, and which of them bound solids.
#pragma once

#include "geometry/sorted_edges.h"

namespace graze {

struct MeshPart {
    std::uint32_t first_triangle = 0;
    std::int64_t triangle_count = 0;
    bool is_closed =
        true;  // as many triangles run along each edge in one direction as in the other
    Aabb box = Aabb::empty();
    // [m^3] Six times what it encloses, or what lies between it and the middle of its surface where
    // it is open; negative where it faces inwards, and 0 where it is no more than rounding.
    double six_volume = 0;
    double area = 0;             // [m^2]
    Vec3d vector_area{0, 0, 0};  // [m^2] the sum of its triangles' areas times their normals
    double outwardness = 0;      // the mean cosine between normals and directions from its middle
    // What orient_parts() did: turned it around, or left it, open and as if it faced inwards.
    bool is_turned = false;
    bool is_left_inward = false;
};

struct MeshParts {
    std::vector<std::uint32_t> part_of_triangle;
    std::vector<MeshPart> parts;  // in the order of their first triangles
};

// The edges are those of the mesh, whose vertices at the same position are one.
MeshParts find_parts(const Mesh& mesh, const SortedEdges& edges);

}  // namespace graze

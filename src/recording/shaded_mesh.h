// ShadedMesh: a mesh as pictures need it, with a normal at every vertex.
#pragma once

#include <vector>

#include "graze/mesh.h"

namespace graze {

struct ShadedMesh {
    std::vector<Vec3> positions;      // [m]
    std::vector<Vec3> normals;        // unit, one for each position
    std::vector<Triangle> triangles;  // those of the mesh that have an area
};

// Smooth where faces meet at less than 40 degrees; a vertex on a sharper edge becomes several, one
// for each side. The mesh is valid.
ShadedMesh shade(const Mesh& mesh);

}  // namespace graze

// The points that stand for a mesh's surface: its vertices, or points spread over it.
#pragma once

#include "graze/shape.h"

namespace graze {

// The vertices, each with the mean of its triangles' normals, weighted by their angles there.
SurfacePoints points_of_vertices(const Mesh& mesh, int threads);

}  // namespace graze

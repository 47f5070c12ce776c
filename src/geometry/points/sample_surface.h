// The points that stand for a mesh's surface: its vertices, or points spread over it.
//
// Vertices at the same position should be one (see tidy_mesh), or the seams between them count as
// the ends of the surface.
#pragma once

#include "graze/shape.h"

namespace graze {

// The vertices, each with the mean of its triangles' normals, weighted by their angles there.
SurfacePoints points_of_vertices(const Mesh& mesh, int threads);

// At most so many points are spread.
constexpr double kMaxSurfacePoints = 50e6;
// Every point of the surface is no farther than this fraction of the spacing from a sample on the
// same side of it, which sample_surface() proves triangle by triangle.
constexpr float kCoverFraction = 0.95f;

// Points about the given spacing apart, spread evenly by repulsion, with sharp corners, creases and
// ends of the surface among them. The result is the same for any number of threads. spacing: [m]
// positive. Throws Error where there would be more than kMaxSurfacePoints, and where progress
// returns false.
SurfacePoints sample_surface(const Mesh& mesh, float spacing, int threads,
                             const Progress& progress = nullptr);

}  // namespace graze

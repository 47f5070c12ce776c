// The surface of a distance field as a triangle mesh.
#pragma once

#include "graze/device.h"
#include "graze/field.h"
#include "graze/mesh.h"

namespace graze {

struct SurfaceOptions {
    float level =
        0;  // [m] the distance at which the surface is taken; within the band where sparse
    // Cells along the longest side of the solid's box, for a field that is not sampled; a sampled
    // one is taken as it is.
    int resolution = 128;
    // Add vertices on edges and corners that the samples tell of; else they are cut off.
    bool sharp = true;
    Device device = Device::cpu();  // its threads of the CPU do the work
};

// Closed, manifold and facing outwards where all of the surface is within the grid, else open where
// it leaves it; also where the sign changes far from any surface, as in the holes of an open mesh,
// and a sparse field has no samples there. Vertices lie on the interpolated surface, but those on
// sharp edges, and no two at the same place. Without triangles where there is no surface. Throws
// Error where the field has no end and is not sampled, and where the level is beyond a sparse
// field's band. The same bits for any number of threads.
Mesh extract_surface(const Field& field, const SurfaceOptions& options = {});

}  // namespace graze

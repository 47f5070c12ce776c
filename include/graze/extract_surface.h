// The surface of a distance field as a triangle mesh.
#pragma once

#include "graze/device.h"
#include "graze/field.h"
#include "graze/mesh.h"

namespace graze {

struct SurfaceOptions {
    // [m] The surface is where the distance is this; within the band of a sparse field.
    float level = 0;
    // How many cells there are along the longest side of the solid's box, for a field that is not
    // sampled; a sampled one is taken as it is.
    int resolution = 128;
    // Whether to add vertices on sharp edges and corners that the samples tell of, which otherwise
    // are cut off.
    bool sharp = true;
    Device device = Device::cpu();  // its threads of the CPU do the work
};

// Returns the surface as a mesh that faces outwards. It is closed and manifold where all of the
// surface is within the grid, and open where the surface leaves the grid; also where the sign
// changes far from any surface, as in the holes of an open mesh, and a sparse field has no samples
// there. Vertices lie on the interpolated surface, except those on sharp edges, and no two have the
// same position. The mesh has no triangles where there is no surface. Throws Error where the field
// has no end and is not sampled, and where the level is beyond a sparse field's band. The bits are
// the same for any number of threads.
Mesh extract_surface(const Field& field, const SurfaceOptions& options = {});

}  // namespace graze

// find_lost_surface: what of a solid's surface falls through the grid.
//
// A part thinner than a voxel can pass between the samples: none of them is inside of it, and the
// field does not know it. A point of the surface counts as lost where none of the 4 x 4 x 4 samples
// around its cell is inside. That cannot be where a ball as wide as the diagonal of a voxel fits
// into the solid next to the point, since such a ball has a sample in it.
#pragma once

#include "field/sampled/sampled_field.h"
#include "geometry/mesh_parts.h"

namespace graze {

struct LostSurface {
    double area = 0;           // [m^2]
    Aabb box = Aabb::empty();  // [m]
    // [m] How thick the solid is there, across: nine of ten lost points have more behind them.
    float thickness = 0;
};

// Looks at all parts that are closed and bound a volume. The samples are in host memory.
LostSurface find_lost_surface(CpuExecutor& executor, const Mesh& mesh, const MeshParts& parts,
                              const SampledField& field);

// A surface that is within the solid, or between two that are closer together than samples.
struct BuriedSurface {
    double area = 0;           // [m^2]
    Aabb box = Aabb::empty();  // [m]
};

// Looks at a surface that distances are measured to. A point of it counts as buried where all of
// the 4 x 4 x 4 samples around its cell are inside. The samples are in host memory.
BuriedSurface find_buried_surface(CpuExecutor& executor, const Mesh& mesh,
                                  const SampledField& field);

// The resolution (FieldOptions::resolution) at which the samples hold what is lost.
int resolution_that_holds(const LostSurface& lost, const FieldGrid& grid);

}  // namespace graze

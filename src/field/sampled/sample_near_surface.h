// sample_near_surface: any field with an end as samples around its surface, for what works on a
// grid.
#pragma once

#include "field/sampled/sampled_field.h"
#include "parallel/cpu_executor.h"

namespace graze {

// Returns a grid over the box of the field's solid, grown by level where that is positive, with two
// voxels around it and `resolution` cells along its longest side. It has no cells where there is no
// solid. Throws Error where the solid has no end or the resolution makes no sense.
FieldGrid grid_around(const Field& field, int resolution, float level);

// The result is sparse, of order 0, with a brick in every block that the surface of `level` may
// enter. Its values are distances less the level, and no errors are measured.
SampledField sample_near_surface(CpuExecutor& executor, const Field& field, const FieldGrid& grid,
                                 float level);

}  // namespace graze

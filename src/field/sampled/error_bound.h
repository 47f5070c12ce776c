// error_bound_of: what no point among a field's samples is off by.
//
// Of a closed mesh that is certain_error(), which is off the distance to the surface that samples
// are measured to, and the seam, by which that distance may be short of the one to the union of
// overlapping parts (union_surface.h). Around a jump (largest_jump.h) the distance to the
// surface still changes by no more than the way between two points, and only its sign is another.
// Two neighbours with unlike signs differ by the jump j more than a voxel h, so that neither is
// farther from the surface than (j + 2 h) / 2, and no corner of their cell farther than 2 h more. A
// corner of the other sign than the point's adds twice its distance to what it may be off without
// that: j + 6 h. A side that changes within a cell whose corners agree is beyond what samples tell.
#pragma once

#include "field/sampled/evaluate_sampled.h"
#include "field/sampled/largest_jump.h"
#include "graze/field_summary.h"

namespace graze {

// [m] The samples are in host memory.
template <class Executor>
float error_bound_of(Executor& executor, const SampledField& field) {
    const float bound = error_bound(field.grid, field.order) + field.seam;
    const float jump = largest_jump(executor, field);
    return jump > 0 ? bound + jump + 6 * field.grid.spacing : bound;
}

}  // namespace graze

// From a mesh to samples, on one machine: the work behind build_field(), with all choices made.
#pragma once

#include "field/sampled/sampled_field.h"
#include "graze/build_field.h"

namespace graze {

struct SamplePlan {
    FieldGrid grid;
    FieldOrder order;
    bool is_sparse;
    float band;      // [m]
    FieldSign sign;  // not automatic
    float offset;    // [m] taken off every distance: half a shell's thickness
    bool measures_error;
    // [bytes] What the bricks may take; known only when they are counted.
    std::int64_t memory_limit;
    Progress progress;
};

struct SampleOutcome {
    std::int64_t doubtful_count = 0;
    Aabb doubtful_box = Aabb::empty();  // in whole cubes of samples
    bool has_inside = false;            // some sample is negative
};

// field is in the executor's memory. mesh is valid, has triangles and lies within the grid.
template <class Executor>
SampleOutcome build_samples(Executor& executor, const Mesh& mesh, const SamplePlan& plan,
                            SampledField& field);

// [bytes] of a brick with its part of the tables and of the min/max tree.
std::int64_t brick_bytes(FieldOrder order);

}  // namespace graze

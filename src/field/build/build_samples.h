// build_samples: from a mesh to samples, on one machine. It is the work behind build_field(), with
// all choices made.
#pragma once

#include "field/sampled/sampled_field.h"
#include "graze/build_field.h"
#include "graze/error.h"

namespace graze {

struct SamplePlan {
    FieldGrid grid;
    FieldOrder order;
    bool is_sparse;
    float band;      // [m]
    FieldSign sign;  // not automatic
    float offset;    // [m] taken off every distance: half a shell's thickness
    bool measures_error;
    // [bytes] What the bricks may take; how much they do is known only when they are counted.
    std::int64_t memory_limit;
    Progress progress;
    // What distances are measured to where that is not the whole mesh (union_surface.h); or null.
    const Mesh* surface = nullptr;
};

struct SampleOutcome {
    std::int64_t doubtful_count = 0;
    Aabb doubtful_box = Aabb::empty();  // in whole cubes of samples
    bool has_inside = false;            // whether some sample is negative
};

// Thrown where a grid is too fine for the memory there is, or for floats.
struct GridTooFine : Error {
    using Error::Error;
};

// The field is in the executor's memory. The mesh is valid, has triangles and lies within the grid;
// so does the plan's surface.
template <class Executor>
SampleOutcome build_samples(Executor& executor, const Mesh& mesh, const SamplePlan& plan,
                            SampledField& field);

// [bytes] What a brick takes, with its entries in the tables and in the min/max tree.
std::int64_t brick_bytes(FieldOrder order);

}  // namespace graze

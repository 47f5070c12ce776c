#include "graze/field_summary.h"

#include "field/sampled/error_bound.h"
#include "graze/error.h"
#include "parallel/cpu_executor.h"

namespace graze {

FieldSummary summarize(const Field& field) {
    if (!field.is_sampled()) throw Error("the field is not sampled; make it so with sample_field");
    const SampledField& samples = *samples_of(field);
    CpuExecutor executor;
    return {samples.grid,
            samples.order,
            samples.is_sparse,
            samples.band,
            samples.values.size() + samples.samples.size(),
            samples.is_sparse ? samples.brick_count() : 0,
            samples.memory_bytes(),
            samples.error,
            error_bound_of(executor, samples)};
}

float error_bound(const FieldGrid& grid, FieldOrder order) {
    SampledFieldView field{};
    field.grid = grid;
    field.order = order;
    // No distance in the grid is larger than its diagonal.
    return certain_error(field, length(extent(grid.box())));
}

}  // namespace graze

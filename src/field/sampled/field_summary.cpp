#include "graze/field_summary.h"

#include "field/sampled/sampled_field.h"
#include "graze/error.h"

namespace graze {

FieldSummary summarize(const Field& field) {
    if (!field.is_sampled()) throw Error("the field is not sampled; make it so with sample_field");
    const SampledField& samples = *samples_of(field);
    return {samples.grid,
            samples.order,
            samples.is_sparse,
            samples.band,
            samples.values.size() + samples.samples.size(),
            samples.is_sparse ? samples.brick_count() : 0,
            samples.memory_bytes(),
            samples.error};
}

}  // namespace graze

// check_sampled_field refuses a SampledField that evaluation could not trust.
#pragma once

#include <string_view>

#include "field/sampled/sampled_field.h"
#include "parallel/cpu_executor.h"

namespace graze::io {

// Throws Error, which begins with name, where an array has another size than the grid asks for, a
// brick table is inconsistent, a distance is not finite, an error is negative or not a number, or a
// node of the tree has no order.
void check_sampled_field(CpuExecutor& executor, const SampledField& field, std::string_view name);

}  // namespace graze::io

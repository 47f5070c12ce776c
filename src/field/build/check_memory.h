// check_memory: whether a field fits the memory, before any of it is allocated.
#pragma once

#include "graze/build_field.h"

namespace graze {

// Throws Error where a dense field, or a sparse one's coarse level, takes more memory than is left
// beside other_bytes. The message says how much that is and, given a box, what resolution would
// fit. Returns what is left [bytes].
std::int64_t check_memory(const FieldGrid& grid, const FieldOptions& options,
                          std::int64_t other_bytes, const Aabb* box);

}  // namespace graze

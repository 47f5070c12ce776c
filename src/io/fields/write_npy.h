// write_npy writes a field's distances as a NumPy array; docs/formats/field_files.md describes both
// files.
#pragma once

#include <filesystem>

#include "field/sampled/sampled_field.h"
#include "parallel/cpu_executor.h"

namespace graze::io {

// Writes the array to path and, to the same path with the extension .json, where the array lies in
// space. A sparse field is evaluated at every sample of its grid. Throws Error where the array
// would be larger than kNpyMaxBytes or than what is free on the disk.
void write_npy(CpuExecutor& executor, const SampledField& field, const std::filesystem::path& path);

// A sparse field can stand for more than any program reads as one array. The limit leaves room for
// 1024^3 distances and some padding.
constexpr std::int64_t kNpyMaxBytes = std::int64_t{5} << 30;

}  // namespace graze::io

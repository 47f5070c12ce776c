// Functions that read and write fields as OpenVDB level sets; docs/formats/field_files.md says what
// becomes of them. Where graze is built without OpenVDB, both throw an Error that says how to get
// it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "field/sampled/sampled_field.h"
#include "parallel/cpu_executor.h"

namespace graze::io {

void write_vdb(CpuExecutor& executor, const SampledField& field, const std::filesystem::path& path);
// Findings tell of grids of the file that were left out.
std::shared_ptr<SampledField> read_vdb(CpuExecutor& executor, const std::filesystem::path& path,
                                       std::vector<std::string>& findings);

}  // namespace graze::io

// Functions that read and write .gfield, the file of a sampled field; docs/formats/gfield.md
// describes it.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "graze/build_field.h"
#include "io/byte_sink.h"
#include "io/byte_source.h"
#include "io/fields/gfield_header.h"
#include "parallel/cpu_executor.h"

namespace graze::io {

// What a file holds beside the field itself.
struct GfieldExtras {
    std::optional<FieldReport> report;
    ContentKey key;  // of what the field was made from
};

struct GfieldContent {
    std::shared_ptr<SampledField> field;  // in host memory
    GfieldExtras extras;
};

// Writes the same bytes for any number of threads. field must be in host memory; throws Error,
// which begins with name, where it is not what check_sampled_field() asks for.
void write_gfield(CpuExecutor& executor, const SampledField& field, const GfieldExtras& extras,
                  std::string_view name, ByteSink& sink);

// Throws Error with the name, the byte and the cause where the file is cut, altered, of another
// version, or holds what no field can be. Memory is taken only as far as the file is long enough
// for what its header announces, and at most 40,000 times its size. Without verify checksums are
// not looked at, which is for fuzzing alone.
GfieldContent read_gfield(CpuExecutor& executor, ByteSource& source, std::string_view name,
                          bool verify = true);

// The beginning of a file.
struct GfieldBeginning {
    GfieldHeader header;
    std::optional<FieldReport> report;
};
// Reads the beginning of a file, and looks at the rest only to throw where it is cut or altered: a
// file that is described can be read.
GfieldBeginning read_gfield_beginning(ByteSource& source, std::string_view name);

}  // namespace graze::io

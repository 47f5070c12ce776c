// Functions that read and write sampled distance fields.
//
//   .gfield  all of a field, bit by bit; docs/formats/gfield.md
//   .vdb     an OpenVDB level set, where graze was built with OpenVDB; docs/formats/field_files.md
//   .npy     a NumPy array of distances, written only; docs/formats/field_files.md
//
// Readers are strict: a truncated or altered file throws an Error with the file, the byte and the
// cause. Files appear whole or not at all: they are written beside and renamed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "graze/build_field.h"

namespace graze {

enum class FieldFormat { gfield, vdb, npy };

// Returns the format that the file name's extension says; throws Error for an unknown one.
FieldFormat field_format(const std::filesystem::path& path);

// Returns the field in a file. Where a report is asked for, it is the one that was stored with the
// field or, where none was, what can be told from the field itself.
Field load_field(const std::filesystem::path& path, FieldReport* report = nullptr);

// Writes a field, which must be sampled (Field::is_sampled()). A .gfield keeps the report with it.
void save_field(const Field& field, const std::filesystem::path& path,
                const FieldReport* report = nullptr);

// What a .gfield file holds, read without loading the field. A file that is cut or altered is
// refused, as load_field() does.
struct FieldFileSummary {
    int version = 0;  // of the format
    FieldGrid grid{};
    FieldOrder order = FieldOrder::zero;
    bool is_sparse = false;
    bool is_surface_inside = false;  // no part of the surface is outside the grid
    bool has_min_max_tree = false;
    std::int64_t sample_count = 0;  // stored ones
    std::int64_t brick_count = 0;   // 0 where dense
    float band = 0;                 // [m] the surface is farther where there is no brick
    float error = 0;                // [m] see Field::error
    float error_bound = 0;          // [m] see FieldSummary, for the field of a closed mesh
    std::int64_t memory_bytes = 0;  // of the field when it is loaded
    std::int64_t file_bytes = 0;
    std::optional<FieldReport> report;  // of the build; none where it was not stored
};
FieldFileSummary read_field_summary(const std::filesystem::path& path);

}  // namespace graze

// What graze says about a sampled field, for people and for programs; docs/commands/field.md lists
// the keys.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "graze/build_field.h"
#include "graze/field_summary.h"
#include "graze/mass_properties.h"

namespace graze::app {

struct FieldDescription {
    std::string file;
    std::int64_t file_bytes = 0;
    FieldSummary summary;
    std::optional<FieldReport> report;   // of the build, where it is known
    std::optional<MassProperties> mass;  // where it was asked for
    bool is_cached = false;              // it was not built now
    // What was left out of a file that keeps no report.
    std::vector<std::string> findings = {};
};

// Describes a field file, and reads as little of it as possible.
FieldDescription describe_field_file(const std::string& file);

nlohmann::ordered_json to_json(const FieldDescription& description);
// Returns a heading, a row for each number and a line for each finding.
std::string to_text(const FieldDescription& description);

}  // namespace graze::app

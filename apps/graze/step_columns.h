// What the steps of a run did, as columns that a page draws over time.
#pragma once

#include <filesystem>
#include <string>

namespace graze::app {

// JSON, {"time": [...], "pairs": [...], ...}, of a steps.csv (docs/commands/simulate.md), in at
// most row_count rows: each is the mean of so many steps in a row. Empty where the file is not
// there or is no such table.
std::string read_step_columns(const std::filesystem::path& csv, std::size_t row_count = 1500);

}  // namespace graze::app

// The folder of real models and sequences for tests and benchmarks; no such file is committed.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace graze {

// True where GRAZE_DATA names a folder, which then must be there.
inline bool is_data_folder_given() {
    const char* folder = std::getenv("GRAZE_DATA");
    return folder != nullptr && *folder != '\0';
}

// Returns the folder that GRAZE_DATA names, and shared/data beside the repository where it is not
// set. Neither need exist.
inline std::filesystem::path data_folder() {
    if (is_data_folder_given()) return std::getenv("GRAZE_DATA");
    return std::filesystem::path(GRAZE_SOURCE_DIR) / "../shared/data";
}

}  // namespace graze

// The folder of real models and sequences for tests and benchmarks; no such file is committed.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace graze {

// Returns the folder that GRAZE_DATA names, and an empty path where it is not set. Tests that take
// long on real data run only where this one is given.
inline std::filesystem::path given_data_folder() {
    const char* folder = std::getenv("GRAZE_DATA");
    return folder == nullptr ? std::filesystem::path() : std::filesystem::path(folder);
}

// Returns the folder that GRAZE_DATA names, and shared/data beside the repository where it is not
// set. Neither need exist.
inline std::filesystem::path data_folder() {
    const std::filesystem::path given = given_data_folder();
    return given.empty() ? std::filesystem::path(GRAZE_SOURCE_DIR) / "../shared/data" : given;
}

}  // namespace graze

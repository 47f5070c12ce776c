// A recording as one HTML file that plays it in any browser, without a network
// (docs/commands/view.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "graze/build_field.h"  // Progress

namespace graze::app {

// What the steps did is taken from a steps.csv beside the recording, where there is one. Throws
// Error where the program was built without the page, and where the recording is larger than what
// browsers open; written beside and renamed.
void write_run_page(const std::filesystem::path& recording, const std::filesystem::path& file,
                    const Progress& progress);

// A page of so large a size takes a browser long to open [bytes], and what to say then.
inline constexpr std::int64_t kLargeForAPage = 128 << 20;
std::string large_page_words(const std::filesystem::path& page);

}  // namespace graze::app

// A recording as one HTML file that plays it in any browser, without a network
// (docs/commands/view.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "graze/build_field.h"  // Progress

namespace graze::app {

struct PageContents {
    std::filesystem::path recording;
    // What the page shows besides, by the names in docs/formats/page_data.md; fields of the shapes
    // are added where there are none.
    nlohmann::ordered_json about = {};
    // Every bit and every contact of a recording of any size; else one that is large is rounded.
    bool is_exact = false;
};

// Throws Error where the program was built without the page, so that no long work comes before
// that.
void check_page();
// And where a page could not be written there.
void check_page_file(const std::filesystem::path& file);

// What the steps did is taken from a steps.csv beside the recording, where there is one. Throws
// Error where the program was built without the page, and where there is more than what browsers
// open; written beside and renamed.
void write_run_page(const PageContents& contents, const std::filesystem::path& file,
                    const Progress& progress);

// What a page says of a recording that it does not carry, but asks a server for.
std::string served_page(const std::filesystem::path& recording);

// A page of so large a size takes a browser long to open [bytes], and what to say then.
inline constexpr std::int64_t kLargeForAPage = 64 << 20;
std::string large_page_words(const std::filesystem::path& page);

}  // namespace graze::app

// Pages of docs/, by their headings, for tests that hold them to what the library says.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "graze/error.h"
#include "tests/temporary_folder.h"

namespace graze::testing {

// The page that begins with the heading, such as "# graze collide".
inline std::string documentation_page(const std::string& heading) {
    const std::filesystem::path docs = std::filesystem::path(GRAZE_SOURCE_DIR) / "docs";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(docs)) {
        if (entry.path().extension() != ".md") continue;
        const std::string page = read_bytes(entry.path());
        if (page.starts_with(heading + "\n")) return page;
    }
    throw Error("no page of docs begins with " + heading);
}

// The row of a table that begins with a text, such as "| `--sampling`"; empty where there is none.
inline std::string row_of(const std::string& page, const std::string& beginning) {
    const std::size_t begin = page.find("\n" + beginning);
    if (begin == page.npos) return {};
    return page.substr(begin + 1, page.find('\n', begin + 1) - begin - 1);
}

}  // namespace graze::testing

// lower_extension tells a file's format by its name.
#pragma once

#include <cctype>
#include <filesystem>
#include <string>

namespace graze::io {

// Returns the extension of the file name in small letters, with its dot; it is empty where there is
// none.
inline std::string lower_extension(const std::filesystem::path& path) {
    std::string extension = path.extension().string();
    for (char& c : extension)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return extension;
}

}  // namespace graze::io

// write_beside: a text file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace graze::app {

using WriteText = std::function<void(std::string_view text)>;

// Lets fill write the file under another name, and gives it its own at the end. Throws Error, and
// leaves nothing behind, where that fails.
void write_beside(const std::filesystem::path& path,
                  const std::function<void(const WriteText& write)>& fill);
void write_beside(const std::filesystem::path& path, std::string_view text);

}  // namespace graze::app

// Writing a file so that it appears whole or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace graze {

// Writes the bytes under another name in the same folder, waits until they are on the disk and then
// renames the file. Where path is a link, the file that it points to is replaced. Throws Error,
// with the path and the cause, where the file cannot be written; then nothing is left behind, and
// what was at the path before is untouched.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// Does the same for a file that is made piece by piece: fill calls write for one piece after the
// other. What fill throws ends the writing and is thrown on.
using WriteBytes = std::function<void(std::string_view bytes)>;
void write_file(const std::filesystem::path& path,
                const std::function<void(const WriteBytes& write)>& fill);

}  // namespace graze

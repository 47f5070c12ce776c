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

// Removes the other names under which this process writes files at this moment, so that a program
// that ends without going on leaves no half of one. It is safe in a signal handler; the process
// must end after it.
void remove_unfinished_files() noexcept;

// Removes what programs that were killed while they wrote path have left beside it. What a running
// one writes stays.
void remove_abandoned_files(const std::filesystem::path& path);

}  // namespace graze

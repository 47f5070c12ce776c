// read_file reads the whole content of a file into memory.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

namespace graze::io {

class FileBytes {
public:
    FileBytes(std::unique_ptr<char[]> bytes, std::size_t size)
        : bytes_(std::move(bytes)), size_(size) {}
    std::string_view view() const { return {bytes_.get(), size_}; }

private:
    std::unique_ptr<char[]> bytes_;
    std::size_t size_;
};

// Throws Error where the file is missing, unreadable, not a regular file or too large for memory.
FileBytes read_file(const std::filesystem::path& path);

}  // namespace graze::io

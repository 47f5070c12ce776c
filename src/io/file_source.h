// FileSource reads the bytes of a file from its beginning.
#pragma once

#include <filesystem>

#include "io/byte_source.h"

namespace graze::io {

class FileSource final : public ByteSource {
public:
    // Throws UnavailableError where the file is missing, unreadable or not a regular file.
    explicit FileSource(const std::filesystem::path& path);
    ~FileSource() override;
    FileSource(const FileSource&) = delete;
    FileSource& operator=(const FileSource&) = delete;

    std::uint64_t size() const override { return size_; }
    void read(char* to, std::uint64_t count) override;

private:
    std::filesystem::path path_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

}  // namespace graze::io

// AtomicFile: a file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "io/byte_sink.h"

namespace graze::io {

// Written under another name in the same folder; commit() gives it its own. Destroyed without that,
// it leaves nothing behind and what stood at the path before is untouched.
class AtomicFile final : public ByteSink {
public:
    // Throws Error where the folder cannot be written or something other than a file is at path.
    explicit AtomicFile(const std::filesystem::path& path);
    ~AtomicFile() override;
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::string_view bytes) override;
    void commit();

private:
    [[noreturn]] void fail(const std::string& cause, int error_number) const;

    std::filesystem::path path_;
    std::filesystem::path temporary_path_;
    int descriptor_ = -1;  // open until commit
};

}  // namespace graze::io

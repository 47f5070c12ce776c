// AtomicFile writes a file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "io/byte_sink.h"
#include "io/unfinished_files.h"

namespace graze::io {

// The file is written under another name in the same folder, and commit() gives it its own. Where
// it is destroyed without that, it leaves nothing behind, and what was at the path before is
// untouched. What a killed program leaves, PATH.tmp, the next one that writes PATH takes over.
class AtomicFile final : public ByteSink {
public:
    // Throws Error where the folder cannot be written or something other than a file is at path.
    explicit AtomicFile(const std::filesystem::path& path);
    ~AtomicFile() override;
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::string_view bytes) override;
    // Waits until what was written is on the disk. Without it a power cut shortly after commit()
    // may leave a file that is cut short.
    void sync();
    void commit();

private:
    [[noreturn]] void fail(int error_number) const;

    std::filesystem::path path_;
    std::filesystem::path temporary_path_;
    UnfinishedFile unfinished_;  // notes it
    int descriptor_ = -1;        // open until commit
};

// Removes what killed programs have left beside the path: temporary files without a lock.
void unlink_abandoned(const std::filesystem::path& path);

}  // namespace graze::io

// The names under which this process writes files that are not whole yet, as a signal handler can
// read them.
#pragma once

#include <filesystem>

namespace graze::io {

// UnfinishedFile notes a name while it lives. Where too many are noted, or the name is too long, it
// is left out: then a killed program leaves the file, which its next writer takes over.
class UnfinishedFile {
public:
    UnfinishedFile() = default;
    ~UnfinishedFile() { forget(); }
    UnfinishedFile(const UnfinishedFile&) = delete;
    UnfinishedFile& operator=(const UnfinishedFile&) = delete;

    void note(const std::filesystem::path& name);
    void forget();

private:
    int slot_ = -1;
};

// Unlinks all that are noted; safe in a signal handler.
void unlink_unfinished() noexcept;

}  // namespace graze::io

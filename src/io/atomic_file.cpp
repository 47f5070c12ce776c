#include "io/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "graze/error.h"

namespace graze::io {
namespace {

// The suffix is another one for every call of every process on this computer.
std::string temporary_suffix() {
    static std::atomic<unsigned> counter{0};
    return ".tmp" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
}

}  // namespace

AtomicFile::AtomicFile(const std::filesystem::path& path) : path_(path) {
    std::error_code ignored;
    // A link stays a link: the file that it points to is replaced.
    if (std::filesystem::is_symlink(path, ignored)) {
        const auto target = std::filesystem::weakly_canonical(path, ignored);
        if (!ignored) path_ = target;
    }
    const auto status = std::filesystem::status(path_, ignored);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        throw Error(path.string() + ": cannot write: it exists and is not a file");
    temporary_path_ = path_;
    temporary_path_ += temporary_suffix();
    descriptor_ = ::open(temporary_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(errno);
}

AtomicFile::~AtomicFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(temporary_path_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) fail(written < 0 ? errno : EIO);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void AtomicFile::sync() {
    if (::fsync(descriptor_) != 0) fail(errno);
}

void AtomicFile::commit() {
    // Some file systems report a full disk only here.
    const int closed = ::close(descriptor_);
    const int close_error = errno;
    descriptor_ = -1;
    if (closed == 0 && std::rename(temporary_path_.c_str(), path_.c_str()) == 0) return;
    const int error_number = closed == 0 ? errno : close_error;
    ::unlink(temporary_path_.c_str());
    fail(error_number);
}

void AtomicFile::fail(int error_number) const {
    throw Error(path_.string() +
                ": cannot write: " + std::generic_category().message(error_number));
}

}  // namespace graze::io

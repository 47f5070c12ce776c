#include "io/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

#include "graze/error.h"

namespace graze::io {
namespace {

// True where the path still names the open file, and not one that came after it.
bool is_still_at(int descriptor, const std::filesystem::path& path) {
    struct stat open_file{}, named{};
    return ::fstat(descriptor, &open_file) == 0 && ::lstat(path.c_str(), &named) == 0 &&
           open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

// Opens an empty file beside the path that no one else writes, which a lock tells. A file that a
// killed program has left there has no lock and is taken over, so that such files do not pile up.
// Returns a negative value, and the cause in errno, where there is none.
int open_temporary(const std::filesystem::path& path, std::filesystem::path& temporary) {
    constexpr int kMostAtOnce = 1000;
    for (int i = 0; i < kMostAtOnce; ++i) {
        temporary = path;
        temporary += ".tmp" + (i == 0 ? std::string() : std::to_string(i));
        const int descriptor =
            ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (descriptor < 0) {
            const int cause = errno;
            struct stat named{};
            // Something is there that is not ours: another name does.
            if (::lstat(temporary.c_str(), &named) == 0) continue;
            errno = cause;
            return descriptor;
        }
        struct stat status{};
        if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_still_at(descriptor, temporary) &&
            ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
            ::ftruncate(descriptor, 0) == 0)
            return descriptor;
        ::close(descriptor);
    }
    errno = EBUSY;
    return -1;
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
    descriptor_ = open_temporary(path_, temporary_path_);
    if (descriptor_ < 0) fail(errno);
    unfinished_.note(temporary_path_);
}

AtomicFile::~AtomicFile() {
    if (descriptor_ < 0) return;
    ::unlink(temporary_path_.c_str());  // while the lock holds, so that it is ours
    ::close(descriptor_);
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
    // A second descriptor keeps the lock until the file has its name. Some file systems report a
    // full disk only when a descriptor is closed.
    const int lock = ::dup(descriptor_);
    const int closed = ::close(descriptor_);
    const int close_error = errno;
    descriptor_ = -1;
    const bool is_done = closed == 0 && std::rename(temporary_path_.c_str(), path_.c_str()) == 0;
    const int error_number = closed == 0 ? errno : close_error;
    if (!is_done) ::unlink(temporary_path_.c_str());
    unfinished_.forget();
    if (lock >= 0) ::close(lock);
    if (!is_done) fail(error_number);
}

void AtomicFile::fail(int error_number) const {
    throw Error(path_.string() +
                ": cannot write: " + std::generic_category().message(error_number));
}

void unlink_abandoned(const std::filesystem::path& path) {
    const std::string start = path.filename().string() + ".tmp";
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    std::vector<std::filesystem::path> found;
    std::error_code error;
    for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
        const std::string name = it->path().filename().string();
        const bool is_temporary =
            name.starts_with(start) &&
            name.find_first_not_of("0123456789", start.size()) == std::string::npos;
        if (is_temporary) found.push_back(it->path());
    }
    for (const std::filesystem::path& temporary : found) {
        const int descriptor =
            ::open(temporary.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (descriptor < 0) continue;
        struct stat status{};
        if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_still_at(descriptor, temporary) &&
            ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
            ::unlink(temporary.c_str());  // while the lock holds
        ::close(descriptor);
    }
}

}  // namespace graze::io

#include "io/file_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "io/unavailable_error.h"

namespace graze::io {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& cause) {
    throw UnavailableError(path.string() + ": cannot read: " + cause);
}
[[noreturn]] void fail(const std::filesystem::path& path, int error_number) {
    fail(path, std::generic_category().message(error_number));
}

// Returns the file's size; refuses what is not a regular file.
std::uint64_t size_of(int descriptor, const std::filesystem::path& path) {
    struct stat status{};
    if (::fstat(descriptor, &status) != 0) fail(path, errno);
    if (S_ISDIR(status.st_mode)) fail(path, "it is a folder");
    if (!S_ISREG(status.st_mode)) fail(path, "it is not a regular file");
    return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

FileSource::FileSource(const std::filesystem::path& path) : path_(path) {
    // Opening a pipe must not block: it is refused afterwards.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) fail(path, errno);
    try {
        size_ = size_of(descriptor_, path);
    } catch (...) {
        ::close(descriptor_);
        throw;
    }
}

FileSource::~FileSource() {
    ::close(descriptor_);
}

void FileSource::read(char* to, std::uint64_t count) {
    while (count > 0) {
        const ssize_t got = ::read(descriptor_, to, count);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail(path_, errno);
        if (got == 0) fail(path_, "it became shorter meanwhile");
        to += got;
        count -= static_cast<std::uint64_t>(got);
    }
}

}  // namespace graze::io

#include "io/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <string>
#include <system_error>

#include "graze/error.h"

namespace graze::io {
namespace {

class Descriptor {
public:
    explicit Descriptor(int value) : value_(value) {}
    ~Descriptor() {
        if (value_ >= 0) ::close(value_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return value_; }

private:
    int value_;
};

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& cause) {
    throw Error(path.string() + ": cannot read: " + cause);
}
[[noreturn]] void fail(const std::filesystem::path& path, int error_number) {
    fail(path, std::generic_category().message(error_number));
}

std::unique_ptr<char[]> allocate(const std::filesystem::path& path, std::size_t size) {
    try {
        return std::make_unique_for_overwrite<char[]>(size);
    } catch (const std::bad_alloc&) {
        fail(path, "its " + std::to_string(size) + " bytes do not fit into memory");
    }
}

}  // namespace

FileBytes read_file(const std::filesystem::path& path) {
    // Not blocking matters for pipes, which are then refused.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) fail(path, errno);
    struct stat status{};
    if (::fstat(file.get(), &status) != 0) fail(path, errno);
    if (S_ISDIR(status.st_mode)) fail(path, "it is a folder");
    if (!S_ISREG(status.st_mode)) fail(path, "it is not a regular file");
    const auto size = static_cast<std::size_t>(status.st_size);
    std::unique_ptr<char[]> bytes = allocate(path, size);
    for (std::size_t done = 0; done < size;) {
        const ssize_t got = ::read(file.get(), bytes.get() + done, size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail(path, errno);
        if (got == 0) fail(path, "it became shorter meanwhile");
        done += static_cast<std::size_t>(got);
    }
    return {std::move(bytes), size};
}

}  // namespace graze::io

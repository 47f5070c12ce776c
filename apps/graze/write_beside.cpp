#include "write_beside.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "graze/error.h"

namespace graze::app {

namespace {

struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void fail(const std::filesystem::path& path) {
    throw Error(path.string() + ": cannot write: " + std::strerror(errno));
}

}  // namespace

void write_beside(const std::filesystem::path& path,
                  const std::function<void(const WriteText& write)>& fill) {
    std::filesystem::path temporary = path;
    temporary += ".part" + std::to_string(getpid());
    try {
        std::unique_ptr<std::FILE, Closer> file(std::fopen(temporary.c_str(), "wb"));
        if (!file) fail(path);
        fill([&](std::string_view text) {
            if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) fail(path);
        });
        if (std::fflush(file.get()) != 0 || fsync(fileno(file.get())) != 0) fail(path);
        file.reset();
        if (std::rename(temporary.c_str(), path.c_str()) != 0) fail(path);
    } catch (...) {
        std::remove(temporary.c_str());
        throw;
    }
}

void write_beside(const std::filesystem::path& path, std::string_view text) {
    write_beside(path, [&](const WriteText& write) { write(text); });
}

}  // namespace graze::app

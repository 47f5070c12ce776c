#include "graze/write_file.h"

#include "io/atomic_file.h"
#include "io/buffered_sink.h"
#include "io/unfinished_files.h"

namespace graze {

void write_file(const std::filesystem::path& path, std::string_view bytes) {
    io::AtomicFile file(path);
    file.write(bytes);
    file.sync();
    file.commit();
}

void write_file(const std::filesystem::path& path,
                const std::function<void(const WriteBytes& write)>& fill) {
    io::AtomicFile file(path);
    io::BufferedSink sink(file);
    fill([&](std::string_view bytes) { sink.write(bytes); });
    sink.flush();
    file.sync();
    file.commit();
}

void remove_unfinished_files() noexcept {
    io::unlink_unfinished();
}

void remove_abandoned_files(const std::filesystem::path& path) {
    io::unlink_abandoned(path);
}

}  // namespace graze

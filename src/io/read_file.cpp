#include "io/read_file.h"

#include <new>
#include <string>

#include "graze/error.h"
#include "io/file_source.h"

namespace graze::io {

FileBytes read_file(const std::filesystem::path& path) {
    FileSource source(path);
    const auto size = static_cast<std::size_t>(source.size());
    std::unique_ptr<char[]> bytes;
    try {
        bytes = std::make_unique_for_overwrite<char[]>(size);
    } catch (const std::bad_alloc&) {
        throw Error(path.string() + ": cannot read: its " + std::to_string(size) +
                    " bytes do not fit into memory; give a smaller one");
    }
    source.read(bytes.get(), size);
    return {std::move(bytes), size};
}

}  // namespace graze::io

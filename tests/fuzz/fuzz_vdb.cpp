// Feeds arbitrary bytes to the check of .vdb files, and what passes to OpenVDB. Only graze::Error
// may come out of the first; what passes is no longer than what it was made from, and passes again.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "graze/error.h"
#include "graze/field_io.h"
#include "io/fields/vdb_archive.h"
#include "tests/fuzz/require.h"

namespace {

using graze::fuzz::require;

// One file for each process, which the next input overwrites.
std::filesystem::path scratch_file() {
    return std::filesystem::temp_directory_path() /
           ("graze_fuzz_" + std::to_string(::getpid()) + ".vdb");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    std::string archive;
    try {
        archive = graze::io::float_grid_archive(bytes, "fuzz");
    } catch (const graze::Error& error) {
        graze::fuzz::require_clear_message(error);
        return 0;
    }
    require(archive.size() <= size + 64);  // the grid gets another name
    require(graze::io::float_grid_archive(archive, "again") == archive);
    static const std::filesystem::path file = scratch_file();
    std::ofstream(file, std::ios::binary) << archive;
    try {
        graze::load_field(file);
    } catch (const graze::Error& error) {
        require(std::string_view(error.what()).starts_with(file.string()));
    }
    std::filesystem::remove(file);
    return 0;
}

// Feeds arbitrary bytes to the reader of .gfield, with and without looking at checksums, which no
// mutation would get right. Only graze::Error may come out; what is read must be a valid field and
// survive writing and reading again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "io/fields/gfield.h"
#include "tests/fuzz/require.h"
#include "tests/io/fields/sample_fields.h"
#include "tests/io/string_sink.h"

namespace {

// There is one thread: inputs are small, and the fuzzer follows what it does.
graze::CpuExecutor& executor() {
    static graze::CpuExecutor executor(1);
    return executor;
}

graze::io::GfieldContent read(std::string_view bytes, bool verify) {
    graze::io::MemorySource source(bytes);
    return graze::io::read_gfield(executor(), source, "fuzz", verify);
}

// Requires that a field is the same after it was written and read.
void check_round_trip(const graze::io::GfieldContent& content) {
    graze::testing::StringSink sink;
    graze::io::write_gfield(executor(), *content.field, content.extras, "written", sink);
    const graze::io::GfieldContent again = read(sink.content, true);
    graze::fuzz::require(graze::testing::same_bits(*again.field, *content.field));
}

void check(std::string_view bytes, bool verify) {
    graze::io::GfieldContent content;
    try {
        content = read(bytes, verify);
    } catch (const graze::Error& error) {
        graze::fuzz::require_clear_message(error);
        return;
    }
    check_round_trip(content);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    check(bytes, true);
    check(bytes, false);
    return 0;
}

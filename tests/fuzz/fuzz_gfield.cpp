// Feeds arbitrary bytes to the reader of .gfield, with and without looking at checksums, which no
// mutation would get right. Only graze::Error may come out; what is read must be a valid field and
// survive writing and reading again. Half of the mutations alter what is compressed, and compress
// it again, so that they reach the checks of the content.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "io/fields/gfield.h"
#include "io/fields/gfield_chunks.h"
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

// A file as its header and the bytes of its arrays, whatever they are.
struct Parts {
    graze::io::GfieldHeader header;
    std::array<std::string, graze::io::kGfieldSectionCount> sections;
};

// Returns nothing where the bytes are no file, or one too large to take apart again and again.
std::optional<Parts> take_apart(std::string_view bytes) {
    constexpr std::int64_t kMostBytes = 1 << 20;
    if (bytes.size() < graze::io::kGfieldHeaderBytes) return {};
    try {
        Parts parts;
        parts.header =
            graze::io::decode_header(bytes.substr(0, graze::io::kGfieldHeaderBytes), "fuzz", false);
        graze::io::MemorySource source(bytes);
        char head[graze::io::kGfieldHeaderBytes];
        source.read(head, sizeof head);
        graze::io::ChunkReader reader(executor(), source, sizeof head, "fuzz", parts.header.hash,
                                      false);
        const auto sections = graze::io::sections_of(parts.header);
        for (std::size_t i = 0; i < sections.size(); ++i) {
            if (sections[i].bytes > kMostBytes) return {};
            parts.sections[i].resize(static_cast<std::size_t>(sections[i].bytes));
            reader.read(sections[i], parts.sections[i].data());
        }
        return parts;
    } catch (const graze::Error&) {
        return {};
    }
}

// Checksums are right.
std::string put_together(Parts parts) {
    graze::testing::StringSink sink;
    sink.write(graze::io::encode_header(parts.header));
    graze::io::ChunkWriter writer(executor(), sink, parts.header.hash);
    const auto sections = graze::io::sections_of(parts.header);
    for (std::size_t i = 0; i < sections.size(); ++i)
        writer.write(sections[i], parts.sections[i].data());
    return sink.content;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t capacity);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t capacity, unsigned seed) {
    std::minstd_rand random(seed);
    std::optional<Parts> parts;
    if (random() % 2 == 0) parts = take_apart({reinterpret_cast<const char*>(data), size});
    if (!parts) return LLVMFuzzerMutate(data, size, capacity);
    std::string& section = parts->sections[random() % parts->sections.size()];
    if (!section.empty()) {
        // The size of an array follows from the header: what it grows or shrinks by is undone.
        const std::size_t length = section.size();
        LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(section.data()), length, length);
    }
    const std::string bytes = put_together(*std::move(parts));
    if (bytes.size() > capacity) return LLVMFuzzerMutate(data, size, capacity);
    std::memcpy(data, bytes.data(), bytes.size());
    return bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    check(bytes, true);
    check(bytes, false);
    return 0;
}

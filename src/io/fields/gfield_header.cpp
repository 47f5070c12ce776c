#include "io/fields/gfield_header.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "graze/error.h"
#include "io/append_bytes.h"
#include "io/fields/gfield_chunks.h"
#include "io/value_reader.h"

namespace graze::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are written as they lie in memory");

// No text file begins with these bytes, and a transfer that changes line ends spoils them.
constexpr char kMagic[8] = {'\x89', 'G', 'F', 'D', '\r', '\n', '\x1a', '\n'};
constexpr std::size_t kHashOffset = kGfieldHeaderBytes - 8;

// Reads a byte that says yes or no.
bool next_flag(ValueReader& reader, const char* what) {
    const auto value = reader.next<std::uint8_t>();
    if (value > 1) reader.fail(std::string(what) + " must be 0 or 1, not " + std::to_string(value));
    return value == 1;
}

void skip_zeros(ValueReader& reader, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        if (reader.next<char>() != 0) reader.fail("a reserved byte is not zero");
}

// Returns the version, and refuses what is not a file of this format and of a known one.
std::uint32_t read_identity(ValueReader& reader, std::string_view bytes) {
    if (!bytes.starts_with({kMagic, sizeof kMagic}))
        reader.fail_at(bytes.data(), "this is no .gfield file");
    reader.next<std::uint64_t>();
    const auto version = reader.next<std::uint32_t>();
    if (version < 1 || version > kGfieldVersion)
        reader.fail("version " + std::to_string(version) +
                    " of the format; this graze reads 1 to " + std::to_string(kGfieldVersion));
    if (bytes.size() < kGfieldHeaderBytes)
        reader.fail_at(bytes.data() + bytes.size(), "the file ends inside its header");
    if (reader.next<std::uint32_t>() != kGfieldHeaderBytes)
        reader.fail("the header has another size");
    return version;
}

SampledFieldLayout read_layout(ValueReader& reader, bool& is_surface_inside) {
    SampledFieldLayout layout;
    for (int axis = 0; axis < 3; ++axis)
        layout.grid.origin[axis] = reader.next<float>();
    layout.grid.spacing = reader.next<float>();
    for (std::int32_t& cells : layout.grid.cells)
        cells = reader.next<std::int32_t>();
    layout.order = next_flag(reader, "the order") ? FieldOrder::one : FieldOrder::zero;
    layout.is_sparse = next_flag(reader, "the mark of a sparse field");
    is_surface_inside = next_flag(reader, "the mark of a surface inside");
    layout.has_tree = next_flag(reader, "the mark of a tree");
    return layout;
}

}  // namespace

std::string encode_header(GfieldHeader& header) {
    std::string bytes(kMagic, sizeof kMagic);
    append_bytes(bytes, header.version());
    append_bytes(bytes, static_cast<std::uint32_t>(kGfieldHeaderBytes));
    const SampledFieldLayout& layout = header.layout;
    for (int axis = 0; axis < 3; ++axis)
        append_bytes(bytes, layout.grid.origin[axis]);
    append_bytes(bytes, layout.grid.spacing);
    for (const std::int32_t cells : layout.grid.cells)
        append_bytes(bytes, cells);
    append_bytes(bytes, static_cast<std::uint8_t>(layout.order == FieldOrder::one));
    append_bytes(bytes, static_cast<std::uint8_t>(layout.is_sparse));
    append_bytes(bytes, static_cast<std::uint8_t>(header.is_surface_inside));
    append_bytes(bytes, static_cast<std::uint8_t>(layout.has_tree));
    append_bytes(bytes, header.band);
    append_bytes(bytes, header.error);
    append_bytes(bytes, layout.brick_count);
    append_bytes(bytes, header.report_bytes);
    append_bytes(bytes, header.key.low);
    append_bytes(bytes, header.key.high);
    append_bytes(bytes, header.seam);
    bytes.resize(kHashOffset, '\0');
    header.hash = hash_bytes(bytes, 0);
    append_bytes(bytes, header.hash);
    return bytes;
}

GfieldHeader decode_header(std::string_view bytes, std::string_view name, bool verify_hash) {
    ValueReader reader(bytes, name, "its header");
    const std::uint32_t version = read_identity(reader, bytes);
    const char* hash_location = bytes.data() + kHashOffset;
    GfieldHeader header;
    header.hash = load<std::uint64_t, std::endian::little>(hash_location);
    if (verify_hash && header.hash != hash_bytes(bytes.substr(0, kHashOffset), 0))
        reader.fail_at(hash_location, "the header's checksum is wrong: the file was altered");
    header.layout = read_layout(reader, header.is_surface_inside);
    header.band = reader.next<float>();
    if (!(header.band >= 0) || !std::isfinite(header.band)) reader.fail("the band is no distance");
    header.error = reader.next<float>();
    if (!(header.error >= 0)) reader.fail("the error is no distance");
    header.layout.brick_count = reader.next<std::int64_t>();
    if (const std::string fault = fault_of(header.layout); !fault.empty()) reader.fail(fault);
    header.report_bytes = reader.next<std::int64_t>();
    if (header.report_bytes < 0 || header.report_bytes > kGfieldMaxReportBytes)
        reader.fail("a report of " + std::to_string(header.report_bytes) + " bytes; at most " +
                    std::to_string(kGfieldMaxReportBytes) + " are allowed");
    header.key.low = reader.next<std::uint64_t>();
    header.key.high = reader.next<std::uint64_t>();
    if (version == 1) {
        skip_zeros(reader, sizeof header.seam);
    } else {
        header.seam = reader.next<float>();
        if (!(header.seam > 0) || !std::isfinite(header.seam))
            reader.fail("the seam is no distance");
    }
    skip_zeros(reader, kHashOffset - 92);
    return header;
}

std::array<GfieldSection, kGfieldSectionCount> sections_of(const GfieldHeader& header) {
    const SampledFieldLayout& layout = header.layout;
    const SampleArraySizes sizes = array_sizes_of(layout);
    const std::int64_t row = layout.is_sparse ? kBrickSamples : layout.grid.samples(0);
    const ChunkLayout sample =
        layout.order == FieldOrder::zero ? ChunkLayout{4, 1, row} : ChunkLayout{2, 4, row};
    return {{{"the report", header.report_bytes, {1, 1, 0}},
             {"the table of bricks", layout.brick_count * 4, {4, 1, 0}},
             {"the coarse level", sizes.coarse * 4, {4, 1, block_count(layout.grid, 0) + 1}},
             {"the samples", sizes.samples * sample.element_bytes(), sample},
             {"the errors", sizes.errors * 4, {4, 1, 0}},
             {"the tree", sizes.tree_nodes * 4, {2, 2, 0}}}};
}

std::uint64_t least_file_size(const GfieldHeader& header) {
    std::uint64_t size = kGfieldHeaderBytes, bytes = 0;
    for (const GfieldSection& section : sections_of(header)) {
        size += least_size_of_chunks(section);
        bytes += static_cast<std::uint64_t>(section.bytes);
    }
    const std::uint64_t beyond = bytes > kGfieldFreeBytes ? bytes - kGfieldFreeBytes : 0;
    return std::max(size, beyond / kGfieldMostRatio);
}

}  // namespace graze::io

// GfieldHeader is what the first bytes of a .gfield file hold, from which the size of the rest
// follows. docs/formats/gfield.md describes the format byte for byte.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "io/content_hash.h"
#include "io/fields/chunk_filter.h"
#include "io/fields/sample_array_sizes.h"

namespace graze::io {

// Version 2 has a seam; without one files are of version 1, which older readers read.
constexpr std::uint32_t kGfieldVersion = 2;
constexpr std::size_t kGfieldHeaderBytes = 128;
// An array is compressed in independent chunks of this size.
constexpr std::int64_t kGfieldChunkBytes = std::int64_t{1} << 20;
// Arrays beyond the first of these may take so many times the file's size; zstd alone would let a
// forger have 32,768. Fields of a cube have 390 at 129^3 and 320 at 257^3. What zstd makes less of,
// as of the field of a plane, the writer compresses less (gfield_chunks.cpp).
constexpr std::uint64_t kGfieldFreeBytes = std::uint64_t{1} << 24, kGfieldMostRatio = 4096;
constexpr std::int64_t kGfieldMaxReportBytes = std::int64_t{1} << 20;

struct GfieldHeader {
    SampledFieldLayout layout;
    bool is_surface_inside = false;
    float band = 0;                 // [m]
    float error = 0;                // [m]
    float seam = 0;                 // [m] SampledField::seam
    std::int64_t report_bytes = 0;  // of the encoded FieldReport; 0 where there is none
    ContentKey key;                 // of what the field was made from
    std::uint32_t version() const { return seam > 0 ? 2 : 1; }
    // The hash of the header's bytes before it; it is the seed of every chunk's hash.
    std::uint64_t hash = 0;
};

// Returns the header's bytes with their hash, which is also set in the header.
std::string encode_header(GfieldHeader& header);
// bytes: the first kGfieldHeaderBytes of a file, or all where there are fewer. Throws Error, which
// begins with name, where they are no header of this version or one that no field can have.
GfieldHeader decode_header(std::string_view bytes, std::string_view name, bool verify_hash = true);

// A section is one array in the file.
struct GfieldSection {
    const char* name;
    std::int64_t bytes;
    ChunkLayout layout;

    std::int64_t chunk_count() const { return (bytes + kGfieldChunkBytes - 1) / kGfieldChunkBytes; }
};
enum GfieldSectionIndex {
    kReportSection,
    kBrickSection,
    kCoarseSection,
    kSampleSection,
    kErrorSection,
    kTreeSection,
    kGfieldSectionCount
};
// Returns the sections in their order in the file; those of 0 bytes have no chunk.
std::array<GfieldSection, kGfieldSectionCount> sections_of(const GfieldHeader& header);

// Returns the least size of a file with this header, whatever it holds.
std::uint64_t least_file_size(const GfieldHeader& header);

}  // namespace graze::io

// PlyHeader is what a PLY file says about itself, checked: the layout of its rows and their count.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "io/text_cursor.h"

namespace graze::io {

enum class PlyEncoding { ascii, binary_little_endian, binary_big_endian };

enum class PlyType : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

// Returns the bytes of one value in a binary file.
constexpr std::size_t size_of(PlyType type) {
    constexpr std::size_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
    return kSizes[static_cast<int>(type)];
}
constexpr bool is_integer(PlyType type) {
    return type < PlyType::float32;
}

// The role of a property is what it means to a mesh reader.
enum class PlyRole : std::uint8_t { skipped, x, y, z, indices };

struct PlyProperty {
    std::string_view name;
    PlyType type;        // of the value, or of each item of the list
    PlyType count_type;  // of a list's length
    bool is_list;
    PlyRole role;
};

enum class PlyElementKind : std::uint8_t { vertex, face, tristrips, other };

struct PlyElement {
    std::string_view name;
    PlyElementKind kind;
    std::uint64_t count;   // rows
    std::uint64_t stride;  // bytes of a binary row, with all lists empty
    bool has_list;
    std::vector<PlyProperty> properties;
    const char* location;  // in the file, on the element's line
};

struct PlyHeader {
    PlyEncoding encoding;
    std::vector<PlyElement> elements;  // in the order of their rows
    std::uint64_t vertex_count;
    std::size_t size;  // bytes, up to the first row

    const PlyElement& vertex() const;
};

using PlyCursor = TextCursor<TextRules{}>;

// Throws Error where the header is malformed, describes no mesh, or announces more rows than the
// bytes behind it can hold; the names in the result point into bytes.
PlyHeader parse_ply_header(std::string_view bytes, std::string_view name);

}  // namespace graze::io

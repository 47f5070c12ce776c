#include "io/meshes/ply_header.h"

#include <algorithm>
#include <optional>
#include <string>

#include "io/meshes/mesh_faults.h"

namespace graze::io {
namespace {

std::optional<PlyType> parse_type(std::string_view word) {
    struct Name {
        std::string_view word;
        PlyType type;
    };
    static constexpr Name kNames[] = {
        {"char", PlyType::int8},      {"uchar", PlyType::uint8},    {"short", PlyType::int16},
        {"ushort", PlyType::uint16},  {"int", PlyType::int32},      {"uint", PlyType::uint32},
        {"float", PlyType::float32},  {"double", PlyType::float64}, {"int8", PlyType::int8},
        {"uint8", PlyType::uint8},    {"int16", PlyType::int16},    {"uint16", PlyType::uint16},
        {"int32", PlyType::int32},    {"uint32", PlyType::uint32},  {"float32", PlyType::float32},
        {"float64", PlyType::float64}};
    for (const Name& name : kNames)
        if (name.word == word) return name.type;
    return std::nullopt;
}

PlyElementKind kind_of(std::string_view name) {
    if (name == "vertex") return PlyElementKind::vertex;
    if (name == "face") return PlyElementKind::face;
    if (name == "tristrips") return PlyElementKind::tristrips;
    return PlyElementKind::other;
}

PlyRole role_of(PlyElementKind element, std::string_view name) {
    switch (element) {
        case PlyElementKind::vertex:
            if (name == "x") return PlyRole::x;
            if (name == "y") return PlyRole::y;
            if (name == "z") return PlyRole::z;
            return PlyRole::skipped;
        case PlyElementKind::face:
        case PlyElementKind::tristrips:
            if (name == "vertex_indices" || name == "vertex_index") return PlyRole::indices;
            return PlyRole::skipped;
        case PlyElementKind::other:
            return PlyRole::skipped;
    }
    return PlyRole::skipped;
}

class PlyHeaderParser {
public:
    PlyHeaderParser(std::string_view bytes, std::string_view name) : cursor_(bytes, name) {}
    PlyHeader parse();

private:
    void parse_format();
    void parse_element();
    void parse_property();
    PlyType expect_type();
    std::string_view expect_name(const char* what);
    void check_property(const PlyElement& element, const PlyProperty& property,
                        const char* location);
    void check_roles() const;
    void check_counts() const;

    PlyCursor cursor_;
    PlyHeader header_{};
    bool has_format_ = false;
};

PlyHeader PlyHeaderParser::parse() {
    if (cursor_.word() != "ply") cursor_.fail("a PLY file starts with the line 'ply'");
    cursor_.expect_line_end("'ply'");
    for (;;) {
        const char* location = cursor_.at();
        if (cursor_.at_end()) cursor_.fail("the file ends inside its header, before 'end_header'");
        const std::string_view keyword = cursor_.word();
        if (keyword == "end_header") {
            // Nothing more is skipped: the next byte may belong to a binary row.
            cursor_.expect_line_end("'end_header'");
            break;
        }
        if (keyword == "format") {
            parse_format();
        } else if (keyword == "element") {
            parse_element();
        } else if (keyword == "property") {
            parse_property();
        } else if (keyword == "comment" || keyword == "obj_info") {
            cursor_.next_line();
            continue;
        } else if (!keyword.empty()) {
            cursor_.fail(location,
                         "unknown header statement " + quoted(keyword.data(), cursor_.end()));
        }
        cursor_.expect_line_end("the header statement");
    }
    header_.size = cursor_.offset();
    if (!has_format_) cursor_.fail("the header has no 'format' line");
    check_roles();
    check_counts();
    return std::move(header_);
}

void PlyHeaderParser::parse_format() {
    if (has_format_) cursor_.fail("the header has a second 'format' line");
    has_format_ = true;
    const std::string_view encoding = cursor_.word();
    if (encoding == "ascii")
        header_.encoding = PlyEncoding::ascii;
    else if (encoding == "binary_little_endian")
        header_.encoding = PlyEncoding::binary_little_endian;
    else if (encoding == "binary_big_endian")
        header_.encoding = PlyEncoding::binary_big_endian;
    else
        cursor_.fail(
            "unknown format; it is ascii, binary_little_endian or binary_big_endian, then 1.0");
    if (cursor_.word() != "1.0") cursor_.fail("unknown version of the format; only 1.0 exists");
}

void PlyHeaderParser::parse_element() {
    PlyElement element{};
    element.location = cursor_.at();
    element.name = expect_name("the element");
    element.kind = kind_of(element.name);
    const std::int64_t count = cursor_.integer("the element's number of rows");
    if (count < 0) cursor_.fail("the element's number of rows is negative");
    element.count = static_cast<std::uint64_t>(count);
    // Only the few elements that matter are compared, so that thousands of others take no time.
    if (element.kind != PlyElementKind::other)
        for (const PlyElement& other : header_.elements)
            if (other.kind == element.kind)
                cursor_.fail("a second element '" + std::string(element.name) + "'");
    if (element.kind == PlyElementKind::vertex) header_.vertex_count = element.count;
    header_.elements.push_back(std::move(element));
}

void PlyHeaderParser::parse_property() {
    const char* location = cursor_.at();
    if (header_.elements.empty()) cursor_.fail("a property before the first element");
    PlyElement& element = header_.elements.back();
    PlyProperty property{};
    cursor_.skip_blanks();
    const char* type_location = cursor_.at();
    property.is_list = cursor_.word() == "list";
    if (property.is_list) {
        property.count_type = expect_type();
        if (!is_integer(property.count_type)) cursor_.fail("a list's length must be an integer");
        property.type = expect_type();
    } else {
        const auto type =
            parse_type({type_location, static_cast<std::size_t>(cursor_.at() - type_location)});
        if (!type) cursor_.fail("unknown property type " + quoted(type_location, cursor_.end()));
        property.type = *type;
    }
    property.name = expect_name("the property");
    property.role = role_of(element.kind, property.name);
    check_property(element, property, location);
    element.has_list |= property.is_list;
    element.stride += size_of(property.is_list ? property.count_type : property.type);
    element.properties.push_back(property);
}

PlyType PlyHeaderParser::expect_type() {
    cursor_.skip_blanks();
    const char* location = cursor_.at();
    const auto type = parse_type(cursor_.word());
    if (!type) cursor_.fail(location, "unknown property type " + quoted(location, cursor_.end()));
    return *type;
}

std::string_view PlyHeaderParser::expect_name(const char* what) {
    const std::string_view name = cursor_.word();
    if (name.empty()) cursor_.fail(std::string(what) + " has no name");
    return name;
}

void PlyHeaderParser::check_property(const PlyElement& element, const PlyProperty& property,
                                     const char* location) {
    if (property.role == PlyRole::skipped) return;
    const std::string label = "property '" + std::string(property.name) + "'";
    for (const PlyProperty& other : element.properties)
        if (other.role == property.role) cursor_.fail(location, "a second " + label);
    const bool wants_list = property.role == PlyRole::indices;
    if (property.is_list != wants_list)
        cursor_.fail(location, label + (wants_list ? " must be a list" : " must not be a list"));
    if (wants_list && !is_integer(property.type))
        cursor_.fail(location, label + " must hold integers");
}

void PlyHeaderParser::check_roles() const {
    bool has_vertex = false;
    for (const PlyElement& element : header_.elements) {
        const auto lacks = [&](PlyRole role) {
            return std::none_of(element.properties.begin(), element.properties.end(),
                                [&](const PlyProperty& p) { return p.role == role; });
        };
        if (element.kind == PlyElementKind::vertex) {
            has_vertex = true;
            if (lacks(PlyRole::x) || lacks(PlyRole::y) || lacks(PlyRole::z))
                cursor_.fail(element.location, "element vertex needs the properties x, y and z");
        } else if (element.kind != PlyElementKind::other) {
            if (lacks(PlyRole::indices))
                cursor_.fail(element.location, "element " + std::string(element.name) +
                                                   " needs a property list vertex_indices");
        }
    }
    if (!has_vertex) cursor_.fail("the header has no element 'vertex'");
}

// Nothing is allocated for rows that the file has no bytes for.
void PlyHeaderParser::check_counts() const {
    const bool ascii = header_.encoding == PlyEncoding::ascii;
    // In ascii a value has a digit and a separator, which the very last value may lack.
    std::uint64_t left = cursor_.bytes_left() + (ascii ? 1 : 0);
    for (const PlyElement& element : header_.elements) {
        const std::uint64_t row_bytes = ascii ? 2 * element.properties.size() : element.stride;
        if (row_bytes == 0) continue;
        if (element.count > left / row_bytes)
            cursor_.fail(element.location, "element " + std::string(element.name) + " announces " +
                                               std::to_string(element.count) +
                                               " rows, but the file has room for " +
                                               std::to_string(left / row_bytes) +
                                               " at most: it is cut short or the number wrong");
        left -= element.count * row_bytes;
    }
    const PlyElement& vertex = header_.vertex();
    if (vertex.count > kMostVertices) cursor_.fail(vertex.location, kTooManyVertices);
}

}  // namespace

const PlyElement& PlyHeader::vertex() const {
    return *std::find_if(elements.begin(), elements.end(), [](const PlyElement& element) {
        return element.kind == PlyElementKind::vertex;
    });
}

PlyHeader parse_ply_header(std::string_view bytes, std::string_view name) {
    return PlyHeaderParser(bytes, name).parse();
}

}  // namespace graze::io

#include <algorithm>
#include <bit>
#include <cctype>
#include <string>
#include <vector>

#include "io/binary_cursor.h"
#include "io/meshes/face_list.h"
#include "io/meshes/ply_rows.h"

namespace graze::io {
namespace {

template <std::endian order>
double load_real(const char* p, PlyType type) {
    switch (type) {
        case PlyType::int8:
            return load<std::int8_t, order>(p);
        case PlyType::uint8:
            return load<std::uint8_t, order>(p);
        case PlyType::int16:
            return load<std::int16_t, order>(p);
        case PlyType::uint16:
            return load<std::uint16_t, order>(p);
        case PlyType::int32:
            return load<std::int32_t, order>(p);
        case PlyType::uint32:
            return load<std::uint32_t, order>(p);
        case PlyType::float32:
            return static_cast<double>(load<float, order>(p));
        case PlyType::float64:
            return load<double, order>(p);
    }
    return 0;
}

// The header admits only integer types for lengths and indices.
template <std::endian order>
std::int64_t load_integer(const char* p, PlyType type) {
    return static_cast<std::int64_t>(load_real<order>(p, type));
}

template <class T, std::endian order>
class PlyBinaryReader {
public:
    PlyBinaryReader(std::string_view bytes, std::string_view name, const PlyHeader& header)
        : header_(header), cursor_(bytes, name, header.size) {}
    MeshT<T> read(PolygonCut cut);

private:
    void read_vertices(const PlyElement& element);
    template <class V>
    void read_fixed_vertices(const PlyElement& element, std::size_t first_offset);
    void read_vertex(const PlyElement& element);
    void read_faces(const PlyElement& element);
    std::uint64_t read_triangles(const PlyProperty& property, std::uint64_t most);
    void read_face(const PlyElement& element);
    void read_corners(const PlyProperty& property, bool strips);
    void skip_rows(const PlyElement& element);
    void skip_property(const PlyProperty& property);
    std::uint64_t read_length(const PlyProperty& property);
    void add_vertex(const Vec3T<T>& position, const char* location);

    const PlyHeader& header_;
    BinaryCursor cursor_;
    std::vector<Vec3T<T>> positions_;
    FaceList faces_;
    std::vector<std::uint32_t> corners_;  // of the face or strip at hand
};

template <class T, std::endian order>
MeshT<T> PlyBinaryReader<T, order>::read(PolygonCut cut) {
    for (const PlyElement& element : header_.elements) {
        if (element.kind == PlyElementKind::vertex)
            read_vertices(element);
        else if (element.kind == PlyElementKind::other)
            skip_rows(element);
        else
            read_faces(element);
    }
    // Some programs end even binary files with a newline.
    const std::string_view rest(cursor_.at(), cursor_.bytes_left());
    if (!std::all_of(rest.begin(), rest.end(), [](unsigned char c) { return std::isspace(c); }))
        cursor_.fail(std::to_string(rest.size()) + " bytes behind the last row");
    return faces_.take_mesh(std::move(positions_), cut, cursor_);
}

// True where x, y and z are of this type, follow each other and lie in rows of one size, as in
// nearly all files; offset is then that of x in its row.
bool find_packed_position(const PlyElement& element, PlyType type, std::size_t& offset) {
    if (element.has_list) return false;
    offset = 0;
    for (std::size_t i = 0; i + 2 < element.properties.size(); ++i) {
        const PlyProperty* p = &element.properties[i];
        if (p[0].role == PlyRole::x)
            return p[1].role == PlyRole::y && p[2].role == PlyRole::z && p[0].type == type &&
                   p[1].type == type && p[2].type == type;
        offset += size_of(p->type);
    }
    return false;
}

template <class T, std::endian order>
void PlyBinaryReader<T, order>::read_vertices(const PlyElement& element) {
    positions_.reserve(element.count);
    std::size_t offset = 0;
    if (find_packed_position(element, PlyType::float32, offset))
        return read_fixed_vertices<float>(element, offset);
    if (find_packed_position(element, PlyType::float64, offset))
        return read_fixed_vertices<double>(element, offset);
    for (std::uint64_t row = 0; row < element.count; ++row)
        read_vertex(element);
}

template <class T, std::endian order>
template <class V>
void PlyBinaryReader<T, order>::read_fixed_vertices(const PlyElement& element,
                                                    std::size_t first_offset) {
    const char* row = cursor_.take(element.count * element.stride, "the vertices") + first_offset;
    for (std::uint64_t i = 0; i < element.count; ++i, row += element.stride) {
        const Vec3T<V> stored{load<V, order>(row), load<V, order>(row + sizeof(V)),
                              load<V, order>(row + 2 * sizeof(V))};
        add_vertex(Vec3T<T>(stored), row);
    }
}

template <class T, std::endian order>
void PlyBinaryReader<T, order>::read_vertex(const PlyElement& element) {
    const char* location = cursor_.at();
    Vec3T<T> position{};
    for (const PlyProperty& property : element.properties) {
        if (property.role == PlyRole::skipped) {
            skip_property(property);
            continue;
        }
        const char* p = cursor_.take(size_of(property.type), "a vertex");
        const int axis = static_cast<int>(property.role) - static_cast<int>(PlyRole::x);
        position[axis] = static_cast<T>(load_real<order>(p, property.type));
    }
    add_vertex(position, location);
}

template <class T, std::endian order>
void PlyBinaryReader<T, order>::add_vertex(const Vec3T<T>& position, const char* location) {
    if (!is_finite(position)) [[unlikely]]
        cursor_.fail(location,
                     "vertex " + std::to_string(positions_.size()) +
                         " has a coordinate that is not finite in the precision asked for");
    positions_.push_back(position);
}

template <class T, std::endian order>
void PlyBinaryReader<T, order>::read_faces(const PlyElement& element) {
    // Each face has three indices besides the stride, which bounds what is worth reserving.
    const std::uint64_t fits = cursor_.bytes_left() / (element.stride + 3);
    if (element.kind == PlyElementKind::face) faces_.reserve(std::min(element.count, fits));
    const PlyProperty& first = element.properties[0];
    const bool plain = element.properties.size() == 1 && element.kind == PlyElementKind::face &&
                       size_of(first.count_type) == 1 && size_of(first.type) == 4;
    for (std::uint64_t row = 0; row < element.count; ++row) {
        if (plain) row += read_triangles(first, element.count - row);
        if (row < element.count) read_face(element);
    }
}

// Reads a run of triangles in the usual layout, one byte and three 32-bit indices, and returns its
// length. It stops before any row that is something else or wrong, which read_face then takes or
// refuses.
template <class T, std::endian order>
std::uint64_t PlyBinaryReader<T, order>::read_triangles(const PlyProperty& property,
                                                        std::uint64_t most) {
    constexpr std::size_t kRowBytes = 13;
    most = std::min<std::uint64_t>(most, cursor_.bytes_left() / kRowBytes);
    if (!faces_.has_room(most)) return 0;
    // Negative indices, seen as unsigned, lie beyond the largest signed one.
    constexpr std::uint64_t kSignedLimit = std::uint64_t{1} << 31;
    const std::uint64_t limit = property.type == PlyType::int32
                                    ? std::min(header_.vertex_count, kSignedLimit)
                                    : header_.vertex_count;
    const char* row = cursor_.at();
    std::uint64_t i = 0;
    for (; i < most; ++i, row += kRowBytes) {
        const auto a = load<std::uint32_t, order>(row + 1);
        const auto b = load<std::uint32_t, order>(row + 5);
        const auto c = load<std::uint32_t, order>(row + 9);
        if (*row != 3 || std::max({a, b, c}) >= limit) break;
        faces_.add_triangle(a, b, c);
    }
    cursor_.take(i * kRowBytes, "the faces");
    return i;
}

template <class T, std::endian order>
void PlyBinaryReader<T, order>::read_face(const PlyElement& element) {
    const bool strips = element.kind == PlyElementKind::tristrips;
    for (const PlyProperty& property : element.properties) {
        if (property.role == PlyRole::indices)
            read_corners(property, strips);
        else
            skip_property(property);
    }
}

template <class T, std::endian order>
void PlyBinaryReader<T, order>::read_corners(const PlyProperty& property, bool strips) {
    const char* location = cursor_.at();
    const std::uint64_t corner_count = read_length(property);
    if (corner_count < 3 && !strips)
        cursor_.fail(location, too_few_corners(static_cast<std::int64_t>(corner_count)));
    const std::size_t size = size_of(property.type);
    const char* p = cursor_.take(corner_count * size, "a face");
    corners_.clear();
    for (std::uint64_t i = 0; i < corner_count; ++i, p += size) {
        const std::int64_t index = load_integer<order>(p, property.type);
        const bool valid = index >= 0 && static_cast<std::uint64_t>(index) < header_.vertex_count;
        if (!valid && !(strips && index == -1))
            cursor_.fail(p, no_such_vertex(index, header_.vertex_count));
        corners_.push_back(static_cast<std::uint32_t>(index));  // -1 becomes kStripEnd
    }
    if (!faces_.has_room(corners_.size())) cursor_.fail(location, kTooManyTriangles);
    if (strips)
        faces_.add_strips(corners_);
    else
        faces_.add_polygon(corners_, location);
}

template <class T, std::endian order>
void PlyBinaryReader<T, order>::skip_rows(const PlyElement& element) {
    // The header's count was checked against the file's size, so neither product overflows.
    if (!element.has_list) {
        if (element.stride > 0) cursor_.take(element.count * element.stride, "an element's rows");
        return;
    }
    for (std::uint64_t row = 0; row < element.count; ++row)
        for (const PlyProperty& property : element.properties)
            skip_property(property);
}

template <class T, std::endian order>
void PlyBinaryReader<T, order>::skip_property(const PlyProperty& property) {
    const std::uint64_t item_count = property.is_list ? read_length(property) : 1;
    cursor_.take(item_count * size_of(property.type), "a row");
}

template <class T, std::endian order>
std::uint64_t PlyBinaryReader<T, order>::read_length(const PlyProperty& property) {
    const char* p = cursor_.take(size_of(property.count_type), "a list's length");
    const std::int64_t length = load_integer<order>(p, property.count_type);
    if (length < 0) cursor_.fail(p, "a list's length is negative");
    return static_cast<std::uint64_t>(length);
}

}  // namespace

template <class T>
MeshT<T> read_ply_binary(std::string_view bytes, std::string_view name, const PlyHeader& header,
                         PolygonCut cut) {
    if (header.encoding == PlyEncoding::binary_little_endian)
        return PlyBinaryReader<T, std::endian::little>(bytes, name, header).read(cut);
    return PlyBinaryReader<T, std::endian::big>(bytes, name, header).read(cut);
}

template Mesh read_ply_binary<float>(std::string_view, std::string_view, const PlyHeader&,
                                     PolygonCut);
template MeshD read_ply_binary<double>(std::string_view, std::string_view, const PlyHeader&,
                                       PolygonCut);

}  // namespace graze::io

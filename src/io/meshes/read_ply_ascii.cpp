#include <algorithm>
#include <string>
#include <vector>

#include "io/meshes/face_list.h"
#include "io/meshes/ply_rows.h"

namespace graze::io {
namespace {

// One row is one line; empty lines between rows are allowed.
template <class T>
class PlyAsciiReader {
public:
    PlyAsciiReader(std::string_view bytes, std::string_view name, const PlyHeader& header)
        : header_(header), cursor_(bytes, name, header.size) {}
    MeshT<T> read(PolygonCut cut);

private:
    void read_element(const PlyElement& element);
    void read_vertex(const PlyElement& element);
    void read_face(const PlyElement& element);
    void read_corners(bool strips);
    void skip_property(const PlyProperty& property);
    std::int64_t read_length();
    void skip_value();

    const PlyHeader& header_;
    PlyCursor cursor_;
    std::vector<Vec3T<T>> positions_;
    FaceList faces_;
    std::vector<std::uint32_t> corners_;  // of the face or strip at hand
};

template <class T>
MeshT<T> PlyAsciiReader<T>::read(PolygonCut cut) {
    for (const PlyElement& element : header_.elements)
        read_element(element);
    cursor_.skip_empty_lines();
    if (!cursor_.at_end()) cursor_.fail("unexpected " + cursor_.found() + " behind the last row");
    return faces_.take_mesh(std::move(positions_), cut, cursor_);
}

template <class T>
void PlyAsciiReader<T>::read_element(const PlyElement& element) {
    // Rows without properties take no bytes, however many are announced.
    if (element.properties.empty()) return;
    if (element.kind == PlyElementKind::vertex) positions_.reserve(element.count);
    // "3 0 0 0\n" is the shortest face.
    if (element.kind == PlyElementKind::face)
        faces_.reserve(std::min<std::uint64_t>(element.count, cursor_.bytes_left() / 8 + 1));
    for (std::uint64_t row = 0; row < element.count; ++row) {
        cursor_.skip_empty_lines();
        if (cursor_.at_end())
            cursor_.fail("the file ends after " + std::to_string(row) + " of " +
                         std::to_string(element.count) + " rows of element " +
                         std::string(element.name));
        if (element.kind == PlyElementKind::vertex) {
            read_vertex(element);
        } else if (element.kind == PlyElementKind::other) {
            for (const PlyProperty& property : element.properties)
                skip_property(property);
        } else {
            read_face(element);
        }
        cursor_.expect_line_end("the row's last value");
    }
}

template <class T>
void PlyAsciiReader<T>::read_vertex(const PlyElement& element) {
    Vec3T<T> position{};
    for (const PlyProperty& property : element.properties) {
        switch (property.role) {
            case PlyRole::x:
                position.x = cursor_.template real<T>("the x coordinate");
                break;
            case PlyRole::y:
                position.y = cursor_.template real<T>("the y coordinate");
                break;
            case PlyRole::z:
                position.z = cursor_.template real<T>("the z coordinate");
                break;
            default:
                skip_property(property);
        }
    }
    positions_.push_back(position);
}

template <class T>
void PlyAsciiReader<T>::read_face(const PlyElement& element) {
    const bool strips = element.kind == PlyElementKind::tristrips;
    for (const PlyProperty& property : element.properties) {
        if (property.role == PlyRole::indices)
            read_corners(strips);
        else
            skip_property(property);
    }
}

template <class T>
void PlyAsciiReader<T>::read_corners(bool strips) {
    const char* location = cursor_.at();
    const std::int64_t corner_count = read_length();
    if (corner_count < 3 && !strips) cursor_.fail(location, too_few_corners(corner_count));
    corners_.clear();
    for (std::int64_t i = 0; i < corner_count; ++i) {
        const std::int64_t index = cursor_.integer("a face's vertex");
        const bool valid = index >= 0 && static_cast<std::uint64_t>(index) < header_.vertex_count;
        if (!valid && !(strips && index == -1))
            cursor_.fail(no_such_vertex(index, header_.vertex_count));
        corners_.push_back(static_cast<std::uint32_t>(index));  // -1 becomes kStripEnd
    }
    if (!faces_.has_room(corners_.size())) cursor_.fail(location, kTooManyTriangles);
    if (strips)
        faces_.add_strips(corners_);
    else
        faces_.add_polygon(corners_, location);
}

template <class T>
void PlyAsciiReader<T>::skip_property(const PlyProperty& property) {
    if (!property.is_list) return skip_value();
    const std::int64_t length = read_length();
    for (std::int64_t i = 0; i < length; ++i)
        skip_value();
}

template <class T>
std::int64_t PlyAsciiReader<T>::read_length() {
    const std::int64_t length = cursor_.integer("a list's length");
    if (length < 0) cursor_.fail("a list's length is negative");
    return length;
}

template <class T>
void PlyAsciiReader<T>::skip_value() {
    if (cursor_.word().empty())
        cursor_.fail("the row has fewer values than the header's properties");
}

}  // namespace

template <class T>
MeshT<T> read_ply_ascii(std::string_view bytes, std::string_view name, const PlyHeader& header,
                        PolygonCut cut) {
    return PlyAsciiReader<T>(bytes, name, header).read(cut);
}

template Mesh read_ply_ascii<float>(std::string_view, std::string_view, const PlyHeader&,
                                    PolygonCut);
template MeshD read_ply_ascii<double>(std::string_view, std::string_view, const PlyHeader&,
                                      PolygonCut);

}  // namespace graze::io

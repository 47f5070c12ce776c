// read_off reads ascii files of the Object File Format: OFF with the optional prefixes ST, C and N,
// whose numbers are skipped.
#include <cctype>
#include <string>
#include <vector>

#include "io/meshes/face_list.h"
#include "io/meshes/mesh_readers.h"
#include "io/meshes/read_position.h"

namespace graze::io {
namespace {

template <class T>
class OffReader {
public:
    OffReader(std::string_view bytes, std::string_view name) : cursor_(bytes, name) {}
    MeshT<T> read(PolygonCut cut);

private:
    void read_header();
    void read_prefix(std::string_view prefix);
    void read_counts();
    std::uint64_t read_count(const char* what);
    void read_vertices();
    void read_faces();
    void read_face();
    void start_row(const char* what, std::uint64_t row, std::uint64_t count);

    TextCursor<TextRules{.comments = true}> cursor_;
    std::uint64_t vertex_count_ = 0;
    std::uint64_t face_count_ = 0;
    bool has_attributes_ = false;  // further numbers follow a vertex's coordinates
    std::vector<Vec3T<T>> positions_;
    FaceList faces_;
    std::vector<std::uint32_t> corners_;  // of the face at hand
};

template <class T>
MeshT<T> OffReader<T>::read(PolygonCut cut) {
    read_header();
    read_counts();
    read_vertices();
    read_faces();
    cursor_.skip_empty_lines();
    if (!cursor_.at_end()) cursor_.fail("unexpected " + cursor_.found() + " behind the last face");
    return faces_.take_mesh(std::move(positions_), cut, cursor_);
}

// The word OFF may be missing, and the counts may follow it without a blank.
template <class T>
void OffReader<T>::read_header() {
    cursor_.skip_empty_lines();
    const char* first = cursor_.at();
    while (std::isalpha(static_cast<unsigned char>(cursor_.peek())) ||
           (cursor_.peek() == '4' && cursor_.at() + 1 != cursor_.end() && cursor_.at()[1] == 'O'))
        cursor_.advance();
    const std::string_view keyword(first, static_cast<std::size_t>(cursor_.at() - first));
    if (keyword.empty()) return;
    if (!keyword.ends_with("OFF"))
        cursor_.fail(first, "expected OFF at the start, found " + quoted(first, cursor_.end()));
    read_prefix(keyword.substr(0, keyword.size() - 3));
    if (cursor_.at_line_end()) return;
    if (cursor_.peek() == 'B')
        cursor_.fail("binary OFF is not supported; save the mesh as ascii OFF or binary PLY");
}

template <class T>
void OffReader<T>::read_prefix(std::string_view prefix) {
    for (const std::string_view known : {"ST", "C", "N"}) {
        if (!prefix.starts_with(known)) continue;
        has_attributes_ = true;
        prefix.remove_prefix(known.size());
    }
    if (!prefix.empty())
        cursor_.fail("'" + std::string(prefix.substr(0, 8)) +
                     "OFF' is not supported; save the mesh as OFF with three coordinates a vertex");
}

template <class T>
void OffReader<T>::read_counts() {
    cursor_.skip_empty_lines();
    const char* location = cursor_.at();
    vertex_count_ = read_count("the number of vertices");
    face_count_ = read_count("the number of faces");
    if (!cursor_.at_line_end()) read_count("the number of edges");
    cursor_.expect_line_end("the counts");
    // "0 0 0\n" and "3 0 0 0\n" are the shortest rows; the last may lack its newline.
    constexpr std::uint64_t kVertexBytes = 6, kFaceBytes = 8;
    const std::uint64_t left = cursor_.bytes_left() + 1;
    if (vertex_count_ > left / kVertexBytes ||
        face_count_ > (left - vertex_count_ * kVertexBytes) / kFaceBytes)
        cursor_.fail(location, "the file announces " + std::to_string(vertex_count_) +
                                   " vertices and " + std::to_string(face_count_) +
                                   " faces, more than its size can hold");
    if (vertex_count_ > kMostVertices) cursor_.fail(location, kTooManyVertices);
}

template <class T>
std::uint64_t OffReader<T>::read_count(const char* what) {
    const std::int64_t count = cursor_.integer(what);
    if (count < 0) cursor_.fail(std::string(what) + " is negative");
    return static_cast<std::uint64_t>(count);
}

template <class T>
void OffReader<T>::start_row(const char* what, std::uint64_t row, std::uint64_t count) {
    cursor_.skip_empty_lines();
    if (cursor_.at_end())
        cursor_.fail("the file ends after " + std::to_string(row) + " of " + std::to_string(count) +
                     " " + what);
}

template <class T>
void OffReader<T>::read_vertices() {
    positions_.reserve(vertex_count_);
    for (std::uint64_t row = 0; row < vertex_count_; ++row) {
        start_row("vertices", row, vertex_count_);
        positions_.push_back(read_position<T>(cursor_));
        if (has_attributes_)
            cursor_.next_line();
        else
            cursor_.expect_line_end("a vertex's three coordinates");
    }
}

template <class T>
void OffReader<T>::read_faces() {
    faces_.reserve(face_count_);
    for (std::uint64_t row = 0; row < face_count_; ++row) {
        start_row("faces", row, face_count_);
        read_face();
        cursor_.next_line();  // a colour may follow
    }
}

template <class T>
void OffReader<T>::read_face() {
    const char* location = cursor_.at();
    const std::int64_t corner_count = cursor_.integer("a face's number of corners");
    if (corner_count < 3) cursor_.fail(location, too_few_corners(corner_count));
    corners_.clear();
    for (std::int64_t i = 0; i < corner_count; ++i) {
        cursor_.skip_blanks();
        const char* corner_location = cursor_.at();
        const std::int64_t index = cursor_.integer("a face's vertex");
        if (index < 0 || index >= static_cast<std::int64_t>(vertex_count_))
            cursor_.fail(corner_location, no_such_vertex(index, vertex_count_));
        corners_.push_back(static_cast<std::uint32_t>(index));
    }
    if (!faces_.has_room(corners_.size() - 2)) cursor_.fail(location, kTooManyTriangles);
    faces_.add_polygon(corners_, location);
}

}  // namespace

template <class T>
MeshT<T> read_off(std::string_view bytes, std::string_view name, PolygonCut cut) {
    return OffReader<T>(bytes, name).read(cut);
}

template Mesh read_off<float>(std::string_view, std::string_view, PolygonCut);
template MeshD read_off<double>(std::string_view, std::string_view, PolygonCut);

}  // namespace graze::io

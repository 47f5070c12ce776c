// read_obj reads the statements v and f of a Wavefront OBJ file; all others are skipped.
#include <string>
#include <vector>

#include "io/meshes/face_list.h"
#include "io/meshes/mesh_readers.h"
#include "io/meshes/read_position.h"

namespace graze::io {
namespace {

template <class T>
class ObjReader {
public:
    ObjReader(std::string_view bytes, std::string_view name) : cursor_(bytes, name) {}
    MeshT<T> read(PolygonCut cut);

private:
    void read_statement();
    void read_vertex();
    void read_face();
    void read_corner();
    std::uint32_t resolve(std::int64_t index, const char* location);
    void skip_attribute_indices();

    TextCursor<TextRules{.comments = true, .continuations = true}> cursor_;
    std::vector<Vec3T<T>> positions_;
    FaceList faces_;
    std::vector<std::uint32_t> corners_;  // of the face at hand
    const char* other_statement_ = nullptr;
    // Faces may name vertices that follow, so the largest index waits for the end of the file.
    std::int64_t largest_index_ = 0;
    const char* largest_index_location_ = nullptr;
};

template <class T>
MeshT<T> ObjReader<T>::read(PolygonCut cut) {
    for (;;) {
        cursor_.skip_empty_lines();
        if (cursor_.at_end()) break;
        read_statement();
    }
    if (largest_index_ > static_cast<std::int64_t>(positions_.size()))
        cursor_.fail(largest_index_location_,
                     "face names vertex " + vertex_in_words(largest_index_) +
                         ", but the file has " + std::to_string(positions_.size()));
    if (positions_.empty() && other_statement_)
        cursor_.fail(other_statement_,
                     "no vertex (v) statement in the file: it is not an OBJ mesh");
    return faces_.take_mesh(std::move(positions_), cut, cursor_);
}

template <class T>
void ObjReader<T>::read_statement() {
    const char* location = cursor_.at();
    const char first = cursor_.peek();
    if (first == 'v' || first == 'f') {
        // The line is not empty, so a word is here; only words of one letter matter.
        if (cursor_.word().size() == 1) return first == 'v' ? read_vertex() : read_face();
    }
    if (!other_statement_) other_statement_ = location;
    cursor_.next_line();
}

template <class T>
void ObjReader<T>::read_vertex() {
    if (positions_.size() >= kMostVertices) cursor_.fail(kTooManyVertices);
    positions_.push_back(read_position<T>(cursor_));
    cursor_.next_line();  // a weight or a colour may follow
}

template <class T>
void ObjReader<T>::read_face() {
    const char* location = cursor_.at();
    corners_.clear();
    while (!cursor_.at_line_end())
        read_corner();
    cursor_.next_line();
    if (corners_.size() < 3)
        cursor_.fail(location, too_few_corners(static_cast<std::int64_t>(corners_.size())));
    if (!faces_.has_room(corners_.size() - 2)) cursor_.fail(location, kTooManyTriangles);
    if (corners_.size() == 3)
        faces_.add_triangle(corners_[0], corners_[1], corners_[2]);
    else
        faces_.add_polygon(corners_, location);
}

// A corner is i, i/t, i//n or i/t/n.
template <class T>
void ObjReader<T>::read_corner() {
    const char* location = cursor_.at();
    const std::int64_t index = cursor_.integer_prefix("a face's vertex");
    corners_.push_back(resolve(index, location));
    if (cursor_.peek() == '/') skip_attribute_indices();
    if (!cursor_.at_token_end())
        cursor_.fail(location, "expected a face corner like 7, 7/1, 7//1 or 7/1/1, found " +
                                   quoted(location, cursor_.end()));
}

template <class T>
void ObjReader<T>::skip_attribute_indices() {
    cursor_.advance();
    const bool has_texture = cursor_.peek() != '/';
    if (has_texture && !cursor_.at_token_end()) cursor_.integer_prefix("a face's texture vertex");
    if (cursor_.peek() != '/') return;
    cursor_.advance();
    if (!cursor_.at_token_end()) cursor_.integer_prefix("a face's normal");
}

// Indices count from 1, or from the end backwards where they are negative.
template <class T>
std::uint32_t ObjReader<T>::resolve(std::int64_t index, const char* location) {
    const auto count = static_cast<std::int64_t>(positions_.size());
    if (index == 0) cursor_.fail(location, "face names vertex 0; OBJ counts from 1");
    if (index < -count)
        cursor_.fail(location, "face names vertex " + vertex_in_words(index) + ", but only " +
                                   std::to_string(count) + " come before it");
    if (index > largest_index_) {
        largest_index_ = index;
        largest_index_location_ = location;
    }
    return static_cast<std::uint32_t>(index > 0 ? index - 1 : count + index);
}

}  // namespace

template <class T>
MeshT<T> read_obj(std::string_view bytes, std::string_view name, PolygonCut cut) {
    return ObjReader<T>(bytes, name).read(cut);
}

template Mesh read_obj<float>(std::string_view, std::string_view, PolygonCut);
template MeshD read_obj<double>(std::string_view, std::string_view, PolygonCut);

}  // namespace graze::io

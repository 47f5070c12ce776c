// read_stl reads STL, ascii or binary: loose triangles, whose equal corners are welded.
#include <bit>
#include <cctype>
#include <string>
#include <vector>

#include "io/binary_cursor.h"
#include "io/meshes/mesh_faults.h"
#include "io/meshes/mesh_readers.h"
#include "io/meshes/read_position.h"
#include "io/meshes/vertex_welder.h"
#include "io/text_lines.h"

namespace graze::io {
namespace {

constexpr std::size_t kHeaderBytes = 84;  // 80 of free text and the number of facets
constexpr std::size_t kFacetBytes = 50;   // normal, three corners, two bytes of attributes

bool equals_ignoring_case(std::string_view word, std::string_view lower) {
    if (word.size() != lower.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i)
        if (std::tolower(static_cast<unsigned char>(word[i])) != lower[i]) return false;
    return true;
}

using StlCursor = TextCursor<TextRules{}>;

// Binary files may begin with "solid" as well, so their exact size is asked first. A NUL byte tells
// a damaged binary file from text.
bool is_binary(std::string_view bytes, std::string_view name) {
    if (bytes.size() >= kHeaderBytes) {
        const auto count = load<std::uint32_t, std::endian::little>(bytes.data() + 80);
        if (bytes.size() == kHeaderBytes + kFacetBytes * std::uint64_t{count}) return true;
    }
    StlCursor cursor(bytes, name);
    cursor.skip_empty_lines();
    if (equals_ignoring_case(cursor.word(), "solid") &&
        bytes.substr(0, 1024).find('\0') == std::string_view::npos)
        return false;
    if (bytes.size() >= kHeaderBytes) return true;
    throw Error(std::string(name) +
                ": byte 0: neither ascii STL, which starts with 'solid', nor binary STL, which has "
                "at least 84 bytes");
}

template <class T>
MeshT<T> read_stl_binary(std::string_view bytes, std::string_view name) {
    BinaryCursor cursor(bytes, name, 80);
    const auto count = load<std::uint32_t, std::endian::little>(cursor.take(4, "the header"));
    const std::uint64_t expected = kHeaderBytes + kFacetBytes * std::uint64_t{count};
    if (bytes.size() != expected)
        cursor.fail(bytes.data() + 80, "binary STL announces " + std::to_string(count) +
                                           " facets, which take " + std::to_string(expected) +
                                           " bytes, but the file has " +
                                           std::to_string(bytes.size()));
    if (count > kMostTriangles) cursor.fail(kTooManyTriangles);
    VertexWelder<T> welder;
    MeshT<T> mesh;
    mesh.triangles.resize(count);
    for (Triangle& triangle : mesh.triangles) {
        const char* facet = cursor.take(kFacetBytes, "a facet");
        for (int corner = 0; corner < 3; ++corner) {
            const char* p = facet + 12 * (corner + 1);
            const auto coordinate = [&](int axis) {
                return static_cast<T>(load<float, std::endian::little>(p + 4 * axis));
            };
            const Vec3T<T> position{coordinate(0), coordinate(1), coordinate(2)};
            if (!is_finite(position)) cursor.fail(p, "a coordinate is not a finite number");
            if (welder.vertex_count() >= kMostVertices) cursor.fail(p, kTooManyVertices);
            triangle.v[corner] = welder.add(position);
        }
    }
    mesh.positions = welder.take();
    return mesh;
}

template <class T>
class StlAsciiReader {
public:
    StlAsciiReader(std::string_view bytes, std::string_view name) : cursor_(bytes, name) {}
    MeshT<T> read();

private:
    void expect(std::string_view keyword);
    void read_facet();

    StlCursor cursor_;
    VertexWelder<T> welder_;
    MeshT<T> mesh_;
};

template <class T>
void StlAsciiReader<T>::expect(std::string_view keyword) {
    cursor_.skip_empty_lines();
    const char* location = cursor_.at();
    if (!equals_ignoring_case(cursor_.word(), keyword))
        cursor_.fail(location, "expected '" + std::string(keyword) + "', found " +
                                   quoted(location, cursor_.end()));
}

template <class T>
MeshT<T> StlAsciiReader<T>::read() {
    do {
        expect("solid");
        cursor_.next_line();  // the solid's name
        for (;;) {
            cursor_.skip_empty_lines();
            const char* location = cursor_.at();
            const std::string_view word = cursor_.word();
            if (equals_ignoring_case(word, "endsolid")) break;
            if (!equals_ignoring_case(word, "facet"))
                cursor_.fail(location, "expected 'facet' or 'endsolid', found " +
                                           quoted(location, cursor_.end()));
            read_facet();
        }
        cursor_.next_line();  // the solid's name again
        cursor_.skip_empty_lines();
    } while (!cursor_.at_end());
    mesh_.positions = welder_.take();
    return std::move(mesh_);
}

template <class T>
void StlAsciiReader<T>::read_facet() {
    if (mesh_.triangles.size() >= kMostTriangles) cursor_.fail(kTooManyTriangles);
    expect("normal");
    cursor_.next_line();  // the normal follows from the corners, and is often wrong
    expect("outer");
    expect("loop");
    Triangle triangle{};
    for (std::uint32_t& corner : triangle.v) {
        expect("vertex");
        if (welder_.vertex_count() >= kMostVertices) cursor_.fail(kTooManyVertices);
        const Vec3T<T> position = read_position<T>(cursor_);
        cursor_.expect_line_end("a vertex's three coordinates");
        corner = welder_.add(position);
    }
    expect("endloop");
    expect("endfacet");
    mesh_.triangles.push_back(triangle);
}

}  // namespace

template <class T>
MeshT<T> read_stl(std::string_view bytes, std::string_view name) {
    if (is_binary(bytes, name)) return read_stl_binary<T>(bytes, name);
    std::string room;
    return StlAsciiReader<T>(with_newlines(bytes, room), name).read();
}

template Mesh read_stl<float>(std::string_view, std::string_view);
template MeshD read_stl<double>(std::string_view, std::string_view);

}  // namespace graze::io

// read_ply reads PLY, the Stanford triangle format, whose header decides which rows follow and how
// they are stored.
#include "io/meshes/mesh_readers.h"
#include "io/meshes/ply_rows.h"
#include "io/text_lines.h"

namespace graze::io {

namespace {

// True where the header's lines end in carriage returns alone and what follows it is text.
bool is_text_of_returns(std::string_view bytes) {
    if (!bytes.starts_with("ply\r") || bytes.starts_with("ply\r\n")) return false;
    const std::string_view header = bytes.substr(0, bytes.find("\rend_header"));
    return header.find("\rformat ascii") != std::string_view::npos;
}

}  // namespace

template <class T>
MeshT<T> read_ply(std::string_view bytes, std::string_view name, PolygonCut cut) {
    std::string room;
    if (is_text_of_returns(bytes)) bytes = with_newlines(bytes, room);
    const PlyHeader header = parse_ply_header(bytes, name);
    return header.encoding == PlyEncoding::ascii ? read_ply_ascii<T>(bytes, name, header, cut)
                                                 : read_ply_binary<T>(bytes, name, header, cut);
}

template Mesh read_ply<float>(std::string_view, std::string_view, PolygonCut);
template MeshD read_ply<double>(std::string_view, std::string_view, PolygonCut);

}  // namespace graze::io

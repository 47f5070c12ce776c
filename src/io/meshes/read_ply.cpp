// read_ply reads PLY, the Stanford triangle format, whose header decides which rows follow and how
// they are stored.
#include "io/meshes/mesh_readers.h"
#include "io/meshes/ply_rows.h"

namespace graze::io {

template <class T>
MeshT<T> read_ply(std::string_view bytes, std::string_view name, PolygonCut cut) {
    const PlyHeader header = parse_ply_header(bytes, name);
    return header.encoding == PlyEncoding::ascii ? read_ply_ascii<T>(bytes, name, header, cut)
                                                 : read_ply_binary<T>(bytes, name, header, cut);
}

template Mesh read_ply<float>(std::string_view, std::string_view, PolygonCut);
template MeshD read_ply<double>(std::string_view, std::string_view, PolygonCut);

}  // namespace graze::io

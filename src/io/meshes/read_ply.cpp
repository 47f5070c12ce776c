// PLY, the Stanford triangle format: the header decides which rows follow and how they are stored.
#include <string>

#include "io/meshes/mesh_readers.h"
#include "io/meshes/ply_rows.h"

namespace graze::io {

std::string corner_count_error(std::int64_t corner_count) {
    return "face with " + std::to_string(corner_count) + " corners; it needs at least 3";
}
std::string index_error(std::int64_t index, std::uint64_t vertex_count) {
    return "face names vertex " + std::to_string(index) + ", but the file has " +
           std::to_string(vertex_count) + ", counted from 0";
}

template <class T>
MeshT<T> read_ply(std::string_view bytes, std::string_view name) {
    const PlyHeader header = parse_ply_header(bytes, name);
    return header.encoding == PlyEncoding::ascii ? read_ply_ascii<T>(bytes, name, header)
                                                 : read_ply_binary<T>(bytes, name, header);
}

template Mesh read_ply<float>(std::string_view, std::string_view);
template MeshD read_ply<double>(std::string_view, std::string_view);

}  // namespace graze::io

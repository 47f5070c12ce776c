// The rows behind a PLY header, in text or in binary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "graze/mesh.h"
#include "io/meshes/ply_header.h"

namespace graze::io {

// The causes that both encodings name.
std::string corner_count_error(std::int64_t corner_count);
std::string index_error(std::int64_t index, std::uint64_t vertex_count);

template <class T>
MeshT<T> read_ply_ascii(std::string_view bytes, std::string_view name, const PlyHeader& header);
template <class T>
MeshT<T> read_ply_binary(std::string_view bytes, std::string_view name, const PlyHeader& header);

}  // namespace graze::io

// The readers of the rows behind a PLY header, in text or in binary.
#pragma once

#include <string_view>

#include "graze/mesh_io.h"
#include "io/meshes/ply_header.h"

namespace graze::io {

template <class T>
MeshT<T> read_ply_ascii(std::string_view bytes, std::string_view name, const PlyHeader& header,
                        PolygonCut cut);
template <class T>
MeshT<T> read_ply_binary(std::string_view bytes, std::string_view name, const PlyHeader& header,
                         PolygonCut cut);

}  // namespace graze::io

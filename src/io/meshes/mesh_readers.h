// The readers of all mesh formats. They throw Error with the name, the line or byte, and the cause.
//
// Their memory depends on what a file holds, never on what it announces: once or twice its size for
// usual files, and below forty times for hostile ones (polygons of thousands of one-byte indices).
#pragma once

#include <string_view>

#include "graze/mesh_io.h"

namespace graze::io {

template <class T>
MeshT<T> read_obj(std::string_view bytes, std::string_view name, PolygonCut cut);
template <class T>
MeshT<T> read_ply(std::string_view bytes, std::string_view name, PolygonCut cut);
template <class T>
MeshT<T> read_stl(std::string_view bytes, std::string_view name);
template <class T>
MeshT<T> read_off(std::string_view bytes, std::string_view name, PolygonCut cut);

}  // namespace graze::io

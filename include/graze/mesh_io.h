// Functions that read and write triangle meshes: OBJ, PLY, STL and OFF.
//
// Readers are strict. A malformed, truncated or oversized file, a coordinate that is not a number,
// an index that names no vertex: each throws an Error with the file, the line or byte, and the
// cause. Polygons are triangulated; STL corners with equal coordinates become one vertex. Normals,
// texture coordinates, materials and other properties are skipped.
#pragma once

#include <filesystem>
#include <string_view>

#include "graze/mesh.h"

namespace graze {

enum class MeshFormat { obj, ply, stl, off };

// Returns the format that the file name's extension says; throws Error for an unknown one.
MeshFormat mesh_format(const std::filesystem::path& path);

// How polygons become triangles.
enum class PolygonCut {
    by_shape,  // so that concave and bent ones keep their area, which depends on the positions
    as_fans,   // from the first corner, whatever the positions: alike in all frames of one mesh
};

// Returns the mesh in a file; the extension tells the format. Coordinates are rounded to float; one
// that is too large for it is an Error.
Mesh load_mesh(const std::filesystem::path& path);
// Returns the same with every digit that the file holds.
MeshD load_mesh_double(const std::filesystem::path& path,
                       PolygonCut polygon_cut = PolygonCut::by_shape);

// Returns the mesh in a block of memory; name stands in error messages where a path would.
Mesh read_mesh(std::string_view bytes, MeshFormat format, std::string_view name);
MeshD read_mesh_double(std::string_view bytes, MeshFormat format, std::string_view name);

enum class MeshEncoding {
    ascii,
    binary_little_endian,
    binary_big_endian,  // PLY only
};

// Writes the mesh so that reading it gives the same numbers back (STL apart: it holds floats and no
// indices). The extension tells the format. The file appears whole or not at all: it is written
// beside and renamed. Encodings other than ascii exist for PLY and STL.
void save_mesh(const Mesh& mesh, const std::filesystem::path& path,
               MeshEncoding encoding = MeshEncoding::ascii);
void save_mesh(const MeshD& mesh, const std::filesystem::path& path,
               MeshEncoding encoding = MeshEncoding::ascii);

}  // namespace graze

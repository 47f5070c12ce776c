// write_mesh writes all mesh formats. The mesh must be valid (see validate()).
#pragma once

#include <string_view>

#include "graze/mesh.h"
#include "graze/mesh_io.h"
#include "io/byte_sink.h"

namespace graze::io {

// Throws Error where the format does not have the encoding, or a coordinate exceeds the floats of
// binary STL; name stands in the message where a path would.
template <class T>
void write_mesh(const MeshT<T>& mesh, MeshFormat format, MeshEncoding encoding,
                std::string_view name, ByteSink& sink);

}  // namespace graze::io

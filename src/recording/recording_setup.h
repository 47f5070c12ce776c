// The chunks of a recording before its first frame: the setup as JSON, and a mesh for each shape.
#pragma once

#include <string>
#include <string_view>

#include "graze/recording.h"

namespace graze::recording {

// The meshes are not in it. Names that are not UTF-8 have their wrong bytes replaced.
std::string encode_setup(const RecordingSetup& setup);
// Its meshes are empty. Throws Error, whose message says only what is wrong, also where bodies
// deform and the file's version has none that do.
RecordingSetup decode_setup(std::string_view raw, std::uint32_t version);

std::string encode_mesh(const Mesh& mesh);
// Throws Error likewise; the mesh is valid (mesh.h).
Mesh decode_mesh(std::string_view raw);

// Throws Error where the setup is none that a recording can have: a shape that is not there, a
// broken mesh, a frame time that is no time, too many vertices that move by themselves.
void check(const RecordingSetup& setup);

}  // namespace graze::recording

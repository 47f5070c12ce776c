// read_generated: meshes that a scene file describes by their generator.
#pragma once

#include <functional>
#include <string>

#include "graze/mesh.h"
#include "simulation/json_cursor.h"

namespace graze {

struct GeneratedMesh {
    std::string kind;  // "bolt"
    std::function<Mesh()> make;
};

// Reads {"bolt": {...}}. Everything is checked now but what only making the mesh tells;
// detail_limit is the largest number of segments and the like.
GeneratedMesh read_generated(const JsonCursor& at, int detail_limit);

}  // namespace graze

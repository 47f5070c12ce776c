// Meshes that a scene file has generated.
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

// {"bolt": {...}}. Everything is checked now but what only making it tells; detail_limit is the
// largest number of segments and the like.
GeneratedMesh read_generated(const JsonCursor& at, int detail_limit);

}  // namespace graze

// orient_parts: turns parts of a mesh around that face inwards.
//
// Which way is in, each part says by itself: a closed one by the sign of its volume. One that faces
// inwards is the wall of a cavity where it lies wholly in a solid, and is left. Elsewhere it can
// bound nothing, and is turned around, together with all that lies in it: so a hollow ball that is
// inside out, both of its walls, becomes a hollow ball.
#pragma once

#include "geometry/mesh_parts.h"

namespace graze {

struct PartOrientations {
    std::int64_t turned_count = 0;
    std::int64_t inward_count = 0;  // open ones that seem to face inwards and are left
};

// Turns triangles of the mesh, and the parts with them.
PartOrientations orient_parts(CpuExecutor& executor, MeshParts& parts, Mesh& mesh);

}  // namespace graze

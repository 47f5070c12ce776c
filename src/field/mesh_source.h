// MeshSource: a mesh made ready for fields to be built from it, on one machine.
#pragma once

#include "field/nearest_triangle.h"
#include "geometry/wide_bvh.h"
#include "geometry/winding_number.h"

namespace graze {

struct MeshSource {
    explicit MeshSource(Memory& memory)
        : positions(memory),
          triangles(memory),
          bvh(memory),
          prepared(memory),
          wide(memory),
          winding(memory) {}

    Buffer<Vec3> positions;
    Buffer<Triangle> triangles;
    TriangleBvh bvh;
    Buffer<PreparedTriangle> prepared;  // by slot of bvh
    WideBvh wide;                       // on the host only
    WindingTree winding;                // only where asked for
};

// Copies the mesh to the executor's machine and builds all but the winding tree. The mesh must be
// valid and have triangles.
template <class Executor>
void prepare_mesh(Executor& executor, const Mesh& mesh, MeshSource& source);

}  // namespace graze

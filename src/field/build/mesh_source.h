// MeshSource: a mesh made ready for fields to be built from it, on one machine.
#pragma once

#include "field/build/nearest_triangle.h"
#include "geometry/bvh/wide_bvh.h"
#include "geometry/bvh/winding_number.h"

namespace graze {

// The PreparedTriangle::sag_sq of the triangles of a TrianglePacket.
struct alignas(32) PacketSags {
    float sag_sq[kWideBvhWidth];  // [m^2]
};

struct MeshSource {
    explicit MeshSource(Memory& memory)
        : positions(memory),
          triangles(memory),
          bvh(memory),
          prepared(memory),
          wide(memory),
          sags(memory),
          winding(memory) {}

    Buffer<Vec3> positions;
    Buffer<Triangle> triangles;
    TriangleBvh bvh;
    Buffer<PreparedTriangle> prepared;  // by slot of bvh
    WideBvh wide;                       // on the host only
    Buffer<PacketSags> sags;            // by packet of wide
    WindingTree winding;                // empty unless sides are told by winding number
};

// Copies the mesh to the executor's machine and builds all but the winding tree. The mesh must be
// valid and have triangles.
template <class Executor>
void prepare_mesh(Executor& executor, const Mesh& mesh, MeshSource& source);

}  // namespace graze

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
          whole(memory),
          winding(memory),
          caps(memory),
          cap_winding(memory) {}

    Buffer<Vec3> positions;
    Buffer<Triangle> triangles;  // what tells sides: the mesh, its caps, and slivers beside those
    TriangleBvh bvh;             // of those that distances are measured to
    Buffer<PreparedTriangle> prepared;  // by slot of bvh
    WideBvh wide;                       // on the host only
    Buffer<PacketSags> sags;            // by packet of wide
    // These are empty unless sides are told by winding number.
    TriangleBvh whole;    // of the mesh, where distances are measured to less
    WindingTree winding;  // of whole, or of bvh where that is empty
    TriangleBvh caps;
    WindingTree cap_winding;
};

// Copies the mesh to the executor's machine and builds all but what is for winding numbers. The
// mesh must be valid and have triangles.
template <class Executor>
void prepare_mesh(Executor& executor, const Mesh& mesh, MeshSource& source);
// Adds what is for winding numbers to a source that the mesh, or a part of its surface, is prepared
// in.
template <class Executor>
void prepare_winding(Executor& executor, const Mesh& mesh, bool is_part, MeshSource& source);

}  // namespace graze

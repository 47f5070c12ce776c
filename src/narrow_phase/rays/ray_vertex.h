// The vertices and triangles of a mesh as Method::rays has them.
#pragma once

#include <cstdint>

#include "graze/vec3.h"

namespace graze {

// A vertex that casts rays: one against its normal, into its own body, and one along it.
struct alignas(16) RayVertex {
    Vec3 position;  // [m]
    // [m] How far the ray against the normal goes until it leaves the body, and how far the one
    // along it goes until it enters the body again; infinite where it never does.
    float inner_reach;
    Vec3 normal;  // unit, outward
    float outer_reach;
};
static_assert(sizeof(RayVertex) == 32);

// A triangle and what is on the other side of each of its sides, in three 16-byte loads.
struct alignas(16) WalkTriangle {
    Vec3 corners[3];  // [m]
    // By the side from that corner to the next; kNoIndex at a boundary. Around an edge of more than
    // two triangles they form a ring (topology.h).
    std::uint32_t neighbours[3];
};
static_assert(sizeof(WalkTriangle) == 48);

// So many vertices are left out at once where their box is outside of what is looked at.
inline constexpr std::int64_t kRayBlockVertices = 32;

}  // namespace graze

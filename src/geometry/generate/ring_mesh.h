// Meshes that are built ring by ring, as by a lathe or along a path.
//
// A ring is a closed loop of vertices, counter-clockwise about the direction in which the rings
// follow each other; then the faces between two of them look outwards.
#pragma once

#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "graze/mesh.h"

namespace graze {

using Ring = std::vector<std::uint32_t>;  // indices of vertices

inline std::uint32_t add_vertex(Mesh& mesh, const Vec3d& position) {
    mesh.positions.push_back(static_cast<Vec3>(position));
    return static_cast<std::uint32_t>(mesh.positions.size() - 1);
}

// Adds the vertices of a ring; position_of(side) gives the position of each.
template <class PositionOf>
Ring add_ring(Mesh& mesh, int sides, const PositionOf& position_of) {
    Ring ring;
    ring.reserve(static_cast<std::size_t>(sides));
    for (int side = 0; side < sides; ++side)
        ring.push_back(add_vertex(mesh, position_of(side)));
    return ring;
}

// Adds the faces from one ring to the next.
inline void join_rings(Mesh& mesh, const Ring& from, const Ring& to) {
    for (std::size_t i = 0, size = from.size(); i < size; ++i) {
        const std::size_t next = (i + 1) % size;
        mesh.triangles.push_back({from[i], from[next], to[next]});
        mesh.triangles.push_back({from[i], to[next], to[i]});
    }
}

// Joins all rings in their order and, where they form a loop, the last with the first.
inline void join_rings(Mesh& mesh, const std::vector<Ring>& rings, bool is_loop) {
    for (std::size_t i = 0; i + 1 < rings.size(); ++i)
        join_rings(mesh, rings[i], rings[i + 1]);
    if (is_loop) join_rings(mesh, rings.back(), rings.front());
}

// These add the fan that closes the first ring, and the one that closes the last.
inline void close_start(Mesh& mesh, const Ring& ring, const Vec3d& centre) {
    const std::uint32_t tip = add_vertex(mesh, centre);
    for (std::size_t i = 0; i < ring.size(); ++i)
        mesh.triangles.push_back({tip, ring[(i + 1) % ring.size()], ring[i]});
}
inline void close_end(Mesh& mesh, const Ring& ring, const Vec3d& centre) {
    const std::uint32_t tip = add_vertex(mesh, centre);
    for (std::size_t i = 0; i < ring.size(); ++i)
        mesh.triangles.push_back({tip, ring[i], ring[(i + 1) % ring.size()]});
}

// Returns the fraction index / count of a whole turn [rad].
inline double turn_angle(int index, int count) {
    return 2 * std::numbers::pi * index / count;
}

// Returns the point at a radius and an angle [rad] around the z axis.
inline Vec3d on_circle(double radius, double angle, double z) {
    return {radius * std::cos(angle), radius * std::sin(angle), z};
}

}  // namespace graze

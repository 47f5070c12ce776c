// Mesh: a triangle mesh as plain arrays. Nothing about it is assumed; inspect() tells what it is.
#pragma once

#include <cstdint>
#include <vector>

#include "graze/aabb.h"

namespace graze {

// The three vertex indices of a face, counter-clockwise seen from outside.
struct Triangle {
    std::uint32_t v[3];

    GRAZE_INLINE constexpr std::uint32_t operator[](int corner) const { return v[corner]; }
    GRAZE_INLINE constexpr bool operator==(const Triangle& o) const {
        return v[0] == o.v[0] && v[1] == o.v[1] && v[2] == o.v[2];
    }
};

// An undirected edge between two vertices; v[0] < v[1] where it is one of a Topology.
struct Edge {
    std::uint32_t v[2];

    GRAZE_INLINE constexpr std::uint32_t operator[](int end) const { return v[end]; }
    GRAZE_INLINE constexpr bool operator==(const Edge& o) const {
        return v[0] == o.v[0] && v[1] == o.v[1];
    }
};

template <class T>
struct MeshT {
    std::vector<Vec3T<T>> positions;  // [m]
    std::vector<Triangle> triangles;  // indices into positions
};

using Mesh = MeshT<float>;
using MeshD = MeshT<double>;

// Throws Error where a triangle names a vertex that is not there or a coordinate is not a number.
template <class T>
void validate(const MeshT<T>& mesh);

// The box of all vertices; empty for a mesh without any.
template <class T>
AabbT<T> bounds(const MeshT<T>& mesh);

}  // namespace graze

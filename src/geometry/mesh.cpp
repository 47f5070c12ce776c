#include "graze/mesh.h"

#include <algorithm>
#include <limits>
#include <string>

#include "geometry/box_of_points.h"
#include "graze/error.h"

namespace graze {

template <class T>
void validate(const MeshT<T>& mesh) {
    const std::size_t vertex_count = mesh.positions.size();
    if (vertex_count > std::numeric_limits<std::uint32_t>::max())
        throw Error("the mesh has " + std::to_string(vertex_count) +
                    " vertices, more than 32-bit indices can name; split it");
    if (mesh.triangles.size() > std::size_t{std::numeric_limits<std::int32_t>::max()})
        throw Error("the mesh has " + std::to_string(mesh.triangles.size()) +
                    " triangles; at most 2^31 - 1 are allowed; split it");
    for (std::size_t i = 0; i < vertex_count; ++i)
        if (!is_finite(mesh.positions[i]))
            throw Error("vertex " + std::to_string(i) +
                        " has a coordinate that is not a finite number; remove or repair it");
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
        const Triangle& triangle = mesh.triangles[i];
        const std::uint32_t largest = std::max({triangle[0], triangle[1], triangle[2]});
        if (largest >= vertex_count)
            throw Error("triangle " + std::to_string(i) + " names vertex " +
                        std::to_string(largest) + ", but the mesh has " +
                        std::to_string(vertex_count) + ", counted from 0");
    }
}

template <class T>
AabbT<T> bounds(const MeshT<T>& mesh) {
    return box_of_points(mesh.positions);
}

template void validate<float>(const Mesh&);
template void validate<double>(const MeshD&);
template Aabb bounds<float>(const Mesh&);
template Aabbd bounds<double>(const MeshD&);

}  // namespace graze

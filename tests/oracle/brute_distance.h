// The signed distance of a point to a mesh by its definition, from all triangles, in double. A
// point is inside where the winding number is above 1/2.
#pragma once

#include "geometry/bvh/winding_number.h"
#include "graze/mesh.h"
#include "tests/oracle/closest_brute.h"

namespace graze::oracle {

inline double winding_number(const Mesh& mesh, const Vec3& point) {
    double sum = 0;
    for (const Triangle& t : mesh.triangles) {
        sum += winding_of_triangle(point, mesh.positions[t[0]], mesh.positions[t[1]],
                                   mesh.positions[t[2]]);
    }
    return sum;
}

inline double unsigned_distance(const Mesh& mesh, const Vec3& point) {
    const auto p = static_cast<Vec3d>(point);
    double best = 1e300;
    for (const Triangle& t : mesh.triangles) {
        best = std::min(best, point_triangle_sq(p, static_cast<Vec3d>(mesh.positions[t[0]]),
                                                static_cast<Vec3d>(mesh.positions[t[1]]),
                                                static_cast<Vec3d>(mesh.positions[t[2]])));
    }
    return std::sqrt(best);
}

inline double signed_distance(const Mesh& mesh, const Vec3& point) {
    const double distance = unsigned_distance(mesh, point);
    return winding_number(mesh, point) > 0.5 ? -distance : distance;
}

}  // namespace graze::oracle

// extrude_tube: a circle that is moved along a path, straight between its points, leaves the rings
// of tubes and pipes.
//
// At a corner the ring lies in the plane that halves the angle. Mirroring at that plane takes the
// segment before the corner to the one after it, so each segment is a prism over the same regular
// polygon, and nothing twists more than the path makes it.
#pragma once

#include <cmath>
#include <vector>

#include "geometry/generate/ring_mesh.h"

namespace graze {

// By side: the vector from a point of the path to the ring of a circle of radius 1 m there [m].
using RingOffsets = std::vector<Vec3d>;

inline Vec3d mirrored(const Vec3d& v, const Vec3d& unit_normal) {
    return v - unit_normal * (2 * dot(v, unit_normal));
}

// Returns one ring for each of the path's points. No two neighbours among these may have the same
// position, and the path must not turn back on itself.
inline std::vector<RingOffsets> extrude_tube(const std::vector<Vec3d>& path, int sides) {
    const auto direction = [&](std::size_t i) { return normalized(path[i + 1] - path[i]); };
    // Any direction across the first segment will do; the axis that is farthest from it is a safe
    // start.
    Vec3d tangent = direction(0);
    const Vec3d size{std::fabs(tangent.x), std::fabs(tangent.y), std::fabs(tangent.z)};
    const Vec3d axis = size.x <= size.y && size.x <= size.z ? Vec3d{1, 0, 0}
                       : size.y <= size.z                   ? Vec3d{0, 1, 0}
                                                            : Vec3d{0, 0, 1};
    const Vec3d first = normalized(cross(tangent, axis)), second = cross(tangent, first);
    RingOffsets across;
    for (int side = 0; side < sides; ++side) {
        const double angle = turn_angle(side, sides);
        across.push_back(first * std::cos(angle) + second * std::sin(angle));
    }

    std::vector<RingOffsets> rings{across};
    for (std::size_t i = 1; i + 1 < path.size(); ++i) {
        const Vec3d plane = normalized(tangent + direction(i));
        RingOffsets ring;
        for (Vec3d& v : across) {
            ring.push_back(v - tangent * (dot(v, plane) / dot(tangent, plane)));
            v = mirrored(v, plane);
        }
        rings.push_back(std::move(ring));
        tangent = direction(i);
    }
    rings.push_back(std::move(across));
    return rings;
}

}  // namespace graze

// distance_cylinder: the distance to a cylinder along z around the origin, which is a rectangle in
// the half plane (see profile.h).
#pragma once

#include "field/formulas/profile.h"

namespace graze {

GRAZE_INLINE FieldValue distance_cylinder(const Vec3& point, float radius, float half_height) {
    const ProfilePoint at = profile_point(point);
    const float side = at.height < 0 ? -1.0f : 1.0f;
    const float beyond_wall = at.radius - radius;
    const float beyond_cap = at.height * side - half_height;
    if (beyond_wall > 0 && beyond_cap > 0) {
        const LengthDirection from_rim = length_direction({beyond_wall, beyond_cap, 0}, {0, 0, 0});
        return revolve(at, from_rim.length, from_rim.direction.x, from_rim.direction.y * side);
    }
    if (beyond_wall >= beyond_cap) return revolve(at, beyond_wall, 1, 0);
    return revolve(at, beyond_cap, 0, side);
}

}  // namespace graze

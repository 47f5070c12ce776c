// distance_torus: the distance to a torus around z, which in the half plane (see profile.h) is the
// disc of tube_radius around (ring_radius, 0). Where the tube is thicker than the ring the disc is
// cut by the axis, and the part of its circle beyond the axis is no surface: points whose closest
// point would be there are closest to where the circle crosses the axis, at height tip or -tip.
#pragma once

#include "field/formulas/profile.h"

namespace graze {

struct Torus {
    float ring_radius, tube_radius;  // [m]
    float tip;  // [m] sqrt(tube^2 - ring^2) where the tube is thicker than the ring, else 0
};

GRAZE_INLINE FieldValue distance_torus(const Vec3& point, const Torus& torus) {
    const ProfilePoint at = profile_point(point);
    const float from_ring = at.radius - torus.ring_radius;
    const LengthDirection off = length_direction({from_ring, at.height, 0}, {1, 0, 0});
    const float distance = off.length - torus.tube_radius;
    // This holds where the radius of the closest point of the circle is below zero.
    if (torus.tip > 0 && distance < 0 &&
        torus.ring_radius + off.direction.x * torus.tube_radius < 0) {
        const float side = at.height < 0 ? -1.0f : 1.0f;
        const LengthDirection to_tip =
            length_direction({-at.radius, torus.tip - at.height * side, 0}, {0, 1, 0});
        return revolve(at, -to_tip.length, to_tip.direction.x, to_tip.direction.y * side);
    }
    return revolve(at, distance, off.direction.x, off.direction.y);
}

}  // namespace graze

// ProfilePoint: a point in the half plane of radius and height, in which solids around the z axis
// (cylinder, cone, torus) are flat shapes. The closest point of such a solid lies in the same half
// plane as the query: turning it there about the axis brings it nearer. So distances are found in
// the half plane and gradients turned back.
#pragma once

#include "field/formulas/length_direction.h"
#include "graze/field.h"

namespace graze {

struct ProfilePoint {
    float radius, height;  // [m] from the axis; along it
    Vec3 outward;          // unit, away from the axis; x where the point is on it
};

GRAZE_INLINE ProfilePoint profile_point(const Vec3& point) {
    const LengthDirection across = length_direction({point.x, point.y, 0}, {1, 0, 0});
    return {across.length, point.z, across.direction};
}

// Returns a distance with its gradient, which is given along radius and height.
GRAZE_INLINE FieldValue revolve(const ProfilePoint& at, float distance, float along_radius,
                                float along_height) {
    return {distance, {at.outward.x * along_radius, at.outward.y * along_radius, along_height}};
}

}  // namespace graze

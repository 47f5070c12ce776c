// distance_cone: the distance to a cone along z with its base at height 0. In the half plane (see
// profile.h) it is the triangle of axis, base and slope. With its mirror image it is convex, so
// inside, the closest point is on the nearer of the two lines, and outside it is on the base, on
// the slope, at the rim or at the tip.
#pragma once

#include "field/formulas/profile.h"

namespace graze {

struct Cone {
    float radius, height;              // [m] of the base; of the tip
    float slope_radius, slope_height;  // the outward unit normal of the slope
    float slope_length;                // [m] from the rim to the tip
};

GRAZE_INLINE FieldValue distance_cone(const Vec3& point, const Cone& cone) {
    const ProfilePoint at = profile_point(point);
    const float from_rim = at.radius - cone.radius;
    // These are the coordinates across the slope, and along it from the rim up.
    const float across = from_rim * cone.slope_radius + at.height * cone.slope_height;
    const float along = at.height * cone.slope_radius - from_rim * cone.slope_height;
    // The last two conditions follow from the others unless the cone is flat or a needle.
    const bool is_inside =
        across <= 0 && at.height >= 0 && from_rim <= 0 && at.height <= cone.height;
    if (is_inside && -at.height > across) return revolve(at, -at.height, 0, -1);
    if (at.height < 0 && from_rim <= 0) return revolve(at, -at.height, 0, -1);
    if (is_inside || (along > 0 && along < cone.slope_length)) {
        return revolve(at, across, cone.slope_radius, cone.slope_height);
    }
    const bool at_tip = along > 0;
    const Vec3 off =
        at_tip ? Vec3{at.radius, at.height - cone.height, 0} : Vec3{from_rim, at.height, 0};
    const LengthDirection from_corner =
        length_direction(off, {cone.slope_radius, cone.slope_height, 0});
    return revolve(at, from_corner.length, from_corner.direction.x, from_corner.direction.y);
}

}  // namespace graze

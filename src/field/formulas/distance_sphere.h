// distance_sphere: the distance to a ball around the origin. At its centre, where every direction
// leads to a closest point, the gradient is z.
#pragma once

#include "field/formulas/length_direction.h"
#include "graze/field.h"

namespace graze {

GRAZE_INLINE FieldValue distance_sphere(const Vec3& point, float radius) {
    const LengthDirection from_centre = length_direction(point, {0, 0, 1});
    return {from_centre.length - radius, from_centre.direction};
}

}  // namespace graze

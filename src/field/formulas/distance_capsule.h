// distance_capsule: the distance to all points within a radius of a segment.
#pragma once

#include "field/formulas/length_direction.h"
#include "graze/field.h"

namespace graze {

// Returns a unit vector at a right angle to a unit vector.
GRAZE_INLINE Vec3 any_perpendicular(const Vec3& unit) {
    const Vec3 size{std::fabs(unit.x), std::fabs(unit.y), std::fabs(unit.z)};
    // With the axis farthest from unit the cross product is not small.
    const Vec3 axis = size.x <= size.y && size.x <= size.z ? Vec3{1, 0, 0}
                      : size.y <= size.z                   ? Vec3{0, 1, 0}
                                                           : Vec3{0, 0, 1};
    return normalized(cross(unit, axis));
}

// The segment goes from the origin along direction, a unit vector.
GRAZE_INLINE FieldValue distance_capsule(const Vec3& point, const Vec3& direction, float length,
                                         float radius) {
    const float along = dot(point, direction);
    const float t = clamp(along, 0.0f, length);
    Vec3 off = point - direction * t;
    // Beside the segment, a rest along it, which rounding leaves, would turn the gradient of points
    // close to it.
    if (t == along) off = off - direction * dot(off, direction);
    const LengthDirection from_segment = length_direction(off, {0, 0, 0});
    const Vec3 gradient =
        from_segment.length > 0 ? from_segment.direction : any_perpendicular(direction);
    return {from_segment.length - radius, gradient};
}

}  // namespace graze

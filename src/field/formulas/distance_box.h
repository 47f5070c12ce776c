// distance_box: the distance to a box around the origin, with sharp or round edges.
//
// By symmetry only |point| matters. excess is how far it is beyond each pair of faces: outside, the
// closest point clamps the excess away; inside, it is on the face with the largest (least negative)
// excess, x before y before z where they are equal.
#pragma once

#include "field/formulas/length_direction.h"
#include "graze/field.h"

namespace graze {

GRAZE_INLINE FieldValue distance_box(const Vec3& point, const Vec3& half_extent) {
    const Vec3 side{point.x < 0 ? -1.0f : 1.0f, point.y < 0 ? -1.0f : 1.0f,
                    point.z < 0 ? -1.0f : 1.0f};
    const Vec3 excess = scale(point, side) - half_extent;
    if (excess.x > 0 || excess.y > 0 || excess.z > 0) {
        const LengthDirection beyond = length_direction(max_of(excess, Vec3{0, 0, 0}), {0, 0, 0});
        return {beyond.length, scale(beyond.direction, side)};
    }
    if (excess.x >= excess.y && excess.x >= excess.z) return {excess.x, {side.x, 0, 0}};
    if (excess.y >= excess.z) return {excess.y, {0, side.y, 0}};
    return {excess.z, {0, 0, side.z}};
}

// The core is the half extent less the radius. A box with round edges is the core grown by a ball;
// for convex solids growing by r takes r off the distance, inside as well as outside: both are the
// largest distance to a supporting plane, and growing moves each plane by r.
GRAZE_INLINE FieldValue distance_rounded_box(const Vec3& point, const Vec3& core, float radius) {
    FieldValue value = distance_box(point, core);
    value.distance -= radius;
    return value;
}

}  // namespace graze

// The distance to a half space: solid where dot(normal, p) < offset, normal of unit length.
#pragma once

#include "graze/field.h"

namespace graze {

GRAZE_INLINE FieldValue distance_plane(const Vec3& point, const Vec3& normal, float offset) {
    return {dot(normal, point) - offset, normal};
}

}  // namespace graze

// distance_plane: the distance to a half space, which is solid where dot(normal, p) < offset. The
// normal has unit length.
#pragma once

#include "graze/field.h"

namespace graze {

GRAZE_INLINE FieldValue distance_plane(const Vec3& point, const Vec3& normal, float offset) {
    return {dot(normal, point) - offset, normal};
}

}  // namespace graze

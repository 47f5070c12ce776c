// LengthDirection: a vector's length and direction at once, for vectors of any finite length.
// Scaling avoids squares that would leave the range of float.
#pragma once

#include "graze/vec3.h"

namespace graze {

struct LengthDirection {
    float length;    // >= 0
    Vec3 direction;  // unit
};

// The fallback, a unit vector, stands in for the direction of the zero vector.
GRAZE_INLINE LengthDirection length_direction(const Vec3& v, const Vec3& fallback) {
    const float sq = length_sq(v);
    if (sq >= 0x1p-80f && sq <= 0x1p100f) {
        const float norm = std::sqrt(sq);
        return {norm, v / norm};
    }
    const float largest = max_of(max_of(std::fabs(v.x), std::fabs(v.y)), std::fabs(v.z));
    if (sq == 0 && largest == 0) return {0, fallback};  // not so where a component is NaN
    const Vec3 scaled = v / largest;
    const float norm = length(scaled);
    return {largest * norm, scaled / norm};
}

}  // namespace graze

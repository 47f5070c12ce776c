// PointCloud: points that are near each other, and a point of the mesh that is near them: together
// they tell which triangles cannot be closest to any of the points.
//
// Let the points lie within r of c, and q be any point of the mesh. A triangle with corners v is
// farther than q from every point c + s where (see PreparedTriangle::sag_sq)
//     |c + s - v|^2 - sag^2 > |c + s - q|^2, or |c - v|^2 - sag^2 - |c - q|^2 > 2 s (v - q),
// hence where the left side is above 2 r |v - q| for all its corners. |s|^2 cancels, so the
// triangles left over lie within about 2 r of q, however far the surface is; by their distance
// alone, all those in a shell of thickness 2 r would be left, hundreds of them. Boxes are sorted
// out alike, by the least |c - x| and the largest |x - q| of all points x in them, without the sag.
#pragma once

#include "core/spread.h"
#include "graze/aabb.h"

namespace graze {

struct PointCloud {
    Vec3 centre;       // [m] c
    float reach;       // [m] r: no point is farther from the centre
    float slack;       // [m] see distance_slack()
    Vec3 closest;      // [m] q: the closest to the centre known
    float closest_sq;  // [m^2] from the centre

    // |c - x|^2 - |c - q|^2 given the first, less what rounding may make of it, and of the
    // distances that are compared in the end.
    template <class S>
    GRAZE_INLINE S advantage(const S& centre_sq) const {
        const float known =
            closest_sq * (1 + 0x1p-20f) + 4 * slack * (std::sqrt(closest_sq) + reach + slack);
        return centre_sq * spread<S>(1 - 0x1p-20f) - spread<S>(known);
    }
    // What |x - q| is multiplied by before it is compared with that.
    GRAZE_INLINE float weight() const { return 2 * reach * (1 + 0x1p-19f); }
};

}  // namespace graze

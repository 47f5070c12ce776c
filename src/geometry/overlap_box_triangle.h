// Does a triangle touch a box? The thirteen separating axes of a box and a triangle decide (after
// Akenine-Moller, "Fast 3D Triangle-Box Overlap Testing", 2001). In doubt the answer is true: the
// box is taken larger by more than the rounding of the tests.
#pragma once

#include "graze/aabb.h"

namespace graze {
namespace detail {

// True where three corners, along an axis and relative to the box's centre, are all beyond the
// box's reach.
GRAZE_INLINE bool is_separated(float p, float q, float r, float reach) {
    return min_of(p, min_of(q, r)) > reach || max_of(p, max_of(q, r)) < -reach;
}

}  // namespace detail

GRAZE_HD inline bool overlap_box_triangle(const Vec3& centre, const Vec3& half, const Vec3& corner0,
                                          const Vec3& corner1, const Vec3& corner2) {
    const Vec3 v[3] = {corner0 - centre, corner1 - centre, corner2 - centre};
    float size = half.x + half.y + half.z;
    for (int i = 0; i < 3; ++i)
        size = max_of(size, std::fabs(v[i].x) + std::fabs(v[i].y) + std::fabs(v[i].z));
    const float margin = size * 0x1p-20f;
    const Vec3 h = half + Vec3{margin, margin, margin};
    for (int axis = 0; axis < 3; ++axis) {
        if (detail::is_separated(v[0][axis], v[1][axis], v[2][axis], h[axis])) return false;
    }
    const Vec3 edge[3] = {v[1] - v[0], v[2] - v[1], v[0] - v[2]};
    const auto separates = [&](const Vec3& axis) {
        const float reach = h.x * std::fabs(axis.x) + h.y * std::fabs(axis.y) +
                            h.z * std::fabs(axis.z) + margin * length(axis);
        return detail::is_separated(dot(axis, v[0]), dot(axis, v[1]), dot(axis, v[2]), reach);
    };
    for (const Vec3& e : edge) {
        if (separates({0, -e.z, e.y}) || separates({e.z, 0, -e.x}) || separates({-e.y, e.x, 0}))
            return false;
    }
    return !separates(cross(edge[0], edge[1]));
}

}  // namespace graze

// Tests by which a patch's contour, seen along one of the directions of patch_normals.h, certainly
// does not meet itself during a step.
//
// In the plane of sight, the height along a line of a point that moves straight is linear in time.
// So two sides of the contour are apart all the time where the heights of one are above those of
// the other at both ends of the step; and two sides that follow each other share nothing but their
// common corner where heights rise along both at both ends. Eight lines are tried, 22.5 degrees
// apart.
//
// Bounds: the plane is spanned by u and v, whose components are small integers, so that they are
// exactly orthogonal to the direction. A line is alpha u + beta v, where alpha and beta are
// products of two numbers of the tables, however these are rounded: its length is 1 up to 2^-50,
// and heights along it are alpha (u.q) + beta (v.q), which do not change along the direction. Here
// q is a position less that of the contour's first vertex at the same time, which changes no
// contact and makes roundings much smaller, and r is the largest magnitude of its components. The
// three subtractions, four additions and eight products of a height, in double, have an error below
// 2^-47 r. Rounding the height to a float has one of 2^-24 sqrt(3) r, and so has subtracting or
// adding 4 * 2^-24 r. That is the margin, which covers all three. Comparisons of such bounds are
// exact.
#pragma once

#include "narrow_phase/features/moving_bounds.h"
#include "narrow_phase/features/patch_normals.h"

namespace graze {

// The vectors u and v of an axis, and the inverses of their lengths.
struct SightPlane {
    Vec3d u, v;
    double inverse_u, inverse_v;
};
GRAZE_INLINE SightPlane sight_plane(int axis) {
    constexpr double kHalfRoot = 0.70710678118654757, kSixthRoot = 0.40824829046386302;
    switch (axis) {
        case 0:
            return {{0, 1, 0}, {0, 0, 1}, 1, 1};
        case 1:
            return {{0, 0, 1}, {1, 0, 0}, 1, 1};
        case 2:
            return {{1, 0, 0}, {0, 1, 0}, 1, 1};
        case 3:
            return {{1, -1, 0}, {0, 0, 1}, kHalfRoot, 1};
        case 4:
            return {{1, 1, 0}, {0, 0, 1}, kHalfRoot, 1};
        case 5:
            return {{1, 0, -1}, {0, 1, 0}, kHalfRoot, 1};
        case 6:
            return {{1, 0, 1}, {0, 1, 0}, kHalfRoot, 1};
        case 7:
            return {{0, 1, -1}, {1, 0, 0}, kHalfRoot, 1};
        case 8:
            return {{0, 1, 1}, {1, 0, 0}, kHalfRoot, 1};
        case 9:
            return {{1, -1, 0}, {1, 1, -2}, kHalfRoot, kSixthRoot};
        case 10:
            return {{1, -1, 0}, {1, 1, 2}, kHalfRoot, kSixthRoot};
        case 11:
            return {{1, 1, 0}, {1, -1, -2}, kHalfRoot, kSixthRoot};
        default:
            return {{1, 1, 0}, {1, -1, 2}, kHalfRoot, kSixthRoot};
    }
}

// The ranges of heights along the eight lines, at t0 and t1, of a corner, a side, or a chunk of
// sides.
using ContourBounds = ElementBounds;

// Larger distances from the contour's first vertex would not fit floats. [m]
constexpr double kLargestContour = 0x1p100;

// Bounds the corner that has q at t0 and t1; returns false where q is too large.
GRAZE_INLINE bool bound_corner(const SightPlane& plane, const Vec3d (&q)[2],
                               ContourBounds& bounds) {
    constexpr double kCosines[kDirectionsPerHalf] = {
        1, 0.92387953251128674,  0.70710678118654757,  0.38268343236508978,
        0, -0.38268343236508978, -0.70710678118654757, -0.92387953251128674};
    constexpr double kSines[kDirectionsPerHalf] = {
        0, 0.38268343236508978, 0.70710678118654757, 0.92387953251128674,
        1, 0.92387953251128674, 0.70710678118654757, 0.38268343236508978};
    const double reach = detail::largest_component(q[0], q[1]);
    if (!(reach < kLargestContour)) return false;
    const float margin = static_cast<float>(reach * 0x1p-22 + 0x1p-140);
    for (int time = 0; time < 2; ++time) {
        const double x = dot(plane.u, q[time]) * plane.inverse_u;
        const double y = dot(plane.v, q[time]) * plane.inverse_v;
        for (int k = 0; k < kDirectionsPerHalf; ++k) {
            const float height = static_cast<float>(kCosines[k] * x + kSines[k] * y);
            bounds.min[time][k] = height - margin;
            bounds.max[time][k] = height + margin;
        }
    }
    return true;
}

GRAZE_INLINE ContourBounds join(const ContourBounds& a, const ContourBounds& b) {
    ContourBounds joined;
    for (int time = 0; time < 2; ++time) {
        for (int k = 0; k < kDirectionsPerHalf; ++k) {
            joined.min[time][k] = min_of(a.min[time][k], b.min[time][k]);
            joined.max[time][k] = max_of(a.max[time][k], b.max[time][k]);
        }
    }
    return joined;
}

// The comparisons, for one line after another.
struct Sight {
    // True where a and b are apart in the plane of sight all the time.
    GRAZE_INLINE static bool are_apart(const ContourBounds& a, const ContourBounds& b) {
        bool found = false;
        for (int k = 0; k < kDirectionsPerHalf; ++k) {
            found |= (a.min[0][k] > b.max[0][k] && a.min[1][k] > b.max[1][k]) ||
                     (b.min[0][k] > a.max[0][k] && b.min[1][k] > a.max[1][k]);
        }
        return found;
    }

    // True where the sides from a to b and from b to c have only b in common all the time.
    GRAZE_INLINE static bool share_only_corner(const ContourBounds& a, const ContourBounds& b,
                                               const ContourBounds& c) {
        bool found = false;
        for (int k = 0; k < kDirectionsPerHalf; ++k) {
            bool rises = true, falls = true;
            for (int time = 0; time < 2; ++time) {
                rises &= b.min[time][k] > a.max[time][k] && c.min[time][k] > b.max[time][k];
                falls &= a.min[time][k] > b.max[time][k] && b.min[time][k] > c.max[time][k];
            }
            found |= rises || falls;
        }
        return found;
    }

    GRAZE_INLINE static ContourBounds join(const ContourBounds& a, const ContourBounds& b) {
        return graze::join(a, b);
    }
};

}  // namespace graze

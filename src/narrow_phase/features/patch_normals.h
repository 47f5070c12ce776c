// PatchNormals tell with which of 26 directions the normals of a triangle or a patch make an angle
// below 90 degrees during a whole step: one bit for each direction.
//
// The normal a x b of a triangle that moves is quadratic in time. Its product with a direction is
// positive at all times where the three Bernstein coefficients of that product are.
//
// Bound: let u = 2^-53, and let A and B be the largest magnitudes of components of a and b.
// Every component of a and b is rounded once, and a product of two once more: 3u A B. A component
// of a cross product has two such errors and a rounding below 2u A B, 8u A B in all; a component of
// the middle coefficient, doubled, has two of these and 4u A B, 20u A B in all. Three components,
// each below 4 A B, are added with two roundings of at most 8u A B and 12u A B: 80u A B. 128u
// covers terms of second order and the bound's own roundings; products that underflow are covered
// by an absolute term.
#pragma once

#include <cstdint>

#include "narrow_phase/features/relative_motion.h"

namespace graze {

// The directions are the axes, the diagonals of the faces of a cube, and its space diagonals. Bit k
// of a mask belongs to direction k, bit 13 + k to its opposite.
constexpr int kPatchDirections = 13;

GRAZE_INLINE void project_on_patch_directions(const Vec3d& n,
                                              double (&products)[kPatchDirections]) {
    const double sum = n.x + n.y, difference = n.x - n.y;
    products[0] = n.x;
    products[1] = n.y;
    products[2] = n.z;
    products[3] = sum;
    products[4] = difference;
    products[5] = n.x + n.z;
    products[6] = n.x - n.z;
    products[7] = n.y + n.z;
    products[8] = n.y - n.z;
    products[9] = sum + n.z;
    products[10] = sum - n.z;
    products[11] = difference + n.z;
    products[12] = difference - n.z;
}

// What is known of the normals of a triangle or a patch.
struct PatchNormals {
    std::uint32_t mask;  // directions that all of them make an angle below 90 degrees with
    Vec3 sum;            // [m^2] proportional to their sum halfway through the step, about
};

// p0 and p1 are the corners at t0 and t1.
GRAZE_INLINE PatchNormals normals_of_triangle(const Vec3d (&p0)[3], const Vec3d (&p1)[3]) {
    const Vec3d a[2] = {p0[1] - p0[0], p1[1] - p1[0]}, b[2] = {p0[2] - p0[0], p1[2] - p1[0]};
    const Vec3d first = cross(a[0], b[0]), last = cross(a[1], b[1]);
    const Vec3d middle_twice = cross(a[0], b[1]) + cross(a[1], b[0]);
    const double size =
        detail::largest_component(a[0], a[1]) * detail::largest_component(b[0], b[1]);
    // This is NaN where something may have overflowed; then nothing is above or below it.
    const double error = size * (128 * 0x1p-53) + 0x1p-1060 + (size * 256 - size * 256);
    double at_first[kPatchDirections], at_middle[kPatchDirections], at_last[kPatchDirections];
    project_on_patch_directions(first, at_first);
    project_on_patch_directions(middle_twice, at_middle);
    project_on_patch_directions(last, at_last);
    std::uint32_t mask = 0;
    for (int k = 0; k < kPatchDirections; ++k) {
        const double lowest = min_of(min_of(at_first[k], at_middle[k]), at_last[k]);
        const double highest = max_of(max_of(at_first[k], at_middle[k]), at_last[k]);
        mask |= (lowest > error ? 1u : 0u) << k;
        mask |= (highest < -error ? 1u : 0u) << (kPatchDirections + k);
    }
    return {mask, static_cast<Vec3>(first + middle_twice + last)};
}

// Returns the normals of a union.
GRAZE_INLINE PatchNormals join(const PatchNormals& a, const PatchNormals& b) {
    return {a.mask & b.mask, a.sum + b.sum};
}

// Returns the axis, 0 to 12, of the direction of the mask that is nearest to the sum, and -1 where
// the mask is empty. Any direction of the mask is right; this one shows most of the patch.
GRAZE_INLINE int nearest_patch_axis(const PatchNormals& normals) {
    constexpr double kLengths[3] = {1, 1.4142135623730951, 1.7320508075688772};
    double products[kPatchDirections];
    project_on_patch_directions(static_cast<Vec3d>(normals.sum), products);
    int best = -1;
    double best_height = 0;
    for (int k = 0; k < kPatchDirections; ++k) {
        const double height = products[k] / kLengths[k < 3 ? 0 : k < 9 ? 1 : 2];
        for (int sign = 0; sign < 2; ++sign) {
            if ((normals.mask >> (k + sign * kPatchDirections) & 1) == 0) continue;
            const double signed_height = sign == 0 ? height : -height;
            if (best < 0 || signed_height > best_height) {
                best = k;
                best_height = signed_height;
            }
        }
    }
    return best;
}

}  // namespace graze

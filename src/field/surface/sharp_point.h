// SharpPoint: where an edge or a corner of the surface is in a cell, if there is one.
//
// Each sample of a distance field knows a plane that the surface is at: through its closest point,
// along its gradient. Where a cell holds an edge, the samples around it know the planes of both
// sides, or planes through the edge, and all of them meet there: the point is the one that is
// closest to all (after Kobbelt et al., "Feature Sensitive Surface Extraction from Volume
// Data", 2001, who take planes at the crossed edges of the cell; those of the samples are not
// blurred by interpolation).
#pragma once

#include "field/sampled/field_cell.h"
#include "graze/mat3.h"

namespace graze {

struct SharpPoint {
    bool is_sharp;
    Vec3d position;  // in the cell
};

inline Vec3d corner_position(int corner) {
    return {double(corner & 1), double(corner >> 1 & 1), double(corner >> 2)};
}

// The middle is that of the surface's loop in the cell.
inline SharpPoint find_sharp_point(const FieldCell& cell, const Vec3d& middle) {
    // The least cosine between two gradients that is still smooth: 32 degrees, as on a ball with a
    // radius of three voxels.
    constexpr double kSmooth = 0.85;
    // The weight of the step to the middle, for directions of which the planes do not say anything.
    constexpr double kPull = 1e-3;
    constexpr double kMaxOff = 0.05;  // [voxels] root mean square distance to the planes
    constexpr double kMargin = 1e-3;  // [voxels] more than a sample's rounding
    // Planes that do not go through the cell belong to something else nearby.
    struct Plane {
        Vec3d normal;
        double off;  // [voxels] of the middle
    } planes[8];
    int count = 0;
    double least = 1;
    for (int i = 0; i < 8; ++i) {
        const Vec3d normal =
            normalized(Vec3d{cell.slope[0][i], cell.slope[1][i], cell.slope[2][i]});
        const double off = cell.value[i] - dot(normal, corner_position(i));
        const double reach =
            (std::fabs(normal.x) + std::fabs(normal.y) + std::fabs(normal.z)) / 2 + kMargin;
        if (std::fabs(off + dot(normal, Vec3d{0.5, 0.5, 0.5})) > reach) continue;
        for (int j = 0; j < count; ++j)
            least = min_of(least, dot(normal, planes[j].normal));
        planes[count++] = {normal, off + dot(normal, middle)};
    }
    if (least > kSmooth) return {false, middle};

    Mat3d squares = Mat3d::identity() * kPull;
    Vec3d sum{0, 0, 0};
    for (int i = 0; i < count; ++i) {
        squares = squares + outer(planes[i].normal, planes[i].normal);
        sum += planes[i].normal * planes[i].off;
    }
    const Vec3d step = inverse(squares) * sum, position = middle - step;
    double off_sq = 0;
    for (int i = 0; i < count; ++i) {
        const double off = planes[i].off - dot(planes[i].normal, step);
        off_sq += off * off;
    }
    const bool is_inside = position.x > 0 && position.x < 1 && position.y > 0 && position.y < 1 &&
                           position.z > 0 && position.z < 1;
    return {is_inside && off_sq < count * kMaxOff * kMaxOff, position};
}

}  // namespace graze

// distance_height_map: a lower bound of the distance to the ground under a height map.
//
// Heights are blended bilinearly, and beyond the rectangle the border's heights go on. Let L be the
// largest slope. Going to the surface by a step with components s along the ground and v upward
// changes the clearance z - height(x, y) by at most v + L s <= sqrt(1 + L^2) * step, so that
// (z - height) / sqrt(1 + L^2) is 1-Lipschitz and never farther from zero than the distance. The
// same holds for the distances to the planes through the highest and the lowest point, which are
// better far from the ground; the three meet continuously.
//
// In a cell both slopes are affine, so that their sum of squares is convex and largest in a corner:
// L is the largest slope in any corner of any cell, and exact.
#pragma once

#include <cstdint>

#include "graze/field.h"

namespace graze {

struct HeightMapView {
    const float* heights;   // [m] x fastest; heights[0] is above the origin
    std::int32_t size[2];   // along x and y
    float spacing;          // [m]
    float shrink;           // at most 1 / sqrt(1 + L^2)
    float lowest, highest;  // [m] of heights
};

// The cell of a coordinate among the heights along one axis.
struct HeightCell {
    std::int32_t index;
    float t;         // 0 to 1, the coordinate in the cell
    bool is_beyond;  // beyond the rectangle, where heights do not change along the axis
};

GRAZE_INLINE HeightCell find_height_cell(float x, std::int32_t size) {
    const float last = static_cast<float>(size - 1);
    const float inside = min_of(max_of(x, 0.0f), last);
    const std::int32_t whole = static_cast<std::int32_t>(inside);
    const std::int32_t cell = whole < size - 2 ? whole : size - 2;
    return {cell, inside - static_cast<float>(cell), x < 0 || x > last};
}

GRAZE_INLINE FieldValue distance_height_map(const Vec3& point, const HeightMapView& map) {
    const HeightCell x = find_height_cell(point.x / map.spacing, map.size[0]);
    const HeightCell y = find_height_cell(point.y / map.spacing, map.size[1]);
    const float* low = map.heights + x.index + std::int64_t{map.size[0]} * y.index;
    const float* high = low + map.size[0];
    const float rise_low = low[1] - low[0], rise_high = high[1] - high[0];
    const float at_low = low[0] + rise_low * x.t, at_high = high[0] + rise_high * x.t;
    const float height = at_low + (at_high - at_low) * y.t;

    const float by_slope = (point.z - height) * map.shrink;
    if (point.z - map.highest > by_slope) return {point.z - map.highest, {0, 0, 1}};
    if (point.z - map.lowest < by_slope) return {point.z - map.lowest, {0, 0, 1}};
    const float rise_x = x.is_beyond ? 0.0f : rise_low + (rise_high - rise_low) * y.t;
    const float rise_y = y.is_beyond ? 0.0f : at_high - at_low;
    return {by_slope, normalized(Vec3{-rise_x, -rise_y, map.spacing})};
}

}  // namespace graze

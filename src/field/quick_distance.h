// quick_distance: what a single sample tells of the distance at a point, where evaluate() blends
// eight.
//
// Distances change by no more than the way between two points. So from the nearest sample s, at a
// way w, the distance is s - w at least, and outside the grid it follows from that of the grid's
// closest point as evaluate() has it. Like what evaluate() says, this is above the true distance by
// the field's error at most; it is lower by a voxel or so. Fields that are not one dense grid are
// evaluated in full.
#pragma once

#include "field/field_view.h"

namespace graze {
namespace detail {

// [m] Of the sample nearest to a point of the grid's box, and less the way to it.
GRAZE_INLINE float nearest_sample_bound(const SampledFieldView& field, const Vec3& point) {
    std::int64_t index = 0, stride = 1;
    float way_sq = 0;  // [voxels]
    for (int axis = 0; axis < 3; ++axis) {
        const float last = static_cast<float>(field.grid.cells[axis]);
        const float x = min_of(
            max_of((point[axis] - field.grid.origin[axis]) / field.grid.spacing, 0.0f), last);
        const float above = x + 0.5f;
        const auto nearest = static_cast<std::int32_t>(above);
        const float way = x - static_cast<float>(nearest);
        way_sq += way * way;
        index += nearest * stride;
        stride *= field.grid.samples(axis);
    }
    const float spacing = field.grid.spacing;
    const float value = field.order == FieldOrder::zero
                            ? field.values[index]
                            : float_from_half(load_sample(field.samples + index).value) * spacing;
    return value - std::sqrt(way_sq) * (spacing * (1 + 0x1p-20f));
}

GRAZE_INLINE float quick_distance(const SampledFieldView& field, const Vec3& point) {
    const Aabb box = field.grid.box();
    const float near = nearest_sample_bound(field, point);
    const float beyond_sq = length_sq(point - min_of(max_of(point, box.min), box.max));
    if (beyond_sq == 0) return near;
    if (!field.is_surface_inside) return near - std::sqrt(beyond_sq);
    if (first_sample(field) < 0) return -std::sqrt(beyond_sq);
    const float at_box = max_of(near, 0.0f);
    return std::sqrt(beyond_sq + at_box * at_box) * (1 - 0x1p-21f);
}

}  // namespace detail

GRAZE_HD inline float quick_distance(const FieldView& field, const Vec3& point) {
    const FieldNode& node = field.nodes[0];
    if (field.node_count != 1 || node.kind != FieldKind::sampled || node.scale < 0 ||
        field.sampled[node.index].is_sparse) {
        return evaluate(field, point).distance;
    }
    Vec3 local = point - node.origin;
    if (node.is_rotated) local = rotate(node.leaf_from_field, local);
    return detail::quick_distance(field.sampled[node.index], local * node.inverse_scale) *
           node.scale;
}

}  // namespace graze

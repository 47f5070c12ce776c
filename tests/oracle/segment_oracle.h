// What a search along segments is compared with: the value of any field in double precision, sample
// by sample as the definition has it, at as many times as one likes.
//
// In the grid it is what evaluate() interpolates; beyond the band and the box it is the estimate
// that sampled_times.h defines. Formulas are evaluated by graze in float.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "field/field_view.h"

namespace graze::oracle {

// The blend of eight linear extensions [m], where t is the position in the cell.
template <class ValueAt, class SlopeAt>
double blend_cell(const Vec3d& t, const ValueAt& value_at, const SlopeAt& slope_at) {
    double sum = 0;
    for (int n = 0; n < 8; ++n) {
        const int i = n & 1, j = n >> 1 & 1, k = n >> 2;
        const double weight = (i ? t.x : 1 - t.x) * (j ? t.y : 1 - t.y) * (k ? t.z : 1 - t.z);
        const Vec3d step = t - Vec3d{double(i), double(j), double(k)};
        sum += weight * (value_at(i, j, k) + dot(slope_at(i, j, k), step));
    }
    return sum;
}

inline double value_in_box(const SampledFieldView& field, const Vec3d& point) {
    const double spacing = field.grid.spacing;
    std::int64_t cell[3];
    Vec3d t{};
    for (int axis = 0; axis < 3; ++axis) {
        const double x = std::clamp((point[axis] - double(field.grid.origin[axis])) / spacing, 0.0,
                                    double(field.grid.cells[axis]));
        cell[axis] = std::min<std::int64_t>(std::int64_t(x), field.grid.cells[axis] - 1);
        t[axis] = x - double(cell[axis]);
    }
    std::int64_t first = 0, stride_y = field.grid.samples(0);
    std::int64_t stride_z = stride_y * field.grid.samples(1);
    if (field.is_sparse) {
        const std::int64_t b[3] = {cell[0] / 8, cell[1] / 8, cell[2] / 8};
        const std::int64_t blocks[2] = {block_count(field.grid, 0), block_count(field.grid, 1)};
        const std::int32_t brick =
            field.brick_of_block[b[0] + blocks[0] * (b[1] + blocks[1] * b[2])];
        if (brick < 0) {
            const Vec3d in_block{(double(cell[0] % 8) + t.x) / 8, (double(cell[1] % 8) + t.y) / 8,
                                 (double(cell[2] % 8) + t.z) / 8};
            const float* coarse =
                field.coarse + b[0] + (blocks[0] + 1) * (b[1] + (blocks[1] + 1) * b[2]);
            const double blend = blend_cell(
                in_block,
                [&](int i, int j, int k) {
                    return double(coarse[i + (blocks[0] + 1) * (j + (blocks[1] + 1) * k)]);
                },
                [](int, int, int) { return Vec3d{0, 0, 0}; });
            const double least = std::max(std::fabs(blend), double(field.band));
            return blend < 0 ? -least : least;
        }
        stride_y = 9;
        stride_z = 81;
        first = std::int64_t{brick} * 729 + cell[0] % 8 + 9 * (cell[1] % 8) + 81 * (cell[2] % 8);
    } else {
        first = cell[0] + stride_y * cell[1] + stride_z * cell[2];
    }
    return blend_cell(
        t,
        [&](int i, int j, int k) {
            const std::int64_t at = first + i + stride_y * j + stride_z * k;
            return field.order == FieldOrder::zero
                       ? double(field.values[at])
                       : double(float_from_half(field.samples[at].value)) * spacing;
        },
        [&](int i, int j, int k) {
            if (field.order == FieldOrder::zero) return Vec3d{0, 0, 0};
            const FirstOrderSample& s = field.samples[first + i + stride_y * j + stride_z * k];
            return Vec3d{double(float_from_half(s.slope[0])), double(float_from_half(s.slope[1])),
                         double(float_from_half(s.slope[2]))} *
                   spacing;
        });
}

// The direction of the gradient as evaluate() gives it.
inline Vec3d direction_in_box(const SampledFieldView& field, const Vec3d& point) {
    return static_cast<Vec3d>(evaluate(field, static_cast<Vec3>(point)).gradient);
}

inline double value_of_samples(const SampledFieldView& field, const Vec3d& point) {
    const auto low = static_cast<Vec3d>(field.grid.box().min);
    const auto high = static_cast<Vec3d>(field.grid.box().max);
    const Vec3d closest = min_of(max_of(point, low), high);
    const double at_box = value_in_box(field, closest);
    const Vec3d beyond = point - closest;
    if (!field.is_surface_inside || length_sq(beyond) == 0) return at_box;
    const double first = field.is_sparse ? double(field.coarse[0])
                         : field.order == FieldOrder::zero
                             ? double(field.values[0])
                             : double(float_from_half(field.samples[0].value));
    const double side = first < 0 ? -1 : 1;
    const double e = std::max(side * at_box, 0.0);
    Vec3d away = direction_in_box(field, closest) * (side * e);
    for (int axis = 0; axis < 3; ++axis)
        away[axis] = (away[axis] * beyond[axis] < 0 ? 0 : away[axis]) + beyond[axis];
    return side * std::sqrt(std::max(length_sq(away), length_sq(beyond) + e * e));
}

inline double value_of_field(const FieldView& field, const Vec3d& point) {
    std::vector<double> waiting;
    for (std::int32_t i = 0; i < field.node_count; ++i) {
        const FieldNode& node = field.nodes[i];
        if (is_operation(node.kind)) {
            const double b = waiting.back();
            waiting.pop_back();
            waiting.back() = node.kind == FieldKind::unite ? std::min(waiting.back(), b)
                                                           : std::max(waiting.back(), b);
        } else if (node.kind == FieldKind::sampled) {
            const Quat& q = node.leaf_from_field;
            Vec3d local = point - static_cast<Vec3d>(node.origin);
            if (node.is_rotated) local = rotate(Quatd{q.w, q.x, q.y, q.z}, local);
            waiting.push_back(
                value_of_samples(field.sampled[node.index], local * double(node.inverse_scale)) *
                double(node.scale));
        } else {
            waiting.push_back(
                double(detail::evaluate_leaf(field, node, static_cast<Vec3>(point)).distance));
        }
    }
    return waiting.back();
}

}  // namespace graze::oracle

// leaf_bounds: the box of a leaf's solid. Along each axis, to both sides, it ends at the leaf's
// support: how far the solid reaches in that direction, known in closed form for every shape.
#include <algorithm>
#include <cmath>
#include <limits>

#include "field/field_program.h"

namespace graze {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double support_box(const Vec3d& direction, const Vec3d& half) {
    return std::fabs(direction.x) * half.x + std::fabs(direction.y) * half.y +
           std::fabs(direction.z) * half.z;
}

double support_grid(const Vec3d& direction, const SampledFieldView& field) {
    // Only samples whose surface is within the grid say where the solid ends; and where the space
    // around the grid is solid, the solid does not end.
    const Aabb box = field.grid.box();
    const Vec3 outside = box.max + extent(box);
    if (!field.is_surface_inside || evaluate(field, outside).distance < 0) return kInfinity;
    const auto low = static_cast<Vec3d>(box.min), high = static_cast<Vec3d>(box.max);
    return std::max(direction.x * low.x, direction.x * high.x) +
           std::max(direction.y * low.y, direction.y * high.y) +
           std::max(direction.z * low.z, direction.z * high.z);
}

// The largest dot(direction, p) over the leaf's solid, in its frame; direction has unit length.
double support(const FieldView& field, const FieldNode& leaf, const Vec3d& direction) {
    const float* size = leaf.size;
    const Vec3d vector{size[0], size[1], size[2]};
    const double across = std::hypot(direction.x, direction.y);
    switch (leaf.kind) {
        case FieldKind::plane:
            // A half space ends in one direction only.
            return direction == vector ? size[3] : kInfinity;
        case FieldKind::sphere:
            return size[0];
        case FieldKind::box:
            return support_box(direction, vector);
        case FieldKind::rounded_box:
            return support_box(direction, vector) + size[3];
        case FieldKind::capsule:
            return std::max(0.0, dot(direction, vector) * size[3]) + size[4];
        case FieldKind::cylinder:
            return across * size[0] + std::fabs(direction.z) * size[1];
        case FieldKind::cone:
            return std::max(across * size[0], direction.z * size[1]);
        case FieldKind::torus:
            return across * size[0] + size[1];
        case FieldKind::height_map:
            return direction.z == 1 ? field.height_maps[leaf.index].highest : kInfinity;
        default:
            return support_grid(direction, field.sampled[leaf.index]);
    }
}

float round_up(double x) {
    const auto near = static_cast<float>(x);
    return near < x ? std::nextafter(near, std::numeric_limits<float>::infinity()) : near;
}

}  // namespace

Aabb leaf_bounds(const FieldView& field, const FieldNode& leaf) {
    const auto infinity = std::numeric_limits<float>::infinity();
    if (leaf.scale < 0) {
        return {{-infinity, -infinity, -infinity}, {infinity, infinity, infinity}};
    }
    const Quat& q = leaf.leaf_from_field;
    const Quatd leaf_from_field{q.w, q.x, q.y, q.z};
    double reach[6], largest = 0;
    for (int face = 0; face < 6; ++face) {
        Vec3d direction{0, 0, 0};
        direction[face / 2] = face % 2 == 0 ? -1 : 1;
        if (leaf.is_rotated) direction = rotate(leaf_from_field, direction);
        reach[face] = support(field, leaf, direction) * leaf.scale;
        if (std::isfinite(reach[face])) largest = std::max(largest, std::fabs(reach[face]));
    }
    // The rounding of a rotation may put evaluate() off by so much.
    const double slack = leaf.is_rotated ? largest * 0x1p-20 : 0;
    Aabb box;
    for (int axis = 0; axis < 3; ++axis) {
        box.min[axis] = 0 - round_up(reach[2 * axis] + slack - leaf.origin[axis]);
        box.max[axis] = round_up(reach[2 * axis + 1] + slack + leaf.origin[axis]);
    }
    return box;
}

}  // namespace graze

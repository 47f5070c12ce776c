// FieldView: any Field as plain data, the same on both machines, and evaluate(), its value at a
// point.
//
// A field is a program in postfix order: leaves push a value, operations replace the two on top by
// one. Motion and scale distribute over operations, so each leaf carries its own. subtract(a, b) is
// intersect(a, complement of b), and a complement likewise ends in the leaves, as a negative scale.
#pragma once

#include "field/formulas/distance_box.h"
#include "field/formulas/distance_capsule.h"
#include "field/formulas/distance_cone.h"
#include "field/formulas/distance_cylinder.h"
#include "field/formulas/distance_height_map.h"
#include "field/formulas/distance_plane.h"
#include "field/formulas/distance_sphere.h"
#include "field/formulas/distance_torus.h"
#include "field/sampled/evaluate_sampled.h"

namespace graze {

enum class FieldKind : std::uint8_t {
    plane,
    sphere,
    box,
    rounded_box,
    capsule,
    cylinder,
    cone,
    torus,
    height_map,
    sampled,
    // Operations from here on.
    unite,
    intersect,
};

GRAZE_INLINE constexpr bool is_operation(FieldKind kind) {
    return kind >= FieldKind::unite;
}

struct alignas(16) FieldNode {
    FieldKind kind;
    bool is_rotated;       // false where leaf_from_field is the identity
    std::int32_t index;    // of a leaf's SampledFieldView or HeightMapView in FieldView
    Vec3 origin;           // [m] of the leaf's frame, in the field's
    Quat leaf_from_field;  // unit; the rotation alone
    float scale;           // metres of the field per metre of the leaf; negative: the complement
    float inverse_scale;   // 1 / |scale|
    // The members depend on the kind. Plane: normal, offset. Sphere: radius. Box: half extent.
    // Rounded box: half extent less radius, radius. Capsule: direction, length, radius. Cylinder:
    // radius, half height. Cone and torus: the members of Cone and Torus, in order.
    float size[5];
};
static_assert(sizeof(FieldNode) == 64);

// An evaluation holds at most so many values at once. The deeper operand comes first in a program,
// so that n leaves need a depth of 1 + log2(n) at most, however they are nested.
constexpr int kFieldMaxDepth = 16;

struct LeafPlane;
// The planes of a sampled leaf (leaf_planes.h).
struct SampledPlanes {
    const LeafPlane* planes;  // by smallest cube of its tree; null where it has no tree
};

struct FieldView {
    const FieldNode* nodes;  // in the order of evaluation
    std::int32_t node_count;
    const SampledFieldView* sampled;   // by FieldNode::index
    const HeightMapView* height_maps;  // by FieldNode::index
    // By FieldNode::index of sampled leaves (FieldPlanes); null where a search does without.
    const SampledPlanes* planes;
};

namespace detail {

GRAZE_INLINE FieldValue evaluate_shape(const FieldView& field, const FieldNode& node,
                                       const Vec3& point) {
    const float* size = node.size;
    switch (node.kind) {
        case FieldKind::plane:
            return distance_plane(point, {size[0], size[1], size[2]}, size[3]);
        case FieldKind::sphere:
            return distance_sphere(point, size[0]);
        case FieldKind::box:
            return distance_box(point, {size[0], size[1], size[2]});
        case FieldKind::rounded_box:
            return distance_rounded_box(point, {size[0], size[1], size[2]}, size[3]);
        case FieldKind::capsule:
            return distance_capsule(point, {size[0], size[1], size[2]}, size[3], size[4]);
        case FieldKind::cylinder:
            return distance_cylinder(point, size[0], size[1]);
        case FieldKind::cone:
            return distance_cone(point, {size[0], size[1], size[2], size[3], size[4]});
        case FieldKind::torus:
            return distance_torus(point, {size[0], size[1], size[2]});
        case FieldKind::height_map:
            return distance_height_map(point, field.height_maps[node.index]);
        default:
            return evaluate(field.sampled[node.index], point);
    }
}

GRAZE_INLINE FieldValue evaluate_leaf(const FieldView& field, const FieldNode& node,
                                      const Vec3& point) {
    // The origin is taken off first, so that nothing large cancels near the leaf.
    Vec3 local = point - node.origin;
    if (node.is_rotated) local = rotate(node.leaf_from_field, local);
    FieldValue value = evaluate_shape(field, node, local * node.inverse_scale);
    if (node.is_rotated) value.gradient = rotate(conjugate(node.leaf_from_field), value.gradient);
    if (node.scale < 0) value.gradient = -value.gradient;
    value.distance *= node.scale;
    return value;
}

}  // namespace detail

GRAZE_HD inline FieldValue evaluate(const FieldView& field, const Vec3& point) {
    // The last value is kept apart, in registers: a chain of operations touches one entry of the
    // stack, a single leaf none.
    FieldValue top{};
    FieldValue waiting[kFieldMaxDepth - 1];
    int waiting_count = 0;
    for (std::int32_t i = 0; i < field.node_count; ++i) {
        const FieldNode& node = field.nodes[i];
        if (is_operation(node.kind)) {
            const FieldValue& other = waiting[--waiting_count];
            const bool takes_other = node.kind == FieldKind::unite ? other.distance <= top.distance
                                                                   : other.distance >= top.distance;
            if (takes_other) top = other;
        } else {
            if (i > 0) waiting[waiting_count++] = top;
            top = detail::evaluate_leaf(field, node, point);
        }
    }
    return top;
}

}  // namespace graze

// BodyField: the field of a body in the world.
#pragma once

#include "field/quick_distance.h"
#include "graze/transform.h"

namespace graze {

// How much the values of a field change, by what its samples are measured to be, as value_change.h
// has it: of all leaves, in metres of the field. Only a search along paths asks for it.
struct FieldChange {
    float per_way = 1;
    float spread = 0, rest = 0;
    float band = 0;
    float reach = -1;         // below 0 where nothing is known
    bool is_distance = true;  // of each leaf, as far as samples tell
    float per_way_far = 1;    // where one is not; infinite where nothing is known
    float rest_far = 0;
};

// What a method knows of a shape, in the executor's memory.
struct ShapeField {
    FieldView field;
    // [m] The distance is never more than this, and kFieldRelativeError of it, above the true one
    // where it is positive: by proof, see certain_error(), and largest_jump() for open meshes.
    float error;
    // [m] How near to the surface is on it: a tenth of a voxel; 0 where nothing is sampled.
    float tolerance;
    float size;  // [m] the longest side of its box; infinite where it has no end
    // [m] How far from its frame's origin it reaches: what rounding goes by.
    float magnitude;
    FieldChange change;
};

struct BodyField {
    FieldView field;
    Vec3 translation;      // [m]
    Quat world_from_body;  // unit
    float scale;           // metres of the world per metre of the body
    float inverse_scale;
};

GRAZE_INLINE BodyField make_body_field(const FieldView& field, const Transform& world_from_body) {
    return {field, world_from_body.translation, world_from_body.rotation, world_from_body.scale,
            1.0f / world_from_body.scale};
}

namespace detail {

// The translation is taken off first, so that nothing large cancels near the body.
GRAZE_INLINE Vec3 in_body(const BodyField& body, const Vec3& point) {
    return rotate(conjugate(body.world_from_body), point - body.translation) * body.inverse_scale;
}

}  // namespace detail

GRAZE_HD inline FieldValue evaluate(const BodyField& body, const Vec3& point) {
    FieldValue value = evaluate(body.field, detail::in_body(body, point));
    value.distance *= body.scale;
    value.gradient = rotate(body.world_from_body, value.gradient);
    return value;
}

// [m] Not above the distance by more than what evaluate() says, and faster.
GRAZE_HD inline float quick_distance(const BodyField& body, const Vec3& point) {
    return quick_distance(body.field, detail::in_body(body, point)) * body.scale;
}

// Both fields of a pair at a point.
struct PairValue {
    FieldValue a, b;

    GRAZE_INLINE float larger() const { return max_of(a.distance, b.distance); }
};

}  // namespace graze

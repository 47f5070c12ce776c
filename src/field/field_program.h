// FieldProgram: what a Field stands for, in host memory, and owner of all that its leaves point to.
#pragma once

#include <memory>
#include <vector>

#include "field/field_view.h"
#include "graze/field.h"

namespace graze {

struct FieldProgram {
    std::vector<FieldNode> nodes;
    // FieldNode::index counts in these lists, in which no two are the same object.
    std::vector<std::shared_ptr<const SampledField>> sampled;
    std::vector<SampledFieldView> sampled_views;
    std::vector<std::shared_ptr<const HeightMap>> height_maps;
    std::vector<HeightMapView> height_map_views;

    // The rest follows from the nodes.
    int depth = 1;  // how many values its evaluation holds at once
    Aabb bounds = Aabb::empty();
    Exactness outside = Exactness::exact;
    Exactness inside = Exactness::exact;
    float error = 0;  // [m]

    FieldView view() const {
        return {nodes.data(), static_cast<std::int32_t>(nodes.size()), sampled_views.data(),
                height_map_views.data(), nullptr};
    }
};

// Each of these throws Error where the program would be too deep to evaluate.
FieldProgram make_program(const FieldNode& leaf);
FieldProgram make_program(std::shared_ptr<const SampledField> samples);
FieldProgram make_program(std::shared_ptr<const HeightMap> map);
// The operation is unite or intersect.
FieldProgram combine(const FieldProgram& a, const FieldProgram& b, FieldKind operation);
FieldProgram complement(const FieldProgram& program);
FieldProgram transformed(const FieldProgram& program, const Transform& field_from_self);

// What is behind a Field's handle.
struct Field::Program : FieldProgram {};

// How the library makes a Field and looks into it; the public header shows neither.
struct FieldAccess {
    static Field make(FieldProgram program);
    static const FieldProgram& program(const Field& field) { return *field.program_; }
};

inline const FieldProgram& program_of(const Field& field) {
    return FieldAccess::program(field);
}
// The field as plain data in host memory, valid as long as the field or a copy of it lives.
inline FieldView view_of(const Field& field) {
    return program_of(field).view();
}

// Makes a leaf at the origin, whose size is yet to be filled in.
FieldNode make_leaf(FieldKind kind);
// [m] Returns the box of a leaf's solid in the field's frame, rounded outward.
Aabb leaf_bounds(const FieldView& field, const FieldNode& leaf);

}  // namespace graze

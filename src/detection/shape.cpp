#include "graze/shape.h"

#include <utility>

#include "graze/error.h"

namespace graze {

struct Shape::Parts {
    std::optional<Field> field;
    std::optional<Mesh> mesh;
    Aabb mesh_box = Aabb::empty();  // where there is no field
};

Shape::Shape(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

Shape Shape::from_mesh(Mesh mesh, const ShapeOptions& options, FieldReport* report) {
    Field field = build_field(mesh, options.field, report);
    return Shape(std::make_shared<const Parts>(Parts{std::move(field), std::move(mesh)}));
}

Shape Shape::from_mesh(Mesh mesh, Field field) {
    validate(mesh);
    return Shape(std::make_shared<const Parts>(Parts{std::move(field), std::move(mesh)}));
}

Shape Shape::from_field(Field field) {
    return Shape(std::make_shared<const Parts>(Parts{std::move(field), std::nullopt}));
}

Shape Shape::from_mesh_alone(Mesh mesh) {
    validate(mesh);
    const Aabb box = graze::bounds(mesh);
    return Shape(std::make_shared<const Parts>(Parts{std::nullopt, std::move(mesh), box}));
}

bool Shape::has_field() const {
    return parts_->field.has_value();
}
const Field& Shape::field() const {
    if (!parts_->field) throw Error("the shape is a mesh without a distance field; build one");
    return *parts_->field;
}
const Aabb& Shape::bounds() const {
    return parts_->field ? parts_->field->bounds() : parts_->mesh_box;
}
const Mesh* Shape::mesh() const {
    return parts_->mesh ? &*parts_->mesh : nullptr;
}

}  // namespace graze

#include "graze/shape.h"

#include <utility>

namespace graze {

struct Shape::Parts {
    Field field;
    std::optional<Mesh> mesh;
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

const Field& Shape::field() const {
    return parts_->field;
}
const Mesh* Shape::mesh() const {
    return parts_->mesh ? &*parts_->mesh : nullptr;
}

}  // namespace graze

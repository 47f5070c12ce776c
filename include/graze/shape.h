// Shape: what a body is made of, shared by all bodies that look alike: a distance field, and the
// mesh that it came from where there is one, or a mesh alone. A Shape is a handle that is cheap to
// copy; what it stands for never changes.
#pragma once

#include <memory>
#include <optional>

#include "graze/build_field.h"

namespace graze {

struct ShapeOptions {
    FieldOptions field;  // how the mesh's field is built
};

class Shape {
public:
    // Builds the field, or throws Error as build_field does.
    static Shape from_mesh(Mesh mesh, const ShapeOptions& options = {},
                           FieldReport* report = nullptr);
    // With a field at hand, as from a file or the cache.
    static Shape from_mesh(Mesh mesh, Field field);
    // A formula, a combination, samples.
    static Shape from_field(Field field);
    // Without a field: for cloth and what it meets, where only triangles count.
    static Shape from_mesh_alone(Mesh mesh);

    bool has_field() const;
    // Throws Error where there is none.
    const Field& field() const;
    // Null where there is none.
    const Mesh* mesh() const;
    // [m] The box of the solid; infinite where it has no end. That of the mesh where there is no
    // field.
    const Aabb& bounds() const;

    // The very same shape, not one like it; and what tells shapes apart, as long as they live.
    bool operator==(const Shape& other) const { return parts_ == other.parts_; }
    const void* id() const { return parts_.get(); }

private:
    struct Parts;
    explicit Shape(std::shared_ptr<const Parts> parts);

    std::shared_ptr<const Parts> parts_;  // never null
};

}  // namespace graze

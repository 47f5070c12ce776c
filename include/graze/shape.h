// Shape: what a body is made of, shared by all bodies that look alike: a mesh, a distance field, or
// both. What a method of detection needs of a mesh, a distance field for one, is built when it is
// first needed, once, whichever thread asks first. A Shape is a handle that is cheap to copy; what
// it stands for never changes.
#pragma once

#include <memory>
#include <vector>

#include "graze/build_field.h"

namespace graze {

// The points that stand for a shape's surface in the method sweep.
struct PointOptions {
    // [m] The distance between points that are spread over the surface by repulsion; 0 means the
    // mesh's vertices.
    float spacing = 0;
};

struct SurfacePoints {
    std::vector<Vec3> positions;  // [m] in the shape's frame
    std::vector<Vec3> normals;    // unit, outward; zero where there is none
};

struct ShapeOptions {
    // How the mesh's field is built. Its progress is told of that build, and can stop it with an
    // Error; the next one who needs the field begins anew.
    FieldOptions field = {};
    PointOptions points = {};
};

class Shape {
public:
    // A mesh. Throws Error where it is empty or not valid (see validate()); nothing is built yet.
    static Shape from_mesh(Mesh mesh, const ShapeOptions& options = {});
    // A mesh whose field is at hand, as from a file or the cache.
    static Shape from_mesh(Mesh mesh, Field field, const PointOptions& points = {});
    // A field without a mesh: a formula, a combination, samples.
    static Shape from_field(Field field);

    // The mesh; null where there is none.
    const Mesh* mesh() const;
    // The field. Of a mesh it is built by the first call, which takes long and throws Error as
    // build_field does; progress stands in for the one of the options.
    const Field& field(const Progress& progress = nullptr) const;
    // True where field() returns at once.
    bool has_field() const;
    // What the build of the field found; null where the field was given or is not built yet.
    const FieldReport* field_report() const;
    // The points of the surface, built by the first call; empty where there is no mesh.
    const SurfacePoints& points(const Progress& progress = nullptr) const;
    // [m] The box of the solid: that of the field where it was given, which is infinite where the
    // solid has no end, else that of the mesh.
    const Aabb& bounds() const;

    // True for the very same shape, not for one like it. The id tells shapes apart as long as they
    // live.
    bool operator==(const Shape& other) const { return parts_ == other.parts_; }
    const void* id() const { return parts_.get(); }

private:
    friend struct ShapeAccess;
    struct Parts;
    explicit Shape(std::shared_ptr<Parts> parts);

    std::shared_ptr<Parts> parts_;  // never null
};

}  // namespace graze

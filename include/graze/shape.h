// Shape: what a body is made of, shared by all bodies that look alike: a mesh, a distance field, or
// both. What a method of detection needs of a mesh, a distance field for one, is built when it is
// first needed, once, whichever thread asks first. A Shape is a handle that is cheap to copy; what
// it stands for never changes, but for the positions of a mesh that deforms.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
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
    // A mesh whose vertices move from step to step, by set_positions(); for the methods rays and
    // features, which follow it. A field cannot: field() and points() throw Error. Which vertices
    // are one because they are at the same position, and whether a closed mesh faces inwards, is
    // decided here and stays.
    static Shape from_deforming_mesh(Mesh mesh);

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
    // solid has no end, else that of the mesh, as it is now.
    const Aabb& bounds() const;

    // True for a shape made by from_deforming_mesh().
    bool deforms() const;
    // Moves the vertices, for all bodies of this shape and all copies of this handle; detectors see
    // it in their next step. positions: [m] one for each vertex of the mesh. No detector that has
    // the shape may be at work meanwhile. Throws Error, and changes nothing, where the shape does
    // not deform, the number is another, a coordinate is not finite, or vertices that are one would
    // come apart.
    void set_positions(std::span<const Vec3> positions);
    // How many times positions have changed; 0 for a shape that does not deform.
    std::uint64_t revision() const;

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

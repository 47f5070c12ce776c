// The distance of two bodies that are far apart, where fields only have bounds of it.
#pragma once

#include "bullet_shapes.h"
#include "graze/contact.h"

namespace graze::bullet {

// A shape in the world.
struct WorldShape {
    WorldShape(const graze::Shape& shape, const Transform& pose)
        : field(shape.field()), world_from_shape(pose), shape_from_world(inverse(pose)) {}

    FieldValue at(const Vec3& point) const;

    const Field& field;
    Transform world_from_shape, shape_from_world;
};

// The points of a contact from afar are on both surfaces, but need not be the closest ones nearby.
// Moves them along the surfaces to where they are; the distance is then that of two points of the
// surfaces. Returns false where a surface was not reached.
bool move_to_surfaces(Contact& contact, const WorldShape& a, const WorldShape& b);

}  // namespace graze::bullet

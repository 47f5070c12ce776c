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

// A sampled field knows distances in its grid and has lower bounds beyond, so a contact from afar
// may be too near by what lies between the grid and the surface. Moves the contact's ends onto both
// surfaces, and along them to where they are closest nearby; its distance is then that of two
// points of the surfaces. A contact whose ends are on the surfaces stays as it is. Returns false
// where a surface was not reached.
bool move_to_surfaces(Contact& contact, const WorldShape& a, const WorldShape& b);

}  // namespace graze::bullet

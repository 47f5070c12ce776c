// Rays at a field that has no end, and so no triangles.
#pragma once

#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>

#include "graze/field.h"
#include "graze/transform.h"

namespace graze::bullet {

// Gives the ray a small triangle of the surface wherever it goes through it, from outside or from
// inside, to tell a hit as of any other triangle; all have the index 0. It finds each place with
// more than 1/65,536 of the ray's length on either side.
void cast_ray(btTriangleRaycastCallback& ray, const Field& field, const Transform& body_from_field);

}  // namespace graze::bullet

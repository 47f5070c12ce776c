// The picture that compares the orders of sampled fields, and the pair of fields in it.
#pragma once

#include "graze/build_field.h"
#include "graze/image.h"

namespace graze {

struct FieldPair {
    Field order_0, order_1;  // dense, over the same box
};

// Builds order 1 at the resolution and order 0 at the least resolution that takes at least as much
// memory.
FieldPair build_pair(const Mesh& mesh, int resolution);

// Draws how far each field is off on a plane through the mesh, side by side, with the true surface
// and each field's own.
Image draw_field_order(const Mesh& mesh);

}  // namespace graze

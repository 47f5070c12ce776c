// Sheets: open meshes of a single layer over a plane, as terrain and floors are.
#pragma once

#include <optional>

#include "graze/mesh.h"

class btConcaveShape;

namespace graze::bullet {

// Two closed meshes, both of which have the sheet as a part of their surface: one goes on below it,
// the other above.
struct SheetSides {
    Mesh below, above;
    Vec3 up;  // an axis
};

// Returns nothing where the mesh has several layers, or parts that are as steep as a wall. shape
// has the same triangles, in a tree; they have no front.
std::optional<SheetSides> close_sheet(const Mesh& mesh, const btConcaveShape& shape);

}  // namespace graze::bullet

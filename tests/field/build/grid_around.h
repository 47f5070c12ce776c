// grid_around: a small grid for tests of fields.
#pragma once

#include <algorithm>

#include "graze/field_grid.h"
#include "graze/mesh.h"

namespace graze {

// The grid has so many cells, and the mesh in its middle with at least three cells to spare on each
// side.
inline FieldGrid grid_around(const Mesh& mesh, const Vec3i& cells) {
    const Aabb box = bounds(mesh);
    FieldGrid grid{box.min, 0, {cells.x, cells.y, cells.z}};
    for (int axis = 0; axis < 3; ++axis)
        grid.spacing =
            std::max(grid.spacing, extent(box)[axis] / static_cast<float>(cells[axis] - 6));
    for (int axis = 0; axis < 3; ++axis) {
        const float half = static_cast<float>(cells[axis]) * 0.5f;
        grid.origin[axis] = centre(box)[axis] - grid.spacing * half;
    }
    return grid;
}

}  // namespace graze

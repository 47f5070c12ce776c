// overlap_width tells whether the triangles of a flat outline cover more than one layer.
#pragma once

#include <vector>

#include "graze/mesh.h"
#include "io/meshes/corner_tree.h"

namespace graze::io {

// How wide the widest region is that two triangles share, across its longest diagonal. The
// triangles are those that clip_ears() made of an outline at most 1 wide and high. The result is 0
// exactly where no two of them overlap, and infinite where finding it would take too long.
double overlap_width(const std::vector<Vec2d>& points, const std::vector<Triangle>& triangles);

// How wide the widest triangle is that turns right: 0 exactly where there is none.
double flipped_width(const std::vector<Vec2d>& points, const std::vector<Triangle>& triangles);

}  // namespace graze::io

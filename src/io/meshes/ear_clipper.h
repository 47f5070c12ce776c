// clip_ears cuts a flat outline into triangles.
#pragma once

#include <vector>

#include "graze/mesh.h"
#include "io/meshes/corner_tree.h"

namespace graze::io {

// Appends n - 2 triangles, over indices of the points of an outline of n >= 3 corners that turns
// left. Each is an ear, which turns left, or has no area, and the result is true; an outline that
// crosses itself may come to an end at which no ear is left: what is left then becomes a fan, and
// the result is false.
//
// A corner that is no farther than tolerance outside of an ear counts as one in it, which leaves no
// ear that it would poke through; then triangles may turn right by as much.
//
// Time is about n log n. An outline that takes more than 1000 steps for each corner, as one does
// that touches itself all over, is refused by a PolygonError.
bool clip_ears(const std::vector<Vec2d>& points, std::vector<Triangle>& triangles,
               double tolerance = 0);

}  // namespace graze::io

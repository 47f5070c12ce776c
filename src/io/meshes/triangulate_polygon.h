// triangulate_polygon cuts a polygon into triangles over its own corners.
#pragma once

#include <cstdint>
#include <span>

#include "graze/mesh.h"

namespace graze::io {

// Writes exactly n - 2 triangles for a polygon of n >= 3 corners (indices into positions, all in
// range), each of which turns as the polygon does.
//
// Concave and slightly bent polygons keep their area: quads are cut along the diagonal that flips
// neither triangle, larger polygons by ear clipping in the plane of their Newell normal. A polygon
// that has no such cut (no area, self-crossing) becomes a fan. Corners that coincide are kept and
// give degenerate triangles.
//
// Time is linear in n for convex polygons and O(n^2) for concave ones of up to about 250 corners.
// Beyond that the steps per corner are bounded: a polygon that uses them up gets a fan for the rest
// of it, and one of more than 65,536 corners is a fan from the start.
template <class T>
void triangulate_polygon(std::span<const Vec3T<T>> positions,
                         std::span<const std::uint32_t> corners, Triangle* triangles);

}  // namespace graze::io

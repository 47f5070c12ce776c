// triangulate_polygon cuts a polygon into triangles over its own corners.
#pragma once

#include <cstdint>
#include <span>

#include "graze/error.h"
#include "graze/mesh.h"

namespace graze::io {

// Why a polygon cannot be cut; the reader adds the file's name.
class PolygonError : public Error {
public:
    using Error::Error;
};

// Writes exactly n - 2 triangles for a polygon of n >= 3 corners (indices into positions, all in
// range), each of which turns as the polygon does.
//
// Concave and slightly bent polygons keep their area: quads are cut along the diagonal that flips
// neither triangle, larger polygons by ear clipping in the plane of their Newell normal; a strictly
// convex one is a fan. A polygon that crosses itself or has no area has no such cut; what is left
// of it when no ear is left becomes a fan. Corners that coincide are kept and give degenerate
// triangles.
//
// Time is linear in n for convex polygons and about n log n for others. An outline that takes more
// than 1000 steps for each corner, as one does that touches itself all over, is refused by a
// PolygonError.
template <class T>
void triangulate_polygon(std::span<const Vec3T<T>> positions,
                         std::span<const std::uint32_t> corners, Triangle* triangles);

}  // namespace graze::io

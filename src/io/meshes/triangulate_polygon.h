// triangulate_polygon cuts a polygon into triangles over its own corners.
#pragma once

#include <cstdint>
#include <span>

#include "graze/error.h"
#include "graze/mesh.h"

namespace graze::io {

// Why a polygon cannot be cut; the reader adds where the face is.
class PolygonError : public Error {
public:
    using Error::Error;
};

// Writes exactly n - 2 triangles for a polygon of n >= 3 corners (indices into positions, all in
// range), each of which turns as the polygon does.
//
// Concave and slightly bent polygons keep their area: quads are cut along the diagonal that flips
// neither triangle, larger polygons by ear clipping as seen along an axis or along their Newell
// normal, with exact orientations; a strictly convex one is a fan. Outlines may touch themselves,
// as those with holes do. Corners that coincide or lie on a line are kept and give triangles
// without area.
//
// Throws PolygonError for a polygon that crosses itself, which no such triangles cover. It counts
// as crossing where what is flipped or covered twice is wider than 2^-22 of the coordinates, as
// rounding to floats can make it: so a polygon without area is none, and any triangles are right
// for it.
//
// Time is linear in n for convex polygons and about n log n for others. An outline that takes more
// than 1000 steps for each corner, as one does that touches itself all over, is refused by a
// PolygonError.
template <class T>
void triangulate_polygon(std::span<const Vec3T<T>> positions,
                         std::span<const std::uint32_t> corners, Triangle* triangles);

}  // namespace graze::io

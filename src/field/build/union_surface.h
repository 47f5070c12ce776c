// find_union_surface: the surface of the union of a mesh's closed parts, without the walls inside.
//
// Sides come from the winding number of the whole mesh, so that parts that overlap are one solid. A
// wall of one part within another is no surface of that solid, and distances must not be measured
// to it. A triangle that meets no other part is wholly a surface or wholly within; the others'
// winding number at one of its points tells which. One that meets another part is cut in halves
// again and again, until pieces meet none, or are shorter than the seam: those are kept, unless
// they lie within the union whatever is on either side of the parts that they meet.
//
// So all of the union's surface is kept, and of what lies within it only pieces at the seams, no
// farther from the surface than the seam is long: a piece that meets one other part, and is not
// within a third, is partly outside of both, and that part of it is surface. One that meets several
// is cut on, until a point of it is seen on the surface, or it is shorter than a sixteenth of the
// seam. Hence, for the distance to what is kept: outside it is exact, as every way from there to a
// piece within crosses the surface; inside it is short by the seam's length at most. Beyond that
// bound are walls of a part that meets itself, walls that coincide, and what is near walls of three
// parts that come closer together than a sixteenth of the seam (find_buried_surface() measures what
// is left within).
#pragma once

#include <optional>

#include "geometry/mesh_parts.h"

namespace graze {

struct UnionSurface {
    Mesh mesh;  // open
    std::int64_t overlapping_part_count = 0;
    std::int64_t dropped_count = 0;  // triangles of which nothing is left
};

// Returns nothing where no triangle lies in another part, wholly or in pieces. The seam is in
// metres. The mesh and its parts are those of a TidyMesh. Parts that are open are kept as they are,
// and so are those so close to them that their winding number might make a side of a wall an outer
// one.
std::optional<UnionSurface> find_union_surface(CpuExecutor& executor, const Mesh& mesh,
                                               const MeshParts& parts, float seam);

}  // namespace graze

// split_caps: long caps cut into short ones, so that a tree over them has compact clusters.
//
// A mesh that is open in thousands of places, such as loose needles as long as the mesh is wide,
// has caps just as long, and no point is far from a cluster of those: each would be looked at for
// each sample. Pieces of them are far from nearly all samples.
//
// An edge is halved by its length alone, so that two caps beside it stay neighbours. Its middle is
// rounded to floats and lies beside a border of the mesh, not on it: slivers, triangles between a
// border's edge and its halves, keep mesh, pieces and slivers together closed. A sliver is as thin
// as rounding, so that its winding number can be left out everywhere but at the border itself.
#pragma once

#include "geometry/cap_holes.h"

namespace graze {

struct SplitCaps {
    std::vector<Vec3> positions;  // of vertices that follow those of the mesh
    std::vector<Triangle> caps;
    std::vector<Triangle> slivers;
};

// Cuts caps whose edges are longer than longest, as caps of a mesh with these open edges.
SplitCaps split_caps(const std::vector<Vec3>& positions, const std::vector<OpenEdge>& open_edges,
                     const std::vector<Triangle>& caps, float longest);

// Returns the length to which caps are best cut, by an estimate of how many clusters and triangles
// a sample then looks at; infinite where it is best to leave them whole, as where they are few.
float choose_cap_length(const std::vector<Vec3>& positions, const std::vector<Triangle>& caps);

}  // namespace graze

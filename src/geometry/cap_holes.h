// cap_holes: triangles that close a mesh. Where the mesh is open, more triangles run along an edge
// in one direction than in the other; the caps make up for that, so that mesh and caps together
// have a whole winding number everywhere, by which row_crossings.h tells sides exactly. What is
// taken off it again is the caps' own share, a smooth function away from them.
//
// That holds for any caps, whatever they look like. These are balanced: a border of n edges is cut
// into halves again and again, so that few caps are large and a tree over them works well.
#pragma once

#include <vector>

#include "graze/mesh.h"
#include "parallel/cpu_executor.h"

namespace graze {

// An edge of a mesh that not as many triangles run along in one direction as in the other.
struct OpenEdge {
    std::uint32_t from, to;  // the direction in which more of them run
    std::uint32_t excess;    // how many more
};

// Returns the open edges, sorted by their vertices. An edge from a vertex to itself does not count.
std::vector<OpenEdge> find_open_edges(CpuExecutor& executor,
                                      const std::vector<Triangle>& triangles);

// Returns triangles over vertices of the open edges that, added to the mesh, leave no edge open.
std::vector<Triangle> cap_holes(const std::vector<OpenEdge>& open_edges);

}  // namespace graze

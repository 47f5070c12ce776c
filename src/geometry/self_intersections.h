// find_self_intersections: the pairs of a mesh's triangles that meet elsewhere than in a shared
// vertex or edge, exactly decided.
#pragma once

#include <vector>

#include "geometry/bvh/bvh_pairs.h"
#include "graze/mesh.h"
#include "parallel/cpu_executor.h"

namespace graze {

// The pairs in ascending order; see intersect_mesh_triangles.h for what counts.
std::vector<IndexPair> find_self_intersections(CpuExecutor& executor, const Mesh& mesh);
std::int64_t count_self_intersections(CpuExecutor& executor, const Mesh& mesh);

}  // namespace graze

// find_first_hits: the first hits of many rays at once. The answers are those of FirstHit on the
// binary tree.
#pragma once

#include "geometry/bvh/quantised_bvh.h"

namespace graze {

// rays and hits are in the executor's memory.
template <class Executor>
void find_first_hits(Executor& executor, const TriangleBvh& bvh, const QuantisedBvh& quantised,
                     const Ray* rays, std::int64_t count, RayHit* hits);

}  // namespace graze

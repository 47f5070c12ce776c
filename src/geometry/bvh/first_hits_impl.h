// CastRay: one ray after the other. On the device warp_first_hits.h does this by warps.
#pragma once

#include "geometry/bvh/first_hits.h"
#include "geometry/bvh/quantised_traverse.h"

namespace graze {

struct CastRay {
    QuantisedBvhView bvh;
    const BvhTriangle* triangles;
    const Ray* rays;
    RayHit* hits;
    GRAZE_HD void operator()(std::int64_t i) const {
        FirstHit query(rays[i], triangles);
        traverse(bvh, rays[i], query);
        hits[i] = query.hit();
    }
};

}  // namespace graze

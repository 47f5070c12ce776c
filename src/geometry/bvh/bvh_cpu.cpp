#include "geometry/bvh/bvh_pairs_impl.h"
#include "geometry/bvh/first_hits_impl.h"
#include "geometry/bvh/quantised_bvh_impl.h"
#include "geometry/bvh/triangle_bvh_impl.h"
#include "geometry/bvh/wide_bvh_impl.h"
#include "geometry/bvh/winding_number_impl.h"
#include "parallel/cpu_executor.h"

namespace graze {

template void build_bvh(CpuExecutor&, const Aabb*, std::int64_t, BvhQuality, Bvh&, BvhWorkspace&);
template void refit_bvh(CpuExecutor&, const Aabb*, Bvh&, BvhWorkspace&);
template void build_triangle_bvh(CpuExecutor&, const Vec3*, const Triangle*, std::int64_t,
                                 BvhQuality, TriangleBvh&);
template void refit_triangle_bvh(CpuExecutor&, const Vec3*, const Triangle*, TriangleBvh&);
template void find_self_overlaps(CpuExecutor&, const Bvh&, const Aabb*, BvhPairs&);
template void build_winding_tree(CpuExecutor&, const TriangleBvh&, WindingTree&);
template void build_wide_bvh(CpuExecutor&, const TriangleBvh&, WideBvh&);
template void refit_wide_bvh(CpuExecutor&, const TriangleBvh&, WideBvh&);
template void build_quantised_bvh(CpuExecutor&, const TriangleBvh&, QuantisedBvh&);
template void refit_quantised_bvh(CpuExecutor&, const TriangleBvh&, QuantisedBvh&);

template <>
void find_first_hits(CpuExecutor& executor, const TriangleBvh& bvh, const QuantisedBvh& quantised,
                     const Ray* rays, std::int64_t count, RayHit* hits) {
    executor.for_each("first hits", count,
                      CastRay{quantised.view(bvh), bvh.triangles.data(), rays, hits}, 64);
}

}  // namespace graze

#include "geometry/bvh/bvh_pairs_impl.h"
#include "geometry/bvh/triangle_bvh_impl.h"
#include "geometry/bvh/winding_number_impl.h"
#include "parallel/cuda_executor.h"

namespace graze {

template void build_bvh(CudaExecutor&, const Aabb*, std::int64_t, BvhQuality, Bvh&, BvhWorkspace&);
template void refit_bvh(CudaExecutor&, const Aabb*, Bvh&, BvhWorkspace&);
template void build_triangle_bvh(CudaExecutor&, const Vec3*, const Triangle*, std::int64_t,
                                 BvhQuality, TriangleBvh&);
template void refit_triangle_bvh(CudaExecutor&, const Vec3*, const Triangle*, TriangleBvh&);
template void find_self_overlaps(CudaExecutor&, const Bvh&, const Aabb*, BvhPairs&);
template void build_winding_tree(CudaExecutor&, const TriangleBvh&, WindingTree&);

}  // namespace graze

#include "geometry/bvh/first_hits.h"
#include "geometry/bvh/quantised_bvh_impl.h"
#include "geometry/bvh/warp_first_hits.h"
#include "parallel/cuda_executor.h"
#include "parallel/fill.h"

namespace graze {
namespace {

__global__ void __launch_bounds__(WarpFirstHits::kBlockSize, WarpFirstHits::kBlocks)
    find_by_warps(WarpFirstHits work) {
    const auto i = static_cast<std::int64_t>(blockIdx.x) * WarpFirstHits::kBlockSize + threadIdx.x;
    if (i < work.thread_count()) work(i);
}

}  // namespace

template void build_quantised_bvh(CudaExecutor&, const TriangleBvh&, QuantisedBvh&);
template void refit_quantised_bvh(CudaExecutor&, const TriangleBvh&, QuantisedBvh&);

template <>
void find_first_hits(CudaExecutor& executor, const TriangleBvh& bvh, const QuantisedBvh& quantised,
                     const Ray* rays, std::int64_t count, RayHit* hits) {
    if (bvh.triangles.is_empty()) {
        return executor.for_each("first hits", count, Fill<RayHit>{hits, RayHit{}});
    }
    constexpr int kSize = WarpFirstHits::kBlockSize;
    const std::int64_t at_once =
        std::int64_t{executor.multiprocessor_count()} * WarpFirstHits::kBlocks * kSize;
    const WarpFirstHits work{quantised.view(bvh), bvh.triangles.data(), rays, count, hits,
                             count <= at_once};
    executor.launch("first hits", (work.thread_count() + kSize - 1) / kSize, kSize, find_by_warps,
                    work);
}

}  // namespace graze

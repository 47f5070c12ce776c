// measure_errors: how far a field is off, measured on a GPU at the points that error_probe.h
// chooses, with a warp for each block and a thread for each probe. Only .cu files include this.
#pragma once

#include "field/build/error_probe.h"
#include "field/build/mesh_source.h"
#include "field/build/warp_search.h"
#include "parallel/cuda_executor.h"

namespace graze {
namespace cuda_detail {

constexpr int kProbeWarps = 4;
static_assert(kProbesOfBlock == 32);

__global__ inline void __launch_bounds__(kProbeWarps * 32)
    probe_blocks(WarpSource source, SampledFieldView field, SampleSign sign, float offset,
                 const std::int32_t* block_of_brick, std::int64_t count, float* errors) {
    __shared__ WarpScratch scratch[kProbeWarps];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const std::int64_t n = static_cast<std::int64_t>(blockIdx.x) * kProbeWarps + warp;
    if (n >= count) return;
    const Vec3i first = first_cell(field.grid, block_of_brick ? block_of_brick[n] : n);
    const ErrorProbe probe = choose_probe(field, first, lane);
    // A thread without a probe takes the point of one that has one.
    const unsigned has_probe = __ballot_sync(kWholeWarp, probe.cell.x >= 0);
    const int source_lane = probe.cell.x >= 0 ? lane : __ffs(static_cast<int>(has_probe)) - 1;
    const Vec3 point{__shfl_sync(kWholeWarp, probe.point.x, source_lane),
                     __shfl_sync(kWholeWarp, probe.point.y, source_lane),
                     __shfl_sync(kWholeWarp, probe.point.z, source_lane)};
    const WarpNearest nearest = warp_search(source, point, kNoTriangle, scratch[warp]);
    float worst = probed_error(field, probe, nearest.distance_sq, sign, offset);
    __syncwarp();
    for (int step = 16; step > 0; step /= 2)
        worst = max_of(worst, __shfl_xor_sync(kWholeWarp, worst, step));
    if (lane == 0) errors[n] = worst;
}

}  // namespace cuda_detail

// Fills errors[n] for every block of a dense field or every brick of a sparse one; see
// measure_error_cpu.h.
inline void measure_errors(CudaExecutor& executor, const MeshSource& source, float slack,
                           const SampledField& field, const SampleSign& sign, float offset,
                           float* errors) {
    const WarpSource warps{source.bvh.tree.view(), source.prepared.data(), slack};
    const std::int64_t count = field.is_sparse ? field.brick_count() : block_count(field.grid);
    const std::int32_t* blocks = field.is_sparse ? field.block_of_brick.data() : nullptr;
    executor.launch("field: measure errors",
                    (count + cuda_detail::kProbeWarps - 1) / cuda_detail::kProbeWarps,
                    cuda_detail::kProbeWarps * 32, cuda_detail::probe_blocks, warps, field.view(),
                    sign, offset, blocks, count, errors);
}

}  // namespace graze

// fill_cubes: fills cubes of samples on a GPU. It finds the closest triangle of each sample
// (warp_search.h) and passes it to a callable store(FoundSample). Only .cu files include this.
#pragma once

#include "field/build/mesh_source.h"
#include "field/build/sample_cubes.h"
#include "field/build/warp_search.h"
#include "parallel/cuda_executor.h"

namespace graze {
namespace cuda_detail {

// Four warps fill a cube. A warp takes neighbouring packets of 32 samples one after the other, and
// begins with the triangles that were closest in the packet before.
constexpr int kCubeWarps = 4;

// A cube has 16 packets of 4 x 4 x 2 samples; a cube of 9 has two more for each of the faces at 8,
// and one for the edges between them.
__device__ __forceinline__ int packet_count(int side) {
    return side == 9 ? 23 : 16;
}
__device__ __forceinline__ Vec3i packet_sample(int packet, int lane) {
    if (packet < 16) {
        const int column = packet >> 2;
        return {(column & 1) * 4 + (lane & 3), (column >> 1) * 4 + (lane >> 2 & 3),
                (packet & 3) * 2 + (lane >> 4)};
    }
    const int u = lane & 7, v = (lane >> 3) + (packet & 1) * 4;
    if (packet < 18) return {8, u, v};
    if (packet < 20) return {u, 8, v};
    if (packet < 22) return {u, v, 8};
    const int along = lane < 24 ? u : 8;
    const int axis = lane >> 3;
    return {axis == 0 ? along : 8, axis == 1 ? along : 8, axis == 2 ? along : 8};
}
// Whether a thread has to store its sample: the last packet's threads beyond 24 repeat the corner.
__device__ __forceinline__ bool is_own_sample(int packet, int lane) {
    return packet < 22 || lane <= 24;
}

template <class Store>
__global__ void __launch_bounds__(kCubeWarps * 32, 5)
    fill_cubes(WarpSource source, SampleCubes cubes, std::int64_t begin, Store store) {
    __shared__ WarpScratch scratch[kCubeWarps];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const std::int64_t n = begin + blockIdx.x;
    const Vec3i first = cubes.first_sample(n);
    const int count = packet_count(cubes.side);
    std::uint32_t seed = kNoTriangle;
    for (int packet = warp * count / kCubeWarps; packet < (warp + 1) * count / kCubeWarps;
         ++packet) {
        const Vec3i local = packet_sample(packet, lane);
        const Vec3i sample = first + local;
        const bool is_stored = cubes.is_in_grid(sample) && is_own_sample(packet, lane);
        // Points beyond the grid are moved to its end, so that they do not widen the search.
        const Vec3 point =
            cubes.position({min(sample.x, cubes.grid.cells[0]), min(sample.y, cubes.grid.cells[1]),
                            min(sample.z, cubes.grid.cells[2])});
        const WarpNearest nearest = warp_search(source, point, seed, scratch[warp]);
        seed = nearest.slot;
        if (is_stored) store({n, local, sample, point, nearest.distance_sq, nearest.slot});
        __syncwarp();
    }
}

}  // namespace cuda_detail

// Fills cubes [begin, end).
template <class Store>
void fill_cubes(CudaExecutor& executor, const MeshSource& source, float slack,
                const SampleCubes& cubes, std::int64_t begin, std::int64_t end,
                const Store& store) {
    const WarpSource warps{source.bvh.tree.view(), source.prepared.data(), slack};
    executor.launch("field: fill cubes", end - begin, cuda_detail::kCubeWarps * 32,
                    cuda_detail::fill_cubes<Store>, warps, cubes, begin, store);
}

}  // namespace graze

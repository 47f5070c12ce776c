// BlockGroup: a warp, or a block of several, that reduces the contacts of a pair. Only .cu files
// include this. OneThread says what its calls mean.
#pragma once

#include "contacts/thread_group.h"

namespace graze {

template <int kSize>
class BlockGroup {
    static constexpr unsigned kAll = 0xffffffffu;
    static constexpr unsigned kWarpCount = kSize / 32;
    static_assert(kSize % 32 == 0 && kWarpCount <= 32);

public:
    static constexpr std::uint32_t kBinCount = OneThread::kBinCount;
    // What the threads of a group have in shared memory.
    struct Shared {
        std::uint32_t bins[kBinCount];
        std::uint32_t sums[kWarpCount];
        Candidate candidates[kWarpCount];
    };

    __device__ explicit BlockGroup(Shared& shared) : shared_(shared) {}

    __device__ std::uint32_t rank() const { return threadIdx.x % kSize; }
    __device__ static constexpr std::uint32_t size() { return kSize; }
    __device__ std::uint32_t* bins() { return shared_.bins; }

    __device__ void sync() {
        if constexpr (kWarpCount == 1) {
            __syncwarp();
        } else {
            __syncthreads();
        }
    }

    __device__ std::uint32_t sum_before(std::uint32_t value, std::uint32_t& total) {
        const std::uint32_t up_to = sum_up_to(value);
        if constexpr (kWarpCount == 1) {
            __syncwarp();  // shuffles alone order no writes
            total = __shfl_sync(kAll, up_to, 31);
            return up_to - value;
        }
        if (lane() == 31) shared_.sums[warp()] = up_to;
        __syncthreads();
        // Each warp sums up the totals of all warps.
        const std::uint32_t warps_up_to = sum_up_to(lane() < kWarpCount ? shared_.sums[lane()] : 0);
        __syncthreads();
        total = __shfl_sync(kAll, warps_up_to, 31);
        const std::uint32_t warps_before = __shfl_sync(kAll, warps_up_to, (warp() + 31) % 32);
        return (warp() == 0 ? 0 : warps_before) + up_to - value;
    }

    __device__ Candidate first_of(const Candidate& own) {
        const Candidate of_warp = first_of_warp(own);
        if constexpr (kWarpCount == 1) {
            __syncwarp();
            return of_warp;
        }
        if (lane() == 0) shared_.candidates[warp()] = of_warp;
        __syncthreads();
        const Candidate first = first_of_warp(shared_.candidates[lane() % kWarpCount]);
        __syncthreads();
        return first;
    }

    __device__ static void add_one(std::uint32_t* target) { atomicAdd(target, 1u); }
    __device__ static std::uint32_t exchange(std::uint32_t* target, std::uint32_t expected,
                                             std::uint32_t value) {
        return atomicCAS(target, expected, value);
    }

private:
    __device__ static unsigned lane() { return threadIdx.x % 32; }
    __device__ static unsigned warp() { return threadIdx.x % kSize / 32; }

    __device__ static std::uint32_t sum_up_to(std::uint32_t value) {
        for (unsigned step = 1; step < 32; step *= 2) {
            const std::uint32_t below = __shfl_up_sync(kAll, value, step);
            if (lane() >= step) value += below;
        }
        return value;
    }
    __device__ static Candidate first_of_warp(Candidate best) {
        for (int step = 16; step > 0; step /= 2) {
            const Candidate other{__shfl_xor_sync(kAll, best.value, step),
                                  __shfl_xor_sync(kAll, best.pick, step),
                                  __shfl_xor_sync(kAll, best.index, step)};
            if (other.is_before(best)) best = other;
        }
        return best;
    }

    Shared& shared_;
};

}  // namespace graze

// SampleFillers: the steps of a build that go through samples, on the host. They are compiled twice
// (core/lane_target.h) and chosen by what the machine has; the bits are the same.
#pragma once

#include "field/build/error_probe.h"
#include "field/build/mesh_source.h"
#include "field/build/store_sample.h"
#include "parallel/cpu_executor.h"

namespace graze {

struct SampleFillers {
    // Fills cubes [begin, end).
    void (*fill_cubes)(CpuExecutor& executor, const MeshSource& source, float slack,
                       const SampleCubes& cubes, std::int64_t begin, std::int64_t end,
                       const StoreSample& store);
    // Fills the bricks [begin, end), counted from the last. is_filled has a flag for each brick, 0
    // at first.
    void (*fill_bricks)(CpuExecutor& executor, const MeshSource& source, float slack,
                        const SampleCubes& cubes, std::int64_t begin, std::int64_t end,
                        const StoreSample& store, const BrickErrors& measure,
                        std::uint8_t* is_filled);
    // Fills errors[n] for every block of a dense field. The sign is that of the grid of cell
    // centres; the offset is taken off distances, as in StoreSample.
    void (*measure_errors)(CpuExecutor& executor, const MeshSource& source, float slack,
                           const SampledField& field, const SampleSign& sign, float offset,
                           float* errors);
};

// These run on every machine that the library runs on.
const SampleFillers& common_fillers();
// These use AVX-512 and are 4 to 5% faster. Returns null where the machine does not have it, or
// where the library was built for older machines than AVX2 or for newer ones.
const SampleFillers* avx512_fillers();
inline const SampleFillers& best_fillers() {
    return avx512_fillers() ? *avx512_fillers() : common_fillers();
}

inline void fill_cubes(CpuExecutor& executor, const MeshSource& source, float slack,
                       const SampleCubes& cubes, std::int64_t begin, std::int64_t end,
                       const StoreSample& store) {
    best_fillers().fill_cubes(executor, source, slack, cubes, begin, end, store);
}
inline void fill_bricks(CpuExecutor& executor, const MeshSource& source, float slack,
                        const SampleCubes& cubes, std::int64_t begin, std::int64_t end,
                        const StoreSample& store, const BrickErrors& measure,
                        std::uint8_t* is_filled) {
    best_fillers().fill_bricks(executor, source, slack, cubes, begin, end, store, measure,
                               is_filled);
}
inline void measure_errors(CpuExecutor& executor, const MeshSource& source, float slack,
                           const SampledField& field, const SampleSign& sign, float offset,
                           float* errors) {
    best_fillers().measure_errors(executor, source, slack, field, sign, offset, errors);
}

}  // namespace graze

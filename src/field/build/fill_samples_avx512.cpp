// avx512_fillers: the functions of fill_samples_cpu.cpp, compiled for AVX-512. The flag is not set
// for the whole source, as inline functions of the standard library would be compiled for it too,
// and the linker might take them for all others.
#if defined(__x86_64__) && defined(__AVX2__) && !defined(__AVX512VL__)
#define GRAZE_LANES_AVX512
#endif
#include "field/build/fill_bricks_cpu.h"
#include "field/build/fill_samples_cpu.h"
#include "field/build/measure_error_cpu.h"

namespace graze {

const SampleFillers* avx512_fillers() {
#if defined(GRAZE_LANES_AVX512)
    static constexpr SampleFillers kFillers{fill_cubes_by_lanes, fill_bricks_by_lanes,
                                            measure_errors_by_lanes};
    static const bool is_there =
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
    return is_there ? &kFillers : nullptr;
#else
    return nullptr;
#endif
}

}  // namespace graze

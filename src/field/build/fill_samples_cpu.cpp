#include "field/build/fill_samples_cpu.h"

#include "field/build/fill_bricks_cpu.h"
#include "field/build/measure_error_cpu.h"

namespace graze {

const SampleFillers& common_fillers() {
    static constexpr SampleFillers kFillers{fill_cubes_by_lanes, fill_bricks_by_lanes,
                                            measure_errors_by_lanes};
    return kFillers;
}

}  // namespace graze

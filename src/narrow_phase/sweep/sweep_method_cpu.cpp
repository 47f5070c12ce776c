#include "narrow_phase/sweep/sweep_method_impl.h"
#include "narrow_phase/sweep/sweep_points_lanes.h"
#include "parallel/cpu_executor.h"

namespace graze {

template class SweepSearch<CpuExecutor>;
template std::unique_ptr<MethodOn<CpuExecutor>> make_sweep_method(CpuExecutor&,
                                                                  const DetectorOptions&);

}  // namespace graze

#include "narrow_phase/sweep/sweep_method_impl.h"
#include "narrow_phase/sweep/sweep_points_warps.h"

namespace graze {

template class SweepSearch<CudaExecutor>;
template std::unique_ptr<MethodOn<CudaExecutor>> make_sweep_method(CudaExecutor&,
                                                                   const DetectorOptions&);

}  // namespace graze

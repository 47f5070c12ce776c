#include "narrow_phase/features/rigid_features_impl.h"
#include "parallel/cuda_executor.h"

namespace graze {

template std::unique_ptr<MethodOn<CudaExecutor>> make_features_method(CudaExecutor&,
                                                                      const DetectorOptions&);

}  // namespace graze

#include "narrow_phase/features/rigid_features_impl.h"
#include "parallel/cpu_executor.h"

namespace graze {

template std::unique_ptr<MethodOn<CpuExecutor>> make_features_method(CpuExecutor&,
                                                                     const DetectorOptions&);

}  // namespace graze

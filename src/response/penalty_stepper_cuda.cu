#include "parallel/cuda_executor.h"
#include "response/penalty_stepper_impl.h"

namespace graze {

std::unique_ptr<PenaltyStepper> make_cuda_penalty_stepper(const std::vector<PenaltyBody>& bodies,
                                                          const PenaltySettings& settings,
                                                          const Device& device) {
    return std::make_unique<PenaltyStepperOn<CudaExecutor>>(bodies, settings, pinned_memory(),
                                                            device.index());
}

}  // namespace graze

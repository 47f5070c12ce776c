#include "parallel/cpu_executor.h"
#include "response/penalty_stepper_impl.h"

namespace graze {

std::unique_ptr<PenaltyStepper> make_cpu_penalty_stepper(const std::vector<PenaltyBody>& bodies,
                                                         const PenaltySettings& settings,
                                                         const Device& device) {
    return std::make_unique<PenaltyStepperOn<CpuExecutor>>(bodies, settings, host_memory(),
                                                           device.threads());
}

}  // namespace graze

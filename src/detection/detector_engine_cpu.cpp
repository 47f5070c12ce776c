#include "detection/detector_engine_impl.h"
#include "parallel/cpu_executor.h"

namespace graze {

std::unique_ptr<DetectorEngine> make_cpu_engine(Method method, const DetectorOptions& options,
                                                const Device& device) {
    return std::make_unique<DetectorEngineOn<CpuExecutor, NoTextures>>(
        method, options, host_memory(), device.threads());
}

}  // namespace graze

#include "detection/detector_engine_impl.h"
#include "detection/shape_textures.h"
#include "parallel/cuda_executor.h"

namespace graze {

std::unique_ptr<DetectorEngine> make_cuda_engine(Method method, const DetectorOptions& options,
                                                 const Device& device) {
    return std::make_unique<DetectorEngineOn<CudaExecutor, ShapeTextures>>(
        method, options, pinned_memory(), device.index());
}

}  // namespace graze

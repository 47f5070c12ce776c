#include "field/segments/segment_engine_impl.h"
#include "parallel/cuda_executor.h"

namespace graze {

std::unique_ptr<SegmentEngine> make_cuda_segment_engine(const Field& field, const Device& device) {
    return std::make_unique<SegmentEngineOn<CudaExecutor>>(field, device.index());
}

}  // namespace graze

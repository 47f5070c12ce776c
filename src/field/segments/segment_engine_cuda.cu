#include "field/segments/segment_engine_warps.h"

namespace graze {

template class SegmentFinder<CudaExecutor>;

std::unique_ptr<SegmentEngine> make_cuda_segment_engine(const Field& field, const Device& device) {
    return std::make_unique<SegmentEngineOn<CudaExecutor>>(field, device.index());
}

}  // namespace graze

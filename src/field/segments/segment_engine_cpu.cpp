#include "field/segments/segment_engine_lanes.h"
#include "parallel/cpu_executor.h"

namespace graze {

std::unique_ptr<SegmentEngine> make_cpu_segment_engine(const Field& field, const Device& device) {
    return std::make_unique<SegmentEngineOn<CpuExecutor>>(field, device.threads());
}

}  // namespace graze

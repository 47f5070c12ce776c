#include "narrow_phase/feature_search_fused.h"
#include "narrow_phase/intersection_search_fused.h"
#include "scene/deforming_engine_impl.h"

namespace graze {

std::unique_ptr<DeformingDetector::Engine> make_cpu_deforming_engine(
    const DeformingTopology& topology, const DeformingOptions& options) {
    return std::make_unique<
        DeformingEngineOn<CpuExecutor, FusedFeatureSearch, FusedIntersectionSearch>>(
        topology, options, Device::cpu(), host_memory(), options.thread_count);
}

}  // namespace graze

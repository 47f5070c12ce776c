#include "detection/deforming_engine_impl.h"
#include "narrow_phase/features/feature_search_fused.h"
#include "narrow_phase/features/impact_pieces_fused.h"
#include "narrow_phase/features/intersection_search_fused.h"
#include "narrow_phase/features/patch_contours_lanes.h"

namespace graze {

std::unique_ptr<DeformingDetector::Engine> make_cpu_deforming_engine(
    const DeformingTopology& topology, const DeformingOptions& options, const Device& device) {
    return std::make_unique<
        DeformingEngineOn<CpuExecutor, FusedFeatureSearch, FusedImpactPieces,
                          FusedIntersectionSearch, PatchCertifier<CpuExecutor, SightInLanes>>>(
        topology, options, device, host_memory(), device.threads());
}

}  // namespace graze

#include "broad_phase/element_slot_units.h"
#include "detection/deforming_engine_impl.h"
#include "narrow_phase/features/feature_search_staged.h"
#include "narrow_phase/features/intersection_search_staged.h"
#include "parallel/cuda_executor.h"

namespace graze {

namespace {

template <class Hit>
using CudaFeatureSearch = StagedFeatureSearch<CudaExecutor, Hit>;

}  // namespace

std::unique_ptr<DeformingDetector::Engine> make_cuda_deforming_engine(
    const DeformingTopology& topology, const DeformingOptions& options, const Device& device) {
    return std::make_unique<
        DeformingEngineOn<CudaExecutor, CudaFeatureSearch, deforming_detail::WholePieces,
                          StagedIntersectionSearch<CudaExecutor>, PatchCertifier<CudaExecutor>>>(
        topology, options, device, pinned_memory(), device.index());
}

}  // namespace graze

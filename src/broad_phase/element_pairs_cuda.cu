#include "broad_phase/element_slot_units.h"
#include "parallel/cuda_executor.h"

namespace graze {

template void find_element_pairs(CudaExecutor&, const Aabb*, std::int64_t, PairSearch,
                                 ElementPairs&);

}  // namespace graze

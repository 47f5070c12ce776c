#include "broad_phase/element_leaf_units.h"

namespace graze {

template void find_element_pairs(CpuExecutor&, const Aabb*, std::int64_t, PairSearch,
                                 ElementPairs&);

}  // namespace graze

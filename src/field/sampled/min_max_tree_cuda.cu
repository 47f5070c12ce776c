#include "field/sampled/min_max_tree_impl.h"
#include "parallel/cuda_executor.h"

namespace graze {

template void build_min_max_tree(CudaExecutor&, SampledField&);

}  // namespace graze

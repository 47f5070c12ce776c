#include "field/sampled/min_max_leaves_lanes.h"
#include "field/sampled/min_max_tree_impl.h"
#include "parallel/cpu_executor.h"

namespace graze {

namespace min_max_detail {
template <>
struct LeafWork<CpuExecutor> {
    using Values = BoundValuesByLanes;
    using Samples = BoundSamplesByLanes;
};
}  // namespace min_max_detail

template void build_min_max_tree(CpuExecutor&, SampledField&);

}  // namespace graze

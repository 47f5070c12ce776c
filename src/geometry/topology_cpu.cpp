#include "geometry/topology_impl.h"
#include "parallel/cpu_executor.h"

namespace graze {

template void build_topology(CpuExecutor&, const Triangle*, std::int64_t, std::int64_t,
                             TopologyWorkspace&, Topology&);
template void compute_pseudonormals(CpuExecutor&, const Vec3*, const Triangle*, const TopologyView&,
                                    Pseudonormals&);

}  // namespace graze

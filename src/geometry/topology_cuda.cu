#include "geometry/topology_impl.h"
#include "parallel/cuda_executor.h"

namespace graze {

template void build_topology(CudaExecutor&, const Triangle*, std::int64_t, std::int64_t,
                             TopologyWorkspace&, Topology&);
template void compute_pseudonormals(CudaExecutor&, const Vec3*, const Triangle*,
                                    const TopologyView&, Pseudonormals&);

}  // namespace graze

#include "narrow_phase/rays/refit_rays_impl.h"
#include "parallel/cuda_executor.h"

namespace graze {

template void refit_rays(CudaExecutor&, const RefittedRays&, RayNormals&, TriangleBvh&);

}  // namespace graze

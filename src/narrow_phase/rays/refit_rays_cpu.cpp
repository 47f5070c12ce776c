#include "narrow_phase/rays/refit_rays_impl.h"
#include "parallel/cpu_executor.h"

namespace graze {

template void refit_rays(CpuExecutor&, const RefittedRays&, RayNormals&, TriangleBvh&);

}  // namespace graze

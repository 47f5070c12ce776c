#include "narrow_phase/features/triangle_intersections_impl.h"
#include "parallel/cpu_executor.h"

namespace graze {

template void add_triangle_candidates(CpuExecutor&, const Vec3*, const Triangle*, const IndexPair*,
                                      std::int64_t, TriangleIntersectionSearch&);
template void add_triangle_candidates(CpuExecutor&, const Vec3d*, const Triangle*, const IndexPair*,
                                      std::int64_t, TriangleIntersectionSearch&);
template void finish_triangle_intersections(CpuExecutor&, const Vec3*, const Triangle*,
                                            TriangleIntersectionSearch&);
template void finish_triangle_intersections(CpuExecutor&, const Vec3d*, const Triangle*,
                                            TriangleIntersectionSearch&);

}  // namespace graze

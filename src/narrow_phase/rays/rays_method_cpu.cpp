#include "geometry/bvh/wide_traverse.h"
#include "narrow_phase/rays/rays_method_impl.h"
#include "parallel/cpu_executor.h"

namespace graze {

// Eight boxes or triangles at a time.
template <>
struct FastestCaster<CpuExecutor> {
    template <class Query>
    static void cast(const ShapeRays& shape, const Ray&, Query& query) {
        traverse(shape.wide, query);
    }
    template <class Query>
    static void look_near(const ShapeRays& shape, Query& query) {
        traverse(shape.wide, query);
    }
};

template std::unique_ptr<MethodOn<CpuExecutor>> make_rays_method(CpuExecutor&,
                                                                 const DetectorOptions&);

}  // namespace graze

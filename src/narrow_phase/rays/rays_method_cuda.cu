#include "geometry/bvh/quantised_traverse.h"
#include "narrow_phase/rays/rays_method_impl.h"
#include "parallel/cuda_executor.h"

namespace graze {

// Eight boxes in 80 bytes.
template <>
struct FastestCaster<CudaExecutor> {
    template <class Query>
    GRAZE_INLINE static void cast(const ShapeRays& shape, const Ray& ray, Query& query) {
        traverse(shape.quantised, ray, query);
    }
    template <class Query>
    GRAZE_INLINE static void look_near(const ShapeRays& shape, Query& query) {
        traverse(shape.tree.tree, query);
    }
};

template std::unique_ptr<MethodOn<CudaExecutor>> make_rays_method(CudaExecutor&,
                                                                  const DetectorOptions&);

}  // namespace graze

#include "broad_phase/body_pairs_impl.h"
#include "parallel/cuda_executor.h"

namespace graze {

template <>
void find_body_pairs(CudaExecutor& executor, const Aabb* boxes, const BodyFilter* filters,
                     std::int64_t body_count, BodyPairs& result) {
    using body_pairs_detail::SearchBySlot;
    body_pairs_detail::find_pairs<SearchBySlot<TouchOneByOne>>(executor, boxes, filters, body_count,
                                                               result);
}

}  // namespace graze

// SlotUnits: every element walks a Bvh by itself and looks for partners in higher slots, which is
// the device's search.
#pragma once

#include "broad_phase/element_pairs_impl.h"
#include "geometry/bvh/bvh_pairs_impl.h"

namespace graze {

struct SlotUnits {
    static constexpr std::int64_t kGrain = 64;
    BvhView bvh;
    const Aabb* boxes;

    std::int64_t count() const { return bvh.primitive_count; }

    template <class Report>
    GRAZE_HD void visit(std::int64_t unit, Report& report) const {
        visit_higher_overlaps(bvh, boxes, unit, report);
    }
};

class CudaExecutor;

template <>
struct ElementTree<CudaExecutor> {
    // A template so that host sources, which know no more of CudaExecutor, can include this.
    template <class Executor>
    static void build(Executor& executor, ElementPairs& result) {
        build_bvh(executor, result.boxes, result.element_count, BvhQuality::fast, result.bvh,
                  result.bvh_workspace);
    }
    static SlotUnits units(const ElementPairs& result) { return {result.bvh.view(), result.boxes}; }
};

}  // namespace graze

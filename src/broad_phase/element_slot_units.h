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

    GRAZE_HD std::int64_t count() const { return bvh.primitive_count; }

    template <class Report>
    GRAZE_HD void visit(std::int64_t unit, Report& report) const {
        visit_higher_overlaps(bvh, boxes, unit, report);
    }
};

// Pairs of one moving element each with static ones.
struct StaticSlotUnits {
    BvhView bvh;  // of static elements
    const std::uint32_t* names;
    const std::uint32_t* moving_names;
    const Aabb* boxes;  // of moving elements
    std::int64_t box_count;
    float margin;  // [m]

    GRAZE_HD std::int64_t count() const { return bvh.primitive_count > 0 ? box_count : 0; }

    template <class Report>
    GRAZE_HD void visit(std::int64_t unit, Report& report) const {
        PairWithStatic<Report> partner{bvh.primitives, names, moving_names[unit], report};
        BoxOverlap<PairWithStatic<Report>> query(grown_box(boxes[unit], margin), partner);
        traverse(bvh, query);
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
    template <class Executor>
    static void build_static(Executor& executor, const Aabb* boxes, std::int64_t count,
                             StaticElements& still) {
        build_bvh(executor, boxes, count, BvhQuality::high, still.bvh, still.bvh_workspace);
    }
    static StaticSlotUnits static_units(const ElementPairs& result) {
        const StaticElements& still = result.still;
        return {still.count > 0 ? still.bvh.view() : BvhView{},
                still.names,
                still.moving_names,
                result.boxes,
                result.element_count,
                still.margin};
    }
};

}  // namespace graze

// SlotUnits: every element walks a Bvh by itself and looks for partners in higher slots, the way of
// the device.
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
        const std::uint32_t own = bvh.primitives[unit];
        Partner<Report> partner{bvh.primitives, own, report};
        bvh_detail::HigherOverlap query(boxes[own], static_cast<std::int32_t>(unit), bvh.is_ordered,
                                        partner);
        traverse(bvh, query);
    }

private:
    template <class Report>
    struct Partner {
        const std::uint32_t* primitives;
        std::uint32_t own;
        Report& report;
        GRAZE_INLINE void operator()(std::uint32_t slot) const {
            const std::uint32_t other = primitives[slot];
            report(min_of(own, other), max_of(own, other));
        }
    };
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

// LeafUnits: the host's tree of elements, walked once for the eight of a leaf, eight boxes at a
// time. Only host sources include this. SlotUnits (element_slot_units.h) is its oracle.
#pragma once

#include "broad_phase/box_group_lanes.h"
#include "broad_phase/element_pairs_impl.h"
#include "parallel/cpu_executor.h"

namespace graze {

struct LeafUnits {
    static constexpr std::int64_t kGrain = 8;
    BoxTreeView tree;

    std::int64_t count() const { return box_tree_detail::group_count(tree.box_count); }

    // Calls report(slot, slot) for each pair: element tree.indices[slot]. Near slots are near in
    // space, so that what is kept by slot is found in the cache.
    template <class Report>
    void visit_slots(std::int64_t unit, Report& report) const {
        const auto leaf = static_cast<std::uint32_t>(unit);
        SlotOfLane<Report> by_lane{leaf << kGroupShift, report};
        visit_leaf_partners(tree, leaf, by_lane);
    }

    template <class Report>
    void visit(std::int64_t unit, Report& report) const {
        ElementOfSlot<Report> by_slot{tree.indices, report};
        visit_slots(unit, by_slot);
    }

private:
    template <class Report>
    struct SlotOfLane {
        std::uint32_t first_slot;
        Report& report;
        GRAZE_INLINE void operator()(std::uint32_t lane, std::uint32_t slot) const {
            report(first_slot + lane, slot);
        }
    };
    template <class Report>
    struct ElementOfSlot {
        const std::uint32_t* indices;
        Report& report;
        GRAZE_INLINE void operator()(std::uint32_t slot_a, std::uint32_t slot_b) const {
            const std::uint32_t a = indices[slot_a], b = indices[slot_b];
            report(min_of(a, b), max_of(a, b));
        }
    };
};

// Pairs of eight moving elements each with static ones.
struct StaticLeafUnits {
    BoxTreeView tree;  // of static elements
    const StaticElements& still;
    const Aabb* boxes;  // of moving elements
    std::int64_t box_count;

    std::int64_t count() const {
        return still.count > 0 ? box_tree_detail::group_count(box_count) : 0;
    }

    template <class Report>
    void visit(std::int64_t unit, Report& report) const {
        const std::int64_t end = min_of((unit + 1) * kGroupSize, box_count);
        for (std::int64_t place = unit * kGroupSize; place < end; ++place) {
            PairWithStatic<Report> partner{tree.indices, still.names, still.moving_names[place],
                                           report};
            ReportSlots<PairWithStatic<Report>> slots{partner};
            visit_from_slot(tree, 0, TouchLanes(grown_box(boxes[place], still.margin)), slots);
        }
    }
};

template <>
struct ElementTree<CpuExecutor> {
    static void build(CpuExecutor& executor, ElementPairs& result) {
        build_box_tree(executor, result.boxes, result.element_count, result.box_tree);
    }
    static LeafUnits units(const ElementPairs& result) { return {result.box_tree.view()}; }
    static void build_static(CpuExecutor& executor, const Aabb* boxes, std::int64_t count,
                             StaticElements& still) {
        build_box_tree(executor, boxes, count, still.box_tree);
    }
    static StaticLeafUnits static_units(const ElementPairs& result) {
        return {result.still.box_tree.view(), result.still, result.boxes, result.element_count};
    }
};

}  // namespace graze

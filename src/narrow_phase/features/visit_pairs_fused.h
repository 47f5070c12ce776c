// Hands the pairs of elements that their bounds do not rule out to a visitor, on all cores, without
// storing any.
#pragma once

#include "broad_phase/element_leaf_units.h"
#include "narrow_phase/features/deforming_view.h"
#include "narrow_phase/features/moving_bounds_lanes.h"
#include "parallel/cpu_executor.h"
#include "parallel/thread_lists.h"

namespace graze {
namespace fused_detail {

struct TestBounds {
    const ElementBounds* bounds;
    const DirectionSlacks& slacks;
    bool is_instant;
    GRAZE_INLINE bool are_apart(std::uint32_t a, std::uint32_t b) const {
        return is_instant ? lanes::are_apart_now(bounds[a], bounds[b], slacks)
                          : lanes::are_apart(bounds[a], bounds[b], slacks);
    }
};

template <class Look>
struct TestElements {
    TestBounds by_element;
    const std::uint32_t* patch_names;
    Look& look;
    GRAZE_INLINE void operator()(std::uint32_t a, std::uint32_t b) const {
        if (by_element.are_apart(a, b)) return;
        if (!are_of_one_patch(patch_names, a, b)) look(a, b);
    }
};
// indices: by slot, among the boxes of the search; names are those of elements by that.
template <class Look>
struct TestSlots {
    TestBounds by_slot;
    const std::uint32_t* indices;
    const std::uint32_t* names;
    const std::uint32_t* patch_names;
    Look& look;
    GRAZE_INLINE void operator()(std::uint32_t slot_a, std::uint32_t slot_b) const {
        if (by_slot.are_apart(slot_a, slot_b)) return;
        const std::uint32_t a = name_of(slot_a), b = name_of(slot_b);
        if (!are_of_one_patch(patch_names, a, b)) look(min_of(a, b), max_of(a, b));
    }

private:
    GRAZE_INLINE std::uint32_t name_of(std::uint32_t slot) const {
        return static_cast<std::uint32_t>(listed(names, indices[slot]));
    }
};

struct GatherBounds {
    const ElementBounds* bounds;
    const std::uint32_t* indices;
    const std::uint32_t* names;
    ElementBounds* by_slot;
    void operator()(std::int64_t slot) const {
        by_slot[slot] = bounds[listed(names, indices[slot])];
    }
};

// Visits all units; a visitor is made for each list by make_look(list).
template <class List, class MakeLook>
struct VisitUnits {
    CpuExecutor& executor;
    const ElementBounds* bounds;
    const DirectionSlacks& slacks;
    bool is_instant;
    const std::uint32_t* patch_names;
    Buffer<ElementBounds>& slot_bounds;
    ThreadLists<List>& lists;
    const MakeLook& make_look;

    // Slots that are near each other are near in space, so that bounds in the order of slots are
    // mostly in the cache.
    void operator()(const LeafUnits& units) const {
        gather(units, nullptr);
        visit(units.count(), LeafUnits::kGrain,
              [&](std::int64_t unit, auto& look) { visit_slots(units, unit, nullptr, look); });
    }
    template <class Static>
    void operator()(const SplitUnits<LeafUnits, Static>& units) const {
        gather(units.moving, units.moving_names);
        const std::int64_t moving_count = units.moving.count();
        visit(units.count(), LeafUnits::kGrain, [&](std::int64_t unit, auto& look) {
            if (unit < moving_count)
                visit_slots(units.moving, unit, units.moving_names, look);
            else
                visit_elements(units.still, unit - moving_count, look);
        });
    }
    template <class Units>
    void operator()(const Units& units) const {
        visit(units.count(), Units::kGrain,
              [&](std::int64_t unit, auto& look) { visit_elements(units, unit, look); });
    }

private:
    void gather(const LeafUnits& units, const std::uint32_t* names) const {
        slot_bounds.resize(units.tree.box_count);
        executor.for_each("pairs: bounds by slot", units.tree.box_count,
                          GatherBounds{bounds, units.tree.indices, names, slot_bounds.data()});
    }
    template <class Look>
    void visit_slots(const LeafUnits& units, std::int64_t unit, const std::uint32_t* names,
                     Look& look) const {
        TestSlots<Look> test{
            {slot_bounds.data(), slacks, is_instant}, units.tree.indices, names, patch_names, look};
        units.visit_slots(unit, test);
    }
    template <class Units, class Look>
    void visit_elements(const Units& units, std::int64_t unit, Look& look) const {
        TestElements<Look> test{{bounds, slacks, is_instant}, patch_names, look};
        units.visit(unit, test);
    }
    template <class Visit>
    void visit(std::int64_t unit_count, std::int64_t grain, const Visit& visit_unit) const {
        executor.for_each_range(unit_count, grain, [&](std::int64_t begin, std::int64_t end) {
            List& list = lists.take();
            auto look = make_look(list);
            for (std::int64_t unit = begin; unit < end; ++unit)
                visit_unit(unit, look);
            lists.give_back(list);
        });
    }
};

}  // namespace fused_detail

// Calls make_look(list)(a, b), a < b, for each such pair of a search that has been built;
// slot_bounds is memory to work with.
template <class T, class List, class MakeLook>
void visit_pairs_fused(CpuExecutor& executor, const DeformingView<T>& view,
                       const ElementPairs& pairs, Buffer<ElementBounds>& slot_bounds,
                       ThreadLists<List>& lists, const MakeLook& make_look) {
    with_units<CpuExecutor>(
        pairs, fused_detail::VisitUnits<List, MakeLook>{
                   executor, view.bounds, view.slacks, view.positions_t0 == view.positions_t1,
                   view.patch_names, slot_bounds, lists, make_look});
}

// True where the parts of two elements may collide.
template <class T>
GRAZE_INLINE bool may_collide(const DeformingView<T>& view, const Element& a, const Element& b) {
    return view.ignored_part_count == 0 ||
           may_collide(a.part, b.part, view.ignored_parts, view.ignored_part_count);
}

}  // namespace graze

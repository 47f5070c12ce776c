// The walk of a BoxTree eight boxes at a time, on the host: TouchLanes tests a group,
// visit_leaf_partners walks the tree once for all members of a leaf. TouchOneByOne and
// visit_partners are their oracles.
#pragma once

#include "broad_phase/box_tree_traverse.h"
#include "core/lanes.h"

namespace graze {

static_assert(kGroupSize == kLaneCount);

// Bit i is set where lanes i of two rows of boxes touch.
GRAZE_INLINE std::uint32_t touching_lanes(const Float8* min_a, const Float8* max_a,
                                          const Float8* min_b, const Float8* max_b) {
    return mask_of((min_a[0] <= max_b[0]) & (min_b[0] <= max_a[0]) & (min_a[1] <= max_b[1]) &
                   (min_b[1] <= max_a[1]) & (min_a[2] <= max_b[2]) & (min_b[2] <= max_a[2]));
}

class TouchLanes {
public:
    GRAZE_INLINE explicit TouchLanes(const Aabb& box) {
        for (int axis = 0; axis < 3; ++axis) {
            min_[axis] = spread<Float8>(box.min[axis]);
            max_[axis] = spread<Float8>(box.max[axis]);
        }
    }
    GRAZE_INLINE std::uint32_t operator()(const BoxGroup& group) const {
        return touching_lanes(min_, max_, reinterpret_cast<const Float8*>(group.min),
                              reinterpret_cast<const Float8*>(group.max));
    }

private:
    Float8 min_[3], max_[3];
};

// Reports which members of its own leaf touch the candidates of another.
template <class Report>
struct MatchLeaves {
    const BoxTreeView& tree;
    std::uint32_t own;
    Report& report;
    void operator()(std::uint32_t leaf, std::uint32_t candidates) const {
        const BoxGroup& mine = tree.leaves[own];
        for (; candidates != 0; candidates &= candidates - 1) {
            const std::uint32_t slot = (leaf << kGroupShift) + trailing_zeros(candidates);
            std::uint32_t mask = TouchLanes(box_in_slot(tree, slot))(mine);
            if (leaf == own) mask &= (1u << (slot & (kGroupSize - 1))) - 1;  // lower slots
            for (; mask != 0; mask &= mask - 1)
                report(trailing_zeros(mask), slot);
        }
    }
};

// Calls report(lane, slot) for each member of a leaf and every partner in a higher slot.
template <class Report>
void visit_leaf_partners(const BoxTreeView& tree, std::uint32_t leaf, Report& report) {
    Aabb box = Aabb::empty();
    for (std::uint32_t lane = 0; lane < kGroupSize; ++lane)
        box = merge(box, box_in_slot(tree, (leaf << kGroupShift) + lane));
    const MatchLeaves<Report> match{tree, leaf, report};
    visit_from_slot(tree, std::int64_t{leaf} << kGroupShift, TouchLanes(box), match);
}

}  // namespace graze

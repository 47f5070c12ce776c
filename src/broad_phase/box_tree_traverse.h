// Walking a BoxTree. box_group_lanes.h has the same for eight boxes at a time on the host.
#pragma once

#include "broad_phase/box_tree.h"
#include "core/bits.h"

namespace graze {

// Which of eight boxes touch one: a bit each.
class TouchOneByOne {
public:
    GRAZE_INLINE explicit TouchOneByOne(const Aabb& box) : box_(box) {}
    GRAZE_INLINE std::uint32_t operator()(const BoxGroup& group) const {
        std::uint32_t mask = 0;
        for (int lane = 0; lane < kGroupSize; ++lane) {
            const bool touches =
                group.min[0][lane] <= box_.max.x && box_.min.x <= group.max[0][lane] &&
                group.min[1][lane] <= box_.max.y && box_.min.y <= group.max[1][lane] &&
                group.min[2][lane] <= box_.max.z && box_.min.z <= group.max[2][lane];
            mask |= (touches ? 1u : 0u) << lane;
        }
        return mask;
    }

private:
    Aabb box_;
};

// Calls report(group, mask) for groups of level 0 that have boxes which touch, in slots from
// first_slot on; a bit of the mask for each. Depth first; members yet to be visited are kept as
// eight bits a level.
template <class Touch, class Report>
GRAZE_INLINE void visit_from_slot(const BoxTreeView& tree, std::int64_t first_slot,
                                  const Touch& touch, Report& report) {
    const int top = tree.level_count - 1;
    int level = top;
    std::uint64_t waiting = 0;
    std::uint32_t index = 0;  // of the group in its level
    while (true) {
        std::uint32_t mask = touch(tree.groups[tree.level_begins[level] + index]);
        const std::uint32_t base = index << kGroupShift;
        const auto first = static_cast<std::uint32_t>(first_slot >> (kGroupShift * level));
        if (first > base) mask &= 0xffu << (first - base);
        if (level > 0) {
            waiting = waiting << kGroupSize | (mask & 0xff);
            --level;
            index = base;
        } else if ((mask & 0xff) != 0) {
            report(index, mask & 0xff);
        }
        while ((waiting & 0xff) == 0) {
            if (++level >= top) return;
            waiting >>= kGroupSize;
            index >>= kGroupShift;
        }
        index = (index & ~7u) | trailing_zeros(static_cast<std::uint32_t>(waiting & 0xff));
        waiting &= waiting - 1;
    }
}

GRAZE_INLINE Aabb box_in_slot(const BoxTreeView& tree, std::int64_t slot) {
    const BoxGroup& group = tree.groups[slot >> kGroupShift];
    const auto lane = static_cast<int>(slot & (kGroupSize - 1));
    return {{group.min[0][lane], group.min[1][lane], group.min[2][lane]},
            {group.max[0][lane], group.max[1][lane], group.max[2][lane]}};
}

template <class Report>
struct ReportSlots {
    Report& report;
    GRAZE_INLINE void operator()(std::uint32_t group, std::uint32_t mask) const {
        for (; mask != 0; mask &= mask - 1)
            report((group << kGroupShift) + trailing_zeros(mask));
    }
};

// Calls report(slot) for all boxes in higher slots that touch the one in a slot, so that each pair
// is met once.
template <class Touch, class Report>
GRAZE_INLINE void visit_partners(const BoxTreeView& tree, std::int64_t slot, Report& report) {
    const Touch touch(box_in_slot(tree, slot));
    ReportSlots<Report> slots{report};
    visit_from_slot(tree, slot + 1, touch, slots);
}

}  // namespace graze

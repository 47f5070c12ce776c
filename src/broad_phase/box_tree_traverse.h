// Walking a BoxTree. box_group_lanes.h has the same for eight boxes at a time on the host.
#pragma once

#include "broad_phase/box_tree.h"
#include "core/bits.h"

namespace graze {

// Reads a group by twelve 16-byte loads, which the device's compiler does not find by itself.
GRAZE_INLINE BoxGroup load_group(const BoxGroup& source) {
#if GRAZE_ON_DEVICE
    BoxGroup group;
    static_assert(sizeof(BoxGroup) == 12 * sizeof(float4));
    for (int i = 0; i < 12; ++i)
        reinterpret_cast<float4*>(&group)[i] = __ldg(reinterpret_cast<const float4*>(&source) + i);
    return group;
#else
    return source;
#endif
}

// Which of eight boxes touch one, a bit each.
class TouchOneByOne {
public:
    GRAZE_INLINE explicit TouchOneByOne(const Aabb& box) : box_(box) {}
    GRAZE_INLINE std::uint32_t operator()(const BoxGroup& source) const {
        const BoxGroup group = load_group(source);
        std::uint32_t mask = 0;
        for (int lane = 0; lane < kGroupSize; ++lane) {
            // All six comparisons are made, so that threads do not diverge.
            const bool touches =
                (group.min[0][lane] <= box_.max.x) & (box_.min.x <= group.max[0][lane]) &
                (group.min[1][lane] <= box_.max.y) & (box_.min.y <= group.max[1][lane]) &
                (group.min[2][lane] <= box_.max.z) & (box_.min.z <= group.max[2][lane]);
            mask |= (touches ? 1u : 0u) << lane;
        }
        return mask;
    }

private:
    Aabb box_;
};

// Calls report(leaf, mask) for leaves with boxes that touch, in slots from first_slot on; the mask
// has a bit for each. The walk is depth first; members yet to be visited are kept as eight bits a
// level.
template <class Touch, class Report>
GRAZE_INLINE void visit_from_slot(const BoxTreeView& tree, std::int64_t first_slot,
                                  const Touch& touch, Report& report) {
    const int top = tree.level_count - 1;
    int level = top;  // 0 is that of the leaves
    std::uint64_t waiting = 0;
    std::uint32_t group = 0;
    std::uint32_t index = 0;  // of the group in its level
    while (true) {
        std::uint32_t mask = touch(tree.groups[group]);
        const std::uint32_t base = index << kGroupShift;
        const auto first = static_cast<std::uint32_t>(first_slot >> (kGroupShift * level));
        if (first > base) mask &= 0xffu << (first - base);
        mask &= 0xff;
        if (level > 0) {
            waiting = waiting << kGroupSize | mask;
            --level;
            group = (group << kGroupShift) + 1;
            index = base;
        } else if (mask != 0) {
            report(index, mask);
        }
        while ((waiting & 0xff) == 0) {
            if (++level >= top) return;
            waiting >>= kGroupSize;
            group = (group - 1) >> kGroupShift;
            index >>= kGroupShift;
        }
        const auto lane = trailing_zeros(static_cast<std::uint32_t>(waiting & 0xff));
        waiting &= waiting - 1;
        group = group - (index & 7u) + lane;
        index = (index & ~7u) + lane;
    }
}

GRAZE_INLINE Aabb box_in_slot(const BoxTreeView& tree, std::int64_t slot) {
    const BoxGroup& group = tree.leaves[slot >> kGroupShift];
    const auto lane = static_cast<int>(slot & (kGroupSize - 1));
    return {{group.min[0][lane], group.min[1][lane], group.min[2][lane]},
            {group.max[0][lane], group.max[1][lane], group.max[2][lane]}};
}

template <class Report>
struct ReportSlots {
    Report& report;
    GRAZE_INLINE void operator()(std::uint32_t leaf, std::uint32_t mask) const {
        for (; mask != 0; mask &= mask - 1)
            report((leaf << kGroupShift) + trailing_zeros(mask));
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

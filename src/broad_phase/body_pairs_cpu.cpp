#include "broad_phase/body_pairs_impl.h"
#include "broad_phase/box_group_lanes.h"
#include "parallel/cpu_executor.h"

namespace graze {
namespace {

using namespace body_pairs_detail;

// CountPartners for the eight members of a leaf.
struct CountLeafPartners {
    const BoxTreeView& tree;
    const BodyFilter* filters;
    std::uint32_t first_slot;
    std::uint32_t* kept;
    std::uint32_t counts[kGroupSize] = {};
    void operator()(std::uint32_t lane, std::uint32_t slot) {
        if (!can_touch(filters[first_slot + lane], filters[slot])) return;
        const std::uint32_t index = counts[lane]++;
        if (index < kKeptCount) kept[lane * kKeptCount + index] = tree.indices[slot];
    }
};

struct CountLeafPairs {
    BoxTreeView tree;
    const BodyFilter* filters;
    std::uint32_t* partners;
    std::uint64_t* counts;
    void operator()(std::int64_t leaf) const {
        const std::int64_t first = leaf << kGroupShift;
        CountLeafPartners report{tree, filters, static_cast<std::uint32_t>(first),
                                 partners + first * kKeptCount};
        visit_leaf_partners(tree, static_cast<std::uint32_t>(leaf), report);
        for (std::int64_t slot = first; slot < min_of(first + kGroupSize, tree.box_count); ++slot)
            counts[slot] = report.counts[slot - first];
    }
};

// Neighbours search together, since they meet the same boxes.
struct SearchByLeaf {
    using Touch = TouchLanes;
    static void count(CpuExecutor& executor, const BoxTreeView& tree, BodyPairs& result) {
        executor.for_each("body pairs: count", box_tree_detail::group_count(tree.box_count),
                          CountLeafPairs{tree, result.filters.data(), result.partners.data(),
                                         result.counts.data()},
                          8);
    }
};

}  // namespace

template <>
void find_body_pairs(CpuExecutor& executor, const Aabb* boxes, const BodyFilter* filters,
                     std::int64_t body_count, BodyPairs& result) {
    find_pairs<SearchByLeaf>(executor, boxes, filters, body_count, result);
}

}  // namespace graze

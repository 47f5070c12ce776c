// Pairs of bodies come from a tree over their boxes: every body looks for partners in higher slots,
// which are as large as itself or larger, and the pairs are sorted.
//
// All bodies find about as many partners among the larger ones: a floor does not have to find
// everything that is on it. The first few partners are kept when they are counted, so that most
// bodies walk the tree once.
#pragma once

#include "broad_phase/body_pairs.h"
#include "broad_phase/box_tree_impl.h"
#include "broad_phase/box_tree_traverse.h"

namespace graze {
namespace body_pairs_detail {

// In the benchmark's scene, with 6.6 pairs a body, storing takes 15 ms with 8, 8 with 16 or 32.
constexpr int kKeptCount = 16;

struct GatherFilter {
    const BodyFilter* filters;
    const std::uint32_t* indices;
    BodyFilter* by_slot;
    GRAZE_HD void operator()(std::int64_t slot) const { by_slot[slot] = filters[indices[slot]]; }
};

struct CountPartners {
    const BodyFilter* filters;
    const std::uint32_t* indices;
    BodyFilter own;
    std::uint32_t* kept;
    std::uint32_t count = 0;
    GRAZE_INLINE void operator()(std::uint32_t slot) {
        if (!can_touch(own, filters[slot])) return;
        const std::uint32_t index = count++;
        if (index < kKeptCount) kept[index] = indices[slot];
    }
};

// A pair as a number that sorts as the pair does.
struct PairKey {
    int bit_count;  // of a body's index
    GRAZE_INLINE std::uint64_t of(std::uint32_t a, std::uint32_t b) const {
        return std::uint64_t{min_of(a, b)} << bit_count | max_of(a, b);
    }
    GRAZE_INLINE IndexPair pair(std::uint64_t key) const {
        const std::uint64_t mask = (std::uint64_t{1} << bit_count) - 1;
        return {static_cast<std::uint32_t>(key >> bit_count),
                static_cast<std::uint32_t>(key & mask)};
    }
};

struct StorePartners {
    const BodyFilter* filters;
    const std::uint32_t* indices;
    BodyFilter own;
    std::uint32_t body;
    PairKey key;
    std::uint64_t* keys;
    std::uint64_t next, capacity;
    GRAZE_INLINE void operator()(std::uint32_t slot) {
        if (can_touch(own, filters[slot])) store(indices[slot]);
    }
    GRAZE_INLINE void store(std::uint32_t partner) {
        if (next < capacity) keys[next] = key.of(body, partner);
        ++next;
    }
};

template <class Touch>
struct CountPairs {
    BoxTreeView tree;
    const BodyFilter* filters;
    std::uint32_t* partners;
    std::uint64_t* counts;
    GRAZE_HD void operator()(std::int64_t slot) const {
        CountPartners report{filters, tree.indices, filters[slot], partners + slot * kKeptCount};
        visit_partners<Touch>(tree, slot, report);
        counts[slot] = report.count;
    }
};

// The device's search goes body by body; the host has another in body_pairs_cpu.cpp.
template <class TouchType>
struct SearchBySlot {
    using Touch = TouchType;
    template <class Executor>
    static void count(Executor& executor, const BoxTreeView& tree, BodyPairs& result) {
        executor.for_each("body pairs: count", tree.box_count,
                          CountPairs<Touch>{tree, result.filters.data(), result.partners.data(),
                                            result.counts.data()},
                          64);
    }
};

template <class Touch>
struct StorePairs {
    BoxTreeView tree;
    const BodyFilter* filters;
    const std::uint32_t* partners;
    const std::uint64_t* offsets;
    PairKey key;
    std::uint64_t* keys;
    std::uint64_t capacity;
    GRAZE_HD void operator()(std::int64_t slot) const {
        const std::uint64_t count = offsets[slot + 1] - offsets[slot];
        StorePartners report{filters, tree.indices, filters[slot], tree.indices[slot],
                             key,     keys,         offsets[slot], capacity};
        if (count > kKeptCount) {
            visit_partners<Touch>(tree, slot, report);
        } else {
            for (std::uint64_t i = 0; i < count; ++i)
                report.store(partners[slot * kKeptCount + i]);
        }
    }
};

// Gives the entries behind the last pair keys that sort behind it.
struct FillRest {
    const std::uint64_t* count;
    std::uint64_t* keys;
    GRAZE_HD void operator()(std::int64_t i) const {
        if (static_cast<std::uint64_t>(i) >= *count) keys[i] = ~std::uint64_t{0};
    }
};

struct UnpackPair {
    const std::uint64_t* keys;
    PairKey key;
    IndexPair* pairs;
    GRAZE_HD void operator()(std::int64_t i) const { pairs[i] = key.pair(keys[i]); }
};

template <class Search, class Executor>
void find_pairs(Executor& executor, const Aabb* boxes, const BodyFilter* filters,
                std::int64_t body_count, BodyPairs& result) {
    build_box_tree(executor, boxes, body_count, result.tree);
    result.filters.resize(body_count);
    result.partners.resize(body_count * kKeptCount);
    result.counts.resize(body_count);
    result.offsets.resize(body_count + 1);
    result.count.resize(1);
    const BoxTreeView tree = result.tree.view();
    executor.for_each("body pairs: filters", body_count,
                      GatherFilter{filters, tree.indices, result.filters.data()});
    Search::count(executor, tree, result);
    executor.exclusive_scan("body pairs: offsets", result.counts.data(), result.offsets.data(),
                            body_count);
    executor.copy("body pairs: total", result.offsets.data() + body_count, result.count.data(), 1);
    if constexpr (Executor::kIsHost)
        result.pairs.resize(static_cast<std::int64_t>(executor.read(result.count.data())));

    const std::int64_t capacity = result.pairs.size();
    result.keys.resize(capacity);
    result.sorted_keys.resize(capacity);
    const PairKey key{static_cast<int>(std::bit_width(static_cast<std::uint64_t>(body_count)))};
    executor.for_each(
        "body pairs: store", body_count,
        StorePairs<typename Search::Touch>{tree, result.filters.data(), result.partners.data(),
                                           result.offsets.data(), key, result.keys.data(),
                                           static_cast<std::uint64_t>(capacity)},
        64);
    if constexpr (!Executor::kIsHost)
        executor.for_each("body pairs: rest", capacity,
                          FillRest{result.count.data(), result.keys.data()});
    executor.sort_keys("body pairs: sort", result.keys.data(), result.sorted_keys.data(), capacity,
                       2 * key.bit_count);
    executor.for_each("body pairs: unpack", capacity,
                      UnpackPair{result.sorted_keys.data(), key, result.pairs.data()});
}

}  // namespace body_pairs_detail
}  // namespace graze

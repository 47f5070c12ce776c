// Pairs of elements from the units of any search: count, scan, fill. with_units alone decides which
// units a search has. Trees differ between machines: include element_leaf_units.h beside this in
// host sources, element_slot_units.h in CUDA sources.
#pragma once

#include "broad_phase/box_tree_impl.h"
#include "broad_phase/element_grid_impl.h"
#include "broad_phase/element_grid_units.h"
#include "broad_phase/element_pairs.h"
#include "geometry/bvh/bvh_pairs_impl.h"
#include "parallel/reductions.h"

namespace graze {

// The tree of a machine: build(executor, result) and units(result); and that of static elements:
// build_static(executor, boxes, count, still) and static_units(result).
template <class Executor>
struct ElementTree;

// The units of a search whose boxes are those of moving elements, and behind them units that pair
// these with static ones.
template <class Moving, class Static>
struct SplitUnits {
    static constexpr std::int64_t kGrain = Moving::kGrain;
    Moving moving;
    Static still;
    const std::uint32_t* moving_names;

    GRAZE_HD std::int64_t count() const { return moving.count() + still.count(); }

    template <class Report>
    GRAZE_HD void visit(std::int64_t unit, Report& report) const {
        if (unit < moving.count()) {
            NamePair<Report> named{moving_names, report};
            moving.visit(unit, named);
        } else {
            still.visit(unit - moving.count(), report);
        }
    }

private:
    // Names ascend, so that they keep the order of a and b.
    template <class Report>
    struct NamePair {
        const std::uint32_t* names;
        Report& report;
        GRAZE_INLINE void operator()(std::uint32_t a, std::uint32_t b) const {
            report(names[a], names[b]);
        }
    };
};

// Reports a moving element with the static one in a slot of their tree.
template <class Report>
struct PairWithStatic {
    const std::uint32_t* indices;  // by slot
    const std::uint32_t* names;
    std::uint32_t own;
    Report& report;
    GRAZE_INLINE void operator()(std::uint32_t slot) const {
        const std::uint32_t other = names[indices[slot]];
        report(min_of(own, other), max_of(own, other));
    }
};

// The result is finite, as boxes of elements are.
GRAZE_INLINE Aabb grown_box(const Aabb& box, float margin) {
    constexpr float kLargest = 0x1.fffffep127f;
    Aabb grown;
    for (int axis = 0; axis < 3; ++axis) {
        grown.min[axis] = max_of(box.min[axis] - margin, -kLargest);
        grown.max[axis] = min_of(box.max[axis] + margin, kLargest);
    }
    return grown;
}

namespace element_pairs_detail {

template <class Executor, class Work>
struct WithStatic {
    const ElementPairs& result;
    const Work& work;
    template <class Units>
    void operator()(const Units& units) const {
        const auto still = ElementTree<Executor>::static_units(result);
        work(SplitUnits<Units, decltype(still)>{units, still, result.still.moving_names});
    }
};

template <class Executor, class Work>
void with_moving_units(const ElementPairs& result, const Work& work) {
    if (result.search == PairSearch::tree) {
        work(ElementTree<Executor>::units(result));
    } else {
        work(grid_units<Executor>(result.grid, result.boxes, result.bvh));
    }
}

struct TakeUnitCount {
    std::int64_t& count;
    template <class Units>
    void operator()(const Units& units) const {
        count = units.count();
    }
};

}  // namespace element_pairs_detail

// Pairs that are in a list.
struct ListedUnits {
    static constexpr std::int64_t kGrain = 4;
    static constexpr std::int64_t kPairsPerUnit = 256;
    const IndexPair* pairs;
    std::int64_t pair_count;

    GRAZE_HD std::int64_t count() const { return (pair_count + kPairsPerUnit - 1) / kPairsPerUnit; }
    template <class Report>
    GRAZE_HD void visit(std::int64_t unit, Report& report) const {
        const std::int64_t end = min_of((unit + 1) * kPairsPerUnit, pair_count);
        for (std::int64_t i = unit * kPairsPerUnit; i < end; ++i)
            report(pairs[i].a, pairs[i].b);
    }
};

// Calls work(units) with the units of the search that was built, or of what it takes its place.
template <class Executor, class Work>
void with_units(const ElementPairs& result, const Work& work) {
    using namespace element_pairs_detail;
    if (result.kept.are_taken) {
        work(ListedUnits{result.kept.pairs.data(), result.kept.pairs.size()});
    } else if (result.still.moving_names == nullptr) {
        with_moving_units<Executor>(result, work);
    } else {
        with_moving_units<Executor>(result, WithStatic<Executor, Work>{result, work});
    }
}

namespace element_pairs_detail {

template <class Units, class Accept>
struct CountUnit {
    Units units;
    Accept accept;
    std::uint64_t* counts;
    GRAZE_HD void operator()(std::int64_t unit) const {
        CountPair<Accept> report{accept};
        units.visit(unit, report);
        counts[unit] = report.count;
    }
};
template <class Units, class Accept>
struct StoreUnit {
    Units units;
    Accept accept;
    const std::uint64_t* offsets;
    UnitSlice slice;
    IndexPair* pairs;
    GRAZE_HD void operator()(std::int64_t i) const {
        const std::int64_t unit = slice.first + i;
        if (offsets[unit] == offsets[unit + 1]) return;
        StorePair<Accept> report{
            accept, pairs + (offsets[unit] - static_cast<std::uint64_t>(slice.first_pair))};
        units.visit(unit, report);
    }
};

template <class Executor, class Accept>
struct CountUnits {
    Executor& executor;
    const Accept& accept;
    ElementPairs& result;
    template <class Units>
    void operator()(const Units& units) const {
        executor.for_each("element pairs: count", result.unit_count,
                          CountUnit<Units, Accept>{units, accept, result.counts.data()},
                          Units::kGrain);
    }
};
template <class Executor, class Accept>
struct StoreUnits {
    Executor& executor;
    const Accept& accept;
    const UnitSlice& slice;
    ElementPairs& result;
    template <class Units>
    void operator()(const Units& units) const {
        executor.for_each("element pairs: store", slice.last - slice.first,
                          StoreUnit<Units, Accept>{units, accept, result.offsets.data(), slice,
                                                   result.pairs.data()},
                          Units::kGrain);
    }
};

// Finds the last unit whose pairs still fit.
struct FindSlice {
    const std::uint64_t* offsets;
    std::int64_t first, unit_count;
    std::uint64_t capacity;
    UnitSlice* slice;
    GRAZE_HD void operator()(std::int64_t) const {
        std::int64_t last = first + 1, beyond = unit_count + 1;
        while (last + 1 < beyond) {
            const std::int64_t middle = last + (beyond - last) / 2;
            if (offsets[middle] - offsets[first] <= capacity) {
                last = middle;
            } else {
                beyond = middle;
            }
        }
        *slice = {first, last, static_cast<std::int64_t>(offsets[first]),
                  static_cast<std::int64_t>(offsets[last] - offsets[first])};
    }
};

// Chooses the automatic search for these boxes, as far as is known before a grid is built.
template <class Executor>
PairSearch choose_search(std::int64_t count, bool are_swept, ElementPairs& result) {
    if (Executor::kIsHost || !are_swept || count < AutomaticSearch::kFewElements)
        return PairSearch::tree;
    if (result.steps_without_grid > 0) {
        --result.steps_without_grid;
        return PairSearch::tree;
    }
    return PairSearch::one_level_grid;
}

}  // namespace element_pairs_detail

template <class Executor>
void build_element_search(Executor& executor, const Aabb* boxes, std::int64_t count,
                          PairSearch search, ElementPairs& result, bool are_swept) {
    if (count > kBoxTreeMaxBoxes) {
        throw Error("pairs among " + std::to_string(count) +
                    " elements are beyond the broad phase: 2^27 elements are the most");
    }
    result.boxes = boxes;
    result.element_count = count;
    result.kept.are_valid = result.kept.are_taken = false;
    const bool is_automatic = search == PairSearch::automatic;
    result.search = is_automatic
                        ? element_pairs_detail::choose_search<Executor>(count, are_swept, result)
                        : search;
    result.pair_count = 0;
    if (result.search != PairSearch::tree) {
        build_element_grid(executor, boxes, count, result.search == PairSearch::two_level_grid,
                           result.grid);
        if (is_automatic &&
            result.grid.totals.candidate_count / AutomaticSearch::kCrowdedCandidates > count) {
            result.search = PairSearch::tree;
            result.steps_without_grid = AutomaticSearch::kStepsWithoutGrid;
        }
    }
    if (result.search == PairSearch::tree) {
        ElementTree<Executor>::build(executor, result);
    } else if (result.grid.totals.large_count > 0) {
        build_bvh(executor, boxes, count, BvhQuality::fast, result.bvh, result.bvh_workspace);
    }
    with_units<Executor>(result, element_pairs_detail::TakeUnitCount{result.unit_count});
}

template <class Executor>
void build_static_elements(Executor& executor, const Aabb* boxes, std::int64_t count,
                           const std::uint32_t* names, const std::uint32_t* moving_names,
                           ElementPairs& result) {
    result.kept.are_valid = false;
    result.still.count = count;
    result.still.names = names;
    result.still.moving_names = moving_names;
    if (count > 0) ElementTree<Executor>::build_static(executor, boxes, count, result.still);
}

template <class Executor, class Accept>
std::int64_t count_element_pairs(Executor& executor, const Accept& accept, ElementPairs& result) {
    result.counts.resize(result.unit_count);
    result.offsets.resize(result.unit_count + 1);
    with_units<Executor>(
        result, element_pairs_detail::CountUnits<Executor, Accept>{executor, accept, result});
    executor.exclusive_scan("element pairs: offsets", result.counts.data(), result.offsets.data(),
                            result.unit_count);
    result.pair_count =
        static_cast<std::int64_t>(executor.read(result.offsets.data() + result.unit_count));
    return result.pair_count;
}

template <class Executor>
bool next_slice(Executor& executor, std::int64_t capacity, ElementPairs& result, UnitSlice& slice) {
    const std::int64_t first = slice.last, first_pair = slice.first_pair + slice.pair_count;
    if (first == result.unit_count) return false;
    if (result.pair_count - first_pair <= capacity) {
        slice = {first, result.unit_count, first_pair, result.pair_count - first_pair};
        return true;
    }
    result.found_slice.resize(1);
    executor.for_each("element pairs: slice", 1,
                      element_pairs_detail::FindSlice{
                          result.offsets.data(), first, result.unit_count,
                          static_cast<std::uint64_t>(capacity), result.found_slice.data()});
    slice = executor.read(result.found_slice.data());
    return true;
}

template <class Executor, class Accept>
void store_element_pairs(Executor& executor, const Accept& accept, const UnitSlice& slice,
                         ElementPairs& result) {
    result.pairs.resize(slice.pair_count);
    with_units<Executor>(result, element_pairs_detail::StoreUnits<Executor, Accept>{
                                     executor, accept, slice, result});
}

namespace element_pairs_detail {

struct CopyBox {
    const Aabb* from;
    Aabb* to;
    GRAZE_HD void operator()(std::int64_t i) const { to[i] = from[i]; }
};
struct GrowBox {
    float margin;  // [m]
    Aabb* boxes;
    GRAZE_HD void operator()(std::int64_t i) const { boxes[i] = grown_box(boxes[i], margin); }
};
struct IsOutside {
    const Aabb* boxes;
    const Aabb* kept;
    GRAZE_HD std::uint32_t operator()(std::int64_t i) const {
        const Aabb &box = boxes[i], &whole = kept[i];
        bool is_inside = true;
        for (int axis = 0; axis < 3; ++axis) {
            is_inside =
                is_inside && box.min[axis] >= whole.min[axis] && box.max[axis] <= whole.max[axis];
        }
        return is_inside ? 0 : 1;
    }
};

}  // namespace element_pairs_detail

template <class Executor, class Accept>
void keep_element_pairs(Executor& executor, const Accept& accept, std::int64_t room,
                        ElementPairs& result) {
    using namespace element_pairs_detail;
    const std::int64_t count = count_element_pairs(executor, accept, result);
    if (count > room) return;
    KeptPairs& kept = result.kept;
    store_element_pairs(executor, accept, {0, result.unit_count, 0, count}, result);
    std::swap(kept.pairs, result.pairs);
    kept.boxes.resize(result.element_count);
    executor.for_each("element pairs: keep", result.element_count,
                      CopyBox{result.boxes, kept.boxes.data()});
    kept.margin = result.still.margin;
    kept.are_valid = kept.are_taken = true;
    with_units<Executor>(result, TakeUnitCount{result.unit_count});
}

template <class Executor>
bool take_kept_pairs(Executor& executor, const Aabb* boxes, std::int64_t count,
                     ElementPairs& result) {
    using namespace element_pairs_detail;
    KeptPairs& kept = result.kept;
    kept.are_taken = false;
    if (!kept.are_valid || kept.boxes.size() != count || result.still.margin > kept.margin)
        return false;
    kept.outside.resize(1);
    executor.template reduce<std::uint32_t>("element pairs: inside", count,
                                            IsOutside{boxes, kept.boxes.data()}, LargerValue{}, 0u,
                                            kept.outside.data());
    if (executor.read(kept.outside.data()) != 0) return false;
    kept.are_taken = true;
    result.boxes = boxes;
    with_units<Executor>(result, TakeUnitCount{result.unit_count});
    return true;
}

template <class Executor>
void grow_boxes(Executor& executor, double largest, Aabb* boxes, std::int64_t count) {
    constexpr float kMost = 0x1p126f;
    const float margin = static_cast<float>(min_of(largest * 0x1p-22, double(kMost)));
    executor.for_each("element pairs: grow", count, element_pairs_detail::GrowBox{margin, boxes});
}

template <class Executor>
void find_element_pairs(Executor& executor, const Aabb* boxes, std::int64_t count,
                        PairSearch search, ElementPairs& result) {
    const AcceptAll accept;
    build_element_search(executor, boxes, count, search, result);
    const std::int64_t pair_count = count_element_pairs(executor, accept, result);
    store_element_pairs(executor, accept, {0, result.unit_count, 0, pair_count}, result);
}

}  // namespace graze

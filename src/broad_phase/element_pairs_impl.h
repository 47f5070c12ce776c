// Pairs of elements from the units of any search: count, scan, fill. with_units alone decides which
// units a search has. Trees differ between machines: include element_leaf_units.h beside this in
// host sources, element_slot_units.h in CUDA sources.
#pragma once

#include "broad_phase/box_tree_impl.h"
#include "broad_phase/element_grid_impl.h"
#include "broad_phase/element_grid_units.h"
#include "broad_phase/element_pairs.h"
#include "geometry/bvh/bvh_pairs_impl.h"

namespace graze {

// The tree of a machine: build(executor, result) and units(result).
template <class Executor>
struct ElementTree;

// Calls work(units) with the units of the search that was built.
template <class Executor, class Work>
void with_units(const ElementPairs& result, const Work& work) {
    if (result.search == PairSearch::tree) {
        work(ElementTree<Executor>::units(result));
    } else {
        work(grid_units<Executor>(result.grid, result.boxes, result.bvh));
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
        result.unit_count = ElementTree<Executor>::units(result).count();
    } else {
        if (result.grid.totals.large_count > 0) {
            build_bvh(executor, boxes, count, BvhQuality::fast, result.bvh, result.bvh_workspace);
        }
        result.unit_count = grid_units<Executor>(result.grid, boxes, result.bvh).count();
    }
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

template <class Executor>
void find_element_pairs(Executor& executor, const Aabb* boxes, std::int64_t count,
                        PairSearch search, ElementPairs& result) {
    const AcceptAll accept;
    build_element_search(executor, boxes, count, search, result);
    const std::int64_t pair_count = count_element_pairs(executor, accept, result);
    store_element_pairs(executor, accept, {0, result.unit_count, 0, pair_count}, result);
}

}  // namespace graze

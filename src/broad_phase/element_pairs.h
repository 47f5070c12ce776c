// ElementPairs: all pairs of elements (triangles, loose edges, loose vertices, which are boxes
// here) whose boxes touch, each once, by several searches behind one interface.
//
//     build_element_search(executor, boxes, count, PairSearch::automatic, pairs);
//     count_element_pairs(executor, accept, pairs);
//     for (UnitSlice slice; next_slice(executor, capacity, pairs, slice);)
//         store_element_pairs(executor, accept, slice, pairs);    // pairs.pairs, piece by piece
//
// or everything at once by find_element_pairs. A search is cut into units of work that know nothing
// of each other; with_units (element_pairs_impl.h) hands them to whoever wants pairs one by one
// and never stored:
//
//     struct Units {
//         std::int64_t count() const;
//         // Calls report(a, b), a < b, for each pair of the unit. Any number of threads may.
//         template <class Report> void visit(std::int64_t unit, Report& report) const;
//     };
//
// Some elements may be static: they have a tree of their own, which is kept from search to search,
// and are paired with those that move, not with each other (build_static_elements).
#pragma once

#include "broad_phase/box_tree.h"
#include "broad_phase/element_grid.h"
#include "geometry/bvh/bvh_pairs.h"
#include "graze/deforming.h"

namespace graze {

// Units of work [first, last) with their pairs.
struct UnitSlice {
    std::int64_t first = 0, last = 0;
    std::int64_t first_pair = 0, pair_count = 0;
};

// Elements that stay where they are. The boxes of a search are those of all others then.
struct StaticElements {
    explicit StaticElements(Memory& memory)
        : box_tree(memory), bvh(memory), bvh_workspace(memory) {}

    std::int64_t count = 0;
    // By place among the static boxes, and among the boxes of a search: the index of the element.
    // Both ascend; they are the caller's, and null where no element is static.
    const std::uint32_t* names = nullptr;
    const std::uint32_t* moving_names = nullptr;
    // [m] By how much boxes of a search are grown before they are compared with static ones.
    float margin = 0;

    BoxTree box_tree;  // the host's tree
    Bvh bvh;           // the device's tree
    BvhWorkspace bvh_workspace;
};

// Pairs that a search has found, kept for others whose boxes lie inside those that were searched.
struct KeptPairs {
    explicit KeptPairs(Memory& memory) : pairs(memory), boxes(memory), outside(memory) {}

    bool are_valid = false;
    bool are_taken = false;  // in place of a search
    Buffer<IndexPair> pairs;
    Buffer<Aabb> boxes;             // [m] that were searched, by place
    float margin = 0;               // [m] that static elements were searched with
    Buffer<std::uint32_t> outside;  // one: not zero where a box is not inside
};

struct ElementPairs {
    explicit ElementPairs(Memory& memory)
        : pairs(memory),
          counts(memory),
          offsets(memory),
          found_slice(memory),
          box_tree(memory),
          bvh(memory),
          bvh_workspace(memory),
          grid(memory),
          still(memory),
          kept(memory) {}

    // The pairs that were stored last. Their order is the same in every run on a machine, but
    // depends on machine and search.
    Buffer<IndexPair> pairs;

    // What build_element_search was given. The boxes are the caller's and used until the last pair
    // is stored.
    const Aabb* boxes = nullptr;
    std::int64_t element_count = 0;
    PairSearch search = PairSearch::automatic;  // after it, the one that is used
    std::int64_t unit_count = 0;
    // Automatic only: searches for which a grid that was found crowded is not tried again.
    int steps_without_grid = 0;

    // By unit, after count_element_pairs: pairs, and pairs before it.
    Buffer<std::uint64_t> counts, offsets;
    std::int64_t pair_count = 0;
    Buffer<UnitSlice> found_slice;  // one element

    // What the search that is used needs.
    BoxTree box_tree;  // the host's tree
    Bvh bvh;           // the device's tree; with grids, for what covers very many cells
    BvhWorkspace bvh_workspace;
    ElementGrid grid;

    StaticElements still;
    KeptPairs kept;
};

// How boxes are searched by default, which follows docs/benchmarks/deforming.md. On the host a tree
// is always the fastest, on the device where boxes are small or few. Boxes swept over a step touch
// many others; there one level of cells is faster, unless things crowd in few of them.
struct AutomaticSearch {
    static constexpr std::int64_t kFewElements = 1 << 15;
    static constexpr std::int64_t kCrowdedCandidates = 1000;  // an element
    static constexpr int kStepsWithoutGrid = 64;
};

// boxes[0..count) in the executor's memory are finite and not empty; there are at most 2^27.
// are_swept tells PairSearch::automatic that they contain motions. Trees do not wait, grids do a
// few times.
template <class Executor>
void build_element_search(Executor& executor, const Aabb* boxes, std::int64_t count,
                          PairSearch search, ElementPairs& result, bool are_swept = false);

// Makes elements static for all searches to come; boxes[0..count) need not be kept. The host may
// wait.
template <class Executor>
void build_static_elements(Executor& executor, const Aabb* boxes, std::int64_t count,
                           const std::uint32_t* names, const std::uint32_t* moving_names,
                           ElementPairs& result);

// How many pairs there are. accept(a, b), callable on both machines, is asked about pairs whose
// boxes touch; it is asked again when they are stored. Waits once.
template <class Executor, class Accept>
std::int64_t count_element_pairs(Executor& executor, const Accept& accept, ElementPairs& result);

// After the counting, turns a slice, which is empty to begin with, into the next one behind it of
// at most so many pairs; false where there is none. A slice has at least one unit, whose pairs may
// be more: at most eight times the number of elements. Waits once, or not at all where all fits.
template <class Executor>
bool next_slice(Executor& executor, std::int64_t capacity, ElementPairs& result, UnitSlice& slice);

// Puts a slice's pairs into result.pairs. Does not wait.
template <class Executor, class Accept>
void store_element_pairs(Executor& executor, const Accept& accept, const UnitSlice& slice,
                         ElementPairs& result);

// For searches that are repeated for smaller boxes. After a search has been built, keeps its pairs,
// as far as accept(a, b) takes them, where they are at most `room`; those after it work on them.
// Waits once.
template <class Executor, class Accept>
void keep_element_pairs(Executor& executor, const Accept& accept, std::int64_t room,
                        ElementPairs& result);

// In place of a search among boxes: true where all of them are inside those of the search whose
// pairs were kept, so that these have all whose boxes touch now. Waits once.
template <class Executor>
bool take_kept_pairs(Executor& executor, const Aabb* boxes, std::int64_t count,
                     ElementPairs& result);

// Grows boxes by a few rounding errors of the largest coordinate, so that what moves a share of the
// way that was searched is not outside them by rounding.
template <class Executor>
void grow_boxes(Executor& executor, double largest, Aabb* boxes, std::int64_t count);

// Finds all pairs at once.
template <class Executor>
void find_element_pairs(Executor& executor, const Aabb* boxes, std::int64_t count,
                        PairSearch search, ElementPairs& result);

}  // namespace graze

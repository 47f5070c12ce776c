// Building an ElementGrid, after Fan et al., "A Hierarchical Grid Based Framework for Fast
// Collision Detection" (2011): a top grid has five times as many cells as there are elements, some
// of its cells are split into eight; each box is mapped to bottom cells, these to the cells that
// there are, and the pairs of cells and elements are sorted. Where graze differs:
// - The grid covers where most centres are, found as for a BoxTree, and cells at its border reach
//   to infinity: a ground or a lost particle does not make the cells of all others coarse.
// - Cells are cubes in flat scenes too, whose volume is zero.
// - The token corner of a pair is found by three bits of each element in a cell (GridOwner),
// without
//   the boxes and the hierarchy: most candidates are ruled out by them alone.
// - Cells are not smaller than the usual boxes: density alone would cut the swept boxes of fast
//   things into hundreds of cells each (element_grid_shape.h).
// - Elements that meet very many cells are left to a tree (kMostCellsOfElement), so that memory is
//   proportional to the number of elements, whatever the boxes.
// - A cell is split where it has more than the average, not as many.
#pragma once

#include <bit>

#include "broad_phase/box_tree_impl.h"
#include "broad_phase/element_grid_shape.h"
#include "core/atomics.h"
#include "parallel/fill.h"
#include "parallel/reductions.h"

namespace graze {
namespace element_grid_detail {

// ---- boxes -> items: finest cells that they meet

struct CountItems {
    GridView grid;
    const Aabb* boxes;
    std::uint64_t* sizes;
    GRAZE_HD void operator()(std::int64_t i) const {
        const std::uint64_t count = grid.cells_of(boxes[i]).cell_count();
        sizes[i] = count <= kMostCellsOfElement ? count : 0;
    }
};
struct IsLarge {
    const std::uint64_t* sizes;
    GRAZE_HD bool operator()(std::int64_t i) const { return sizes[i] == 0; }
};

struct MarkHead {
    const std::uint64_t* heads;
    std::uint64_t item_count;
    std::uint32_t* marks;
    GRAZE_HD void operator()(std::int64_t i) const {
        if (heads[i] < item_count) atomic_fetch_add(marks + heads[i], 1u);
    }
};

// Stores one item.
struct StoreItem {
    GridView grid;
    const Aabb* boxes;
    const std::uint64_t* heads;
    std::int64_t element_count;
    const std::uint32_t* mark_sums;  // the owner is found by bisection where this is null
    std::uint32_t* cells;
    std::uint32_t* owners;
    GRAZE_HD void operator()(std::int64_t item) const {
        const auto own = static_cast<std::uint64_t>(item);
        const std::int64_t owner = mark_sums ? std::int64_t{mark_sums[item + 1]} - 1
                                             : segment_of(heads, element_count, own);
        const CellRange range = grid.cells_of(boxes[owner]);
        const auto index = static_cast<std::uint32_t>(own - heads[owner]);
        const AssignedCell cell = grid.assigned_cell(range, cell_in_range(range, index));
        cells[item] = cell.id;
        owners[item] = GridOwner::pack(static_cast<std::uint32_t>(owner), cell.starts);
    }
};
// Stores the items of one element, which is for the host, where unequal work does no harm.
struct StoreItemsOf {
    GridView grid;
    const Aabb* boxes;
    const std::uint64_t* heads;
    std::uint32_t* cells;
    std::uint32_t* owners;
    void operator()(std::int64_t owner) const {
        std::uint64_t item = heads[owner];
        if (item == heads[owner + 1]) return;
        const CellRange range = grid.cells_of(boxes[owner]);
        GridCell cell = range.first;
        for (cell.x = range.first.x; cell.x <= range.last.x; ++cell.x) {
            for (cell.y = range.first.y; cell.y <= range.last.y; ++cell.y) {
                for (cell.z = range.first.z; cell.z <= range.last.z; ++cell.z) {
                    const AssignedCell assigned = grid.assigned_cell(range, cell);
                    cells[item] = assigned.id;
                    owners[item++] =
                        GridOwner::pack(static_cast<std::uint32_t>(owner), assigned.starts);
                }
            }
        }
    }
};

// ---- items -> entries: elements in cells, sorted by cell

struct IsKept {
    const std::uint32_t* cells;
    GRAZE_HD bool operator()(std::int64_t i) const { return cells[i] != kNoCell; }
};
struct GatherKept {
    const std::uint32_t* kept;
    const std::uint32_t* cells_in;
    const std::uint32_t* owners_in;
    std::uint32_t* cells_out;
    std::uint32_t* owners_out;
    GRAZE_HD void operator()(std::int64_t i) const {
        cells_out[i] = cells_in[kept[i]];
        owners_out[i] = owners_in[kept[i]];
    }
};

// ---- entries -> cells and the pairs in them

struct IsCellHead {
    const std::uint32_t* cells;
    GRAZE_HD bool operator()(std::int64_t i) const { return i == 0 || cells[i] != cells[i - 1]; }
};
struct CellRuns {
    const std::uint32_t* heads;
    const std::uint32_t* count;
    std::uint32_t entry_count;
    GRAZE_INLINE std::uint64_t size(std::int64_t cell) const {
        if (cell >= *count) return 0;
        return (cell + 1 < *count ? heads[cell + 1] : entry_count) - heads[cell];
    }
};
struct CountCandidates {
    CellRuns runs;
    std::uint64_t* candidates;
    GRAZE_HD void operator()(std::int64_t cell) const {
        const std::uint64_t n = runs.size(cell);
        candidates[cell] = n == 0 ? 0 : n * (n - 1) / 2;
    }
};
struct GatherItemTotals {
    const std::uint64_t* item_count;
    const std::uint32_t* large_count;
    GridTotals* totals;
    GRAZE_HD void operator()(std::int64_t) const {
        totals->item_count = static_cast<std::int64_t>(*item_count);
        totals->large_count = *large_count;
    }
};
struct GatherCellTotals {
    const std::uint32_t* cell_count;
    const std::uint64_t* candidate_count;
    GridTotals* totals;
    GRAZE_HD void operator()(std::int64_t) const {
        totals->cell_count = *cell_count;
        totals->candidate_count = static_cast<std::int64_t>(*candidate_count);
    }
};

// ---- the hierarchy from the cells of the last assignment

struct CountTopCell {
    GridView grid;
    CellRuns runs;
    const std::uint32_t* cells;
    std::uint32_t* top_counts;
    GRAZE_HD void operator()(std::int64_t cell) const {
        const std::uint32_t id = cells[runs.heads[cell]];
        atomic_fetch_add(top_counts + grid.top_of_id(id),
                         static_cast<std::uint32_t>(runs.size(cell)));
    }
};
struct IsBusy {
    const std::uint32_t* top_counts;
    GRAZE_HD std::uint64_t operator()(std::int64_t i) const { return top_counts[i] != 0 ? 1 : 0; }
};
struct DecideSplit {
    const std::uint32_t* top_counts;
    const std::uint64_t* busy_count;
    std::uint64_t entry_count;
    std::uint8_t* splits;
    GRAZE_HD void operator()(std::int64_t i) const {
        // The cell is above the average of those with elements.
        splits[i] = top_counts[i] * *busy_count > entry_count ? 1 : 0;
    }
};

inline GridView view_of(const ElementGrid& grid) {
    return {grid.shape, grid.has_two_levels ? grid.splits.data() : nullptr};
}

template <class Executor>
void update_hierarchy(Executor& executor, ElementGrid& grid) {
    const GridView view = view_of(grid);
    const std::int64_t top_count = view.top_cell_count();
    const CellRuns runs{grid.cell_heads.data(), grid.cell_count.data(),
                        static_cast<std::uint32_t>(grid.totals.entry_count)};
    grid.top_counts.resize(top_count);
    grid.busy_count.resize(1);
    executor.for_each("grid: clear counts", top_count,
                      Fill<std::uint32_t>{grid.top_counts.data(), 0});
    executor.for_each("grid: count top cells", grid.totals.cell_count,
                      CountTopCell{view, runs, grid.cells.data(), grid.top_counts.data()});
    executor.reduce("grid: busy cells", top_count, IsBusy{grid.top_counts.data()}, AddValues{},
                    std::uint64_t{0}, grid.busy_count.data());
    executor.for_each(
        "grid: hierarchy", top_count,
        DecideSplit{grid.top_counts.data(), grid.busy_count.data(),
                    static_cast<std::uint64_t>(grid.totals.entry_count), grid.splits.data()});
}

template <class Executor>
void store_items(Executor& executor, const Aabb* boxes, std::int64_t count, ElementGrid& grid) {
    const GridView view = view_of(grid);
    const std::int64_t item_count = grid.totals.item_count;
    grid.item_cells.resize(item_count);
    grid.item_owners.resize(item_count);
    if constexpr (Executor::kIsHost) {
        if (grid.propagation == Propagation::search) {
            executor.for_each("grid: assign", count,
                              StoreItemsOf{view, boxes, grid.heads.data(), grid.item_cells.data(),
                                           grid.item_owners.data()});
            return;
        }
    }
    if (grid.propagation == Propagation::scan) {
        grid.marks.resize(item_count);
        grid.mark_sums.resize(item_count + 1);
        executor.for_each("grid: clear marks", item_count,
                          Fill<std::uint32_t>{grid.marks.data(), 0});
        executor.for_each(
            "grid: mark heads", count,
            MarkHead{grid.heads.data(), static_cast<std::uint64_t>(item_count), grid.marks.data()});
        executor.exclusive_scan("grid: propagate", grid.marks.data(), grid.mark_sums.data(),
                                item_count);
    }
    executor.for_each(
        "grid: assign", item_count,
        StoreItem{view, boxes, grid.heads.data(), count,
                  grid.propagation == Propagation::scan ? grid.mark_sums.data() : nullptr,
                  grid.item_cells.data(), grid.item_owners.data()});
}

// Keeps the items that stand for a cell.
template <class Executor>
void keep_items(Executor& executor, ElementGrid& grid) {
    const std::int64_t item_count = grid.totals.item_count;
    grid.kept.resize(item_count);
    grid.kept_count.resize(1);
    executor.compact("grid: keep", item_count, IsKept{grid.item_cells.data()}, grid.kept.data(),
                     grid.kept_count.data());
    grid.totals.entry_count = executor.read(grid.kept_count.data());
    grid.unsorted_cells.resize(grid.totals.entry_count);
    grid.unsorted_owners.resize(grid.totals.entry_count);
    executor.for_each("grid: gather", grid.totals.entry_count,
                      GatherKept{grid.kept.data(), grid.item_cells.data(), grid.item_owners.data(),
                                 grid.unsorted_cells.data(), grid.unsorted_owners.data()});
}

// Finds the cells with elements, and counts the pairs in each.
template <class Executor>
void find_cells(Executor& executor, ElementGrid& grid) {
    const std::int64_t entry_count = grid.totals.entry_count;
    grid.cell_heads.resize(entry_count);
    grid.cell_count.resize(1);
    executor.compact("grid: cells", entry_count, IsCellHead{grid.cells.data()},
                     grid.cell_heads.data(), grid.cell_count.data());
    // The host does not wait for the device's number of cells; what is beyond it has no pairs.
    std::int64_t cell_capacity = entry_count;
    if constexpr (Executor::kIsHost) cell_capacity = executor.read(grid.cell_count.data());
    grid.candidates.resize(cell_capacity);
    grid.candidate_offsets.resize(cell_capacity + 1);
    const CellRuns runs{grid.cell_heads.data(), grid.cell_count.data(),
                        static_cast<std::uint32_t>(entry_count)};
    executor.for_each("grid: count candidates", cell_capacity,
                      CountCandidates{runs, grid.candidates.data()});
    executor.exclusive_scan("grid: offsets of candidates", grid.candidates.data(),
                            grid.candidate_offsets.data(), cell_capacity);
    executor.for_each(
        "grid: totals", 1,
        GatherCellTotals{grid.cell_count.data(), grid.candidate_offsets.data() + cell_capacity,
                         grid.totals_there.data()});
    const GridTotals totals = executor.read(grid.totals_there.data());
    grid.totals.cell_count = totals.cell_count;
    grid.totals.candidate_count = totals.candidate_count;
}

// From bottom to top: sizes, their scan, items, those that stand for a cell, a sort.
template <class Executor>
void assign(Executor& executor, const Aabb* boxes, std::int64_t count, ElementGrid& grid) {
    const GridView view = view_of(grid);
    grid.sizes.resize(count);
    grid.heads.resize(count + 1);
    grid.large.resize(count);
    grid.large_count.resize(1);
    grid.totals_there.resize(1);
    executor.for_each("grid: map boxes", count, CountItems{view, boxes, grid.sizes.data()});
    executor.exclusive_scan("grid: offsets of items", grid.sizes.data(), grid.heads.data(), count);
    executor.compact("grid: large ones", count, IsLarge{grid.sizes.data()}, grid.large.data(),
                     grid.large_count.data());
    executor.for_each("grid: totals", 1,
                      GatherItemTotals{grid.heads.data() + count, grid.large_count.data(),
                                       grid.totals_there.data()});
    grid.totals = executor.read(grid.totals_there.data());
    if (grid.totals.item_count > 0xfffffffe) {
        throw Error("a grid over " + std::to_string(count) +
                    " elements needs too many cells: choose PairSearch::tree");
    }
    store_items(executor, boxes, count, grid);
    grid.totals.entry_count = grid.totals.item_count;
    if (grid.has_two_levels) keep_items(executor, grid);
    const std::int64_t entry_count = grid.totals.entry_count;
    grid.cells.resize(entry_count);
    grid.owners.resize(entry_count);
    const Buffer<std::uint32_t>& unsorted_cells =
        grid.has_two_levels ? grid.unsorted_cells : grid.item_cells;
    const Buffer<std::uint32_t>& unsorted_owners =
        grid.has_two_levels ? grid.unsorted_owners : grid.item_owners;
    executor.sort_by_key("grid: sort", unsorted_cells.data(), grid.cells.data(),
                         unsorted_owners.data(), grid.owners.data(), entry_count,
                         static_cast<int>(std::bit_width(view.id_count())));
    find_cells(executor, grid);
}

}  // namespace element_grid_detail

template <class Executor>
void build_element_grid(Executor& executor, const Aabb* boxes, std::int64_t count,
                        bool has_two_levels, ElementGrid& grid) {
    using namespace element_grid_detail;
    if (count == 0) {
        grid.totals = {};
        return;
    }
    find_usual_region(executor, boxes, count, grid.sums, grid.usual);
    const UsualRegion usual = executor.read(grid.usual.data());
    const Vec3d size = static_cast<Vec3d>(usual.bounds.max) - static_cast<Vec3d>(usual.bounds.min);
    // The exponents are rounded down: half a power of two more is right on average.
    const double box_side = std::exp2(double(usual.exponent) + 0.5);
    if (!has_two_levels) {
        grid.shape = shape_over(usual.bounds, cubes_with_side(size, kCellPerBox * box_side).along);
        grid.has_two_levels = false;
        assign(executor, boxes, count, grid);
        return;
    }
    const double wanted = min_of(kDensity * static_cast<double>(count), kMostTopCells);
    const Resolution top =
        limited(cubes_over(size, wanted), size, grid.heeds_boxes ? kTopCellPerBox * box_side : 0);
    const bool updates_all = grid.always_updates || !grid.has_two_levels ||
                             grid.totals.cell_count == 0 || is_far_from(top, grid.shape);
    if (updates_all) {
        const std::uint32_t finest[3] = {2 * top.along[0], 2 * top.along[1], 2 * top.along[2]};
        grid.shape = shape_over(usual.bounds, finest);
        grid.has_two_levels = true;
        const std::int64_t top_count = view_of(grid).top_cell_count();
        grid.splits.resize(top_count);
        executor.for_each("grid: clear hierarchy", top_count,
                          Fill<std::uint8_t>{grid.splits.data(), 0});
        ++grid.full_update_count;
        assign(executor, boxes, count, grid);
    }
    update_hierarchy(executor, grid);
    grid.shape = shape_over(usual.bounds, grid.shape.resolution);
    assign(executor, boxes, count, grid);
}

}  // namespace graze

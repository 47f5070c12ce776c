// GridUnits: the pairs of all cells of an ElementGrid in one sequence, cut into units of equal
// length. A unit finds its first cell by bisection of the scanned counts of pairs, its first pair
// by the partial sums of n(n - 1)/2, and walks on from there. A pair that several cells have is
// reported by the one that contains the token corner, the minimum of the boxes' intersection.
// Behind these units follows one for each element that is in no cell.
#pragma once

#include "broad_phase/element_grid_cells.h"
#include "geometry/bvh/bvh_queries.h"

namespace graze {

struct GridUnits {
    static constexpr std::int64_t kGrain = 4;
    GridView grid;
    const Aabb* boxes;
    const std::uint32_t* owners;  // by entry (GridOwner), elements ascending in each cell
    std::int64_t entry_count;
    const std::uint32_t* cell_heads;
    const std::uint64_t* candidate_offsets;  // by cell
    std::int64_t cell_count;
    std::uint64_t candidate_count, candidates_per_unit;
    std::int64_t candidate_unit_count;
    const std::uint32_t* large;
    std::int64_t large_count;
    BvhView bvh;  // of all elements, where there are large ones

    GRAZE_HD std::int64_t count() const { return candidate_unit_count + large_count; }

    template <class Report>
    GRAZE_HD void visit(std::int64_t unit, Report& report) const {
        if (unit >= candidate_unit_count) {
            visit_large(large[unit - candidate_unit_count], report);
            return;
        }
        std::uint64_t next = static_cast<std::uint64_t>(unit) * candidates_per_unit;
        const std::uint64_t end = min_of(next + candidates_per_unit, candidate_count);
        for (std::int64_t cell = segment_of(candidate_offsets, cell_count, next); next < end;
             ++cell) {
            const std::uint64_t cell_begin = candidate_offsets[cell];
            const std::uint64_t cell_end = min_of(candidate_offsets[cell + 1], end);
            if (next < cell_end) visit_cell(cell, next - cell_begin, cell_end - cell_begin, report);
            next = cell_end;
        }
    }

private:
    // Visits pairs [begin, end) of a cell.
    template <class Report>
    GRAZE_HD void visit_cell(std::int64_t cell, std::uint64_t begin, std::uint64_t end,
                             Report& report) const {
        const std::uint32_t head = cell_heads[cell];
        const std::uint64_t n =
            (cell + 1 < cell_count ? cell_heads[cell + 1] : entry_count) - std::uint64_t{head};
        std::uint64_t row = row_of_pair(n, begin);
        std::uint64_t column = row + 1 + (begin - pairs_before_row(n, row));
        for (std::uint64_t left = end - begin; left > 0;) {
            const std::uint64_t width = min_of(n - column, left);
            visit_row(head + row, head + column, width, report);
            left -= width;
            ++row;
            column = row + 1;
        }
    }
    // Visits the pairs of an entry and some others of its cell.
    template <class Report>
    GRAZE_HD void visit_row(std::uint64_t entry, std::uint64_t first, std::uint64_t width,
                            Report& report) const {
        const std::uint32_t own = owners[entry];
        const std::uint32_t a = GridOwner::element(own);
        const Aabb box = boxes[a];
        for (std::uint64_t i = first; i < first + width; ++i) {
            const std::uint32_t other = owners[i];
            if (!GridOwner::has_token(own, other)) continue;
            const std::uint32_t b = GridOwner::element(other);
            if (overlap(box, boxes[b])) report(a, b);
        }
    }

    template <class Report>
    struct LargePartner {
        const GridUnits& units;
        std::uint32_t own;
        Report& report;
        GRAZE_INLINE void operator()(std::uint32_t slot) const {
            const std::uint32_t other = units.bvh.primitives[slot];
            // Of two large ones the lower reports the pair.
            const bool is_left_to_other =
                other <= own &&
                units.grid.cells_of(units.boxes[other]).cell_count() > kMostCellsOfElement;
            if (!is_left_to_other) report(min_of(own, other), max_of(own, other));
        }
    };
    template <class Report>
    GRAZE_HD void visit_large(std::uint32_t own, Report& report) const {
        LargePartner<Report> partner{*this, own, report};
        BoxOverlap query(boxes[own], partner);
        traverse(bvh, query);
    }
};

// A unit has enough pairs to be worth finding its first one.
template <class Executor>
GridUnits grid_units(const ElementGrid& grid, const Aabb* boxes, const Bvh& bvh) {
    const GridTotals& totals = grid.totals;
    // What is kept for each unit grows with the elements, even where all are in one cell.
    const std::int64_t least = Executor::kIsHost ? 2048 : 32;
    const std::int64_t most_units = 4 * totals.entry_count + 1024;
    const std::int64_t per_unit =
        max_of(least, (totals.candidate_count + most_units - 1) / most_units);
    return {{grid.shape, grid.has_two_levels ? grid.splits.data() : nullptr},
            boxes,
            grid.owners.data(),
            totals.entry_count,
            grid.cell_heads.data(),
            grid.candidate_offsets.data(),
            totals.cell_count,
            static_cast<std::uint64_t>(totals.candidate_count),
            static_cast<std::uint64_t>(per_unit),
            (totals.candidate_count + per_unit - 1) / per_unit,
            grid.large.data(),
            totals.large_count,
            bvh.view()};
}

}  // namespace graze

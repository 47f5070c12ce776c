// ElementGrid: boxes sorted into the cells of a grid with one or two levels, for the pairs that
// touch. See element_grid_impl.h.
#pragma once

#include <cstdint>

#include "broad_phase/box_tree.h"
#include "graze/aabb.h"
#include "parallel/buffer.h"

namespace graze {

// The finest cells of a grid. A point outside of them belongs to the nearest cell.
struct GridShape {
    Vec3d origin;                 // [m]
    Vec3d cells_per_unit;         // [1/m] 0 along an axis with a single cell
    std::uint32_t resolution[3];  // cells along each axis; even where there are two levels

    // Rounding is monotone: a larger coordinate is never in a lower cell. A box therefore meets
    // exactly the cells from its minimum's to its maximum's, and the cell of the minimum of two
    // boxes' intersection is one that both meet.
    GRAZE_INLINE std::uint32_t cell(float coordinate, int axis) const {
        const double in_cells =
            (static_cast<double>(coordinate) - origin[axis]) * cells_per_unit[axis];
        const double last = static_cast<double>(resolution[axis] - 1);
        return static_cast<std::uint32_t>(in_cells > 0 ? min_of(in_cells, last) : 0.0);
    }
};

struct GridCell {
    std::uint32_t x, y, z;
};

// The cells that a box meets, from first to last along each axis, both included.
struct CellRange {
    GridCell first, last;

    GRAZE_INLINE std::uint64_t cell_count() const {
        return std::uint64_t{last.x - first.x + 1} * (last.y - first.y + 1) *
               (last.z - first.z + 1);
    }
};

// Counts of what a step of the grid made, known to the host.
struct GridTotals {
    std::int64_t item_count = 0;       // pairs of an element and a finest cell that it meets
    std::int64_t large_count = 0;      // elements that meet too many cells and are in none
    std::int64_t entry_count = 0;      // pairs of an element and a cell that it is in
    std::int64_t cell_count = 0;       // cells with elements
    std::int64_t candidate_count = 0;  // pairs of elements in the same cell
};

// How threads find the element that their item belongs to.
enum class Propagation : std::uint8_t {
    search,  // each by itself, by bisection of the scanned sizes
    scan,    // as in the paper, by marks at the heads of the segments, summed up by a scan
};

struct ElementGrid {
    explicit ElementGrid(Memory& memory)
        : sums(memory),
          usual(memory),
          sizes(memory),
          heads(memory),
          large(memory),
          large_count(memory),
          marks(memory),
          mark_sums(memory),
          item_cells(memory),
          item_owners(memory),
          kept(memory),
          kept_count(memory),
          unsorted_cells(memory),
          unsorted_owners(memory),
          cells(memory),
          owners(memory),
          cell_heads(memory),
          cell_count(memory),
          candidates(memory),
          candidate_offsets(memory),
          splits(memory),
          top_counts(memory),
          busy_count(memory),
          totals_there(memory) {}

    // Settings, for tests and benchmarks.
    Propagation propagation = Propagation::search;
    bool always_updates =
        false;                // make the hierarchy anew from this step's elements, in every step
    bool heeds_boxes = true;  // two levels: no cell is smaller than boxes; else density decides

    GridShape shape{};
    bool has_two_levels = false;
    GridTotals totals;
    std::int64_t full_update_count = 0;  // since the start

    // Statistics of the boxes, one element each.
    Buffer<CentreSums> sums;
    Buffer<UsualRegion> usual;
    // By element: how many items it has, and how many those before it have.
    Buffer<std::uint64_t> sizes, heads;
    Buffer<std::uint32_t> large, large_count;  // elements that meet too many cells
    Buffer<std::uint32_t> marks, mark_sums;    // by item, for Propagation::scan
    // By item: the cell, kNoCell where another item stands for it, and the element (GridOwner).
    Buffer<std::uint32_t> item_cells, item_owners;
    Buffer<std::uint32_t> kept, kept_count;
    // By entry, sorted by cell: the cell's id and the element (GridOwner).
    Buffer<std::uint32_t> unsorted_cells, unsorted_owners, cells, owners;
    // By cell with elements: its first entry, its pairs, and the pairs of those before it.
    Buffer<std::uint32_t> cell_heads, cell_count;
    Buffer<std::uint64_t> candidates, candidate_offsets;
    // By top cell: 1 where it is split into eight; how many elements it has.
    Buffer<std::uint8_t> splits;
    Buffer<std::uint32_t> top_counts;
    Buffer<std::uint64_t> busy_count;  // one element: top cells with elements
    Buffer<GridTotals> totals_there;   // one element, in the executor's memory
};

// Waits three times, with two levels four times, and three times more where the whole hierarchy is
// updated.
template <class Executor>
void build_element_grid(Executor& executor, const Aabb* boxes, std::int64_t count,
                        bool has_two_levels, ElementGrid& grid);

}  // namespace graze

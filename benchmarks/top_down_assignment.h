// Assigns elements to the cells of a grid with two levels in the straightforward way, to compare
// with that of ElementGrid: each element walks over the top cells that it meets and, in those that
// are split, over the bottom cells, once to count and once to store.
#pragma once

#include "broad_phase/element_grid_cells.h"
#include "parallel/buffer.h"

namespace graze {

template <class Visit>
GRAZE_HD void visit_cells_top_down(const GridView& grid, const Aabb& box, Visit& visit) {
    const CellRange range = grid.cells_of(box);
    if (range.cell_count() > kMostCellsOfElement) return;
    const std::uint32_t top_count = grid.top_cell_count();
    for (std::uint32_t tx = range.first.x >> 1; tx <= range.last.x >> 1; ++tx) {
        for (std::uint32_t ty = range.first.y >> 1; ty <= range.last.y >> 1; ++ty) {
            for (std::uint32_t tz = range.first.z >> 1; tz <= range.last.z >> 1; ++tz) {
                const std::uint32_t top = grid.top_index({2 * tx, 2 * ty, 2 * tz});
                if (grid.splits[top] == 0) {
                    visit(top);
                    continue;
                }
                const GridCell first{max_of(range.first.x, 2 * tx), max_of(range.first.y, 2 * ty),
                                     max_of(range.first.z, 2 * tz)};
                const GridCell last{min_of(range.last.x, 2 * tx + 1),
                                    min_of(range.last.y, 2 * ty + 1),
                                    min_of(range.last.z, 2 * tz + 1)};
                for (std::uint32_t x = first.x; x <= last.x; ++x)
                    for (std::uint32_t y = first.y; y <= last.y; ++y)
                        for (std::uint32_t z = first.z; z <= last.z; ++z)
                            visit(top_count + grid.finest_index({x, y, z}));
            }
        }
    }
}

struct CountTopDown {
    GridView grid;
    const Aabb* boxes;
    std::uint64_t* sizes;
    struct Count {
        std::uint64_t count = 0;
        GRAZE_INLINE void operator()(std::uint32_t) { ++count; }
    };
    GRAZE_HD void operator()(std::int64_t i) const {
        Count visit;
        visit_cells_top_down(grid, boxes[i], visit);
        sizes[i] = visit.count;
    }
};
struct StoreTopDown {
    GridView grid;
    const Aabb* boxes;
    const std::uint64_t* heads;
    std::uint32_t* cells;
    std::uint32_t* owners;
    struct Store {
        std::uint32_t* cells;
        std::uint32_t* owners;
        std::uint32_t owner;
        GRAZE_INLINE void operator()(std::uint32_t cell) {
            *cells++ = cell;
            *owners++ = owner;
        }
    };
    GRAZE_HD void operator()(std::int64_t i) const {
        Store visit{cells + heads[i], owners + heads[i], static_cast<std::uint32_t>(i)};
        visit_cells_top_down(grid, boxes[i], visit);
    }
};

struct TopDownAssignment {
    explicit TopDownAssignment(Memory& memory)
        : sizes(memory), heads(memory), cells(memory), owners(memory) {}
    Buffer<std::uint64_t> sizes, heads;
    Buffer<std::uint32_t> cells, owners;  // by entry, not yet sorted
};

template <class Executor>
void assign_top_down(Executor& executor, const GridView& grid, const Aabb* boxes,
                     std::int64_t count, TopDownAssignment& result) {
    result.sizes.resize(count);
    result.heads.resize(count + 1);
    executor.for_each("top down: count", count, CountTopDown{grid, boxes, result.sizes.data()});
    executor.exclusive_scan("top down: offsets", result.sizes.data(), result.heads.data(), count);
    const auto entry_count = static_cast<std::int64_t>(executor.read(result.heads.data() + count));
    result.cells.resize(entry_count);
    result.owners.resize(entry_count);
    executor.for_each(
        "top down: store", count,
        StoreTopDown{grid, boxes, result.heads.data(), result.cells.data(), result.owners.data()});
}

}  // namespace graze

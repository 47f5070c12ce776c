// The cells of an ElementGrid: which ones a box meets, their ids, and the pairs in them. All are
// pure functions; tests/oracle/grid_oracle.h has slower ones.
#pragma once

#include <cmath>

#include "broad_phase/element_grid.h"
#include "core/segment_of.h"

namespace graze {

constexpr std::uint32_t kNoCell = 0xffffffffu;

// Elements that meet more cells are in none and look for partners in a tree: one box among smaller
// ones may meet all cells there are. Cells are about as large as boxes (element_grid_shape.h), most
// of which meet 8 to 27; a limit of 64, 125 or 216 makes no difference to the sequences.
constexpr std::uint64_t kMostCellsOfElement = 125;

// An element in a cell, packed into 32 bits: bit axis of starts is set where the first of the cells
// that its box meets along the axis is in this one, or is this one.
struct GridOwner {
    static constexpr int kElementBits = 27;
    static_assert(kBoxTreeMaxBoxes <= std::int64_t{1} << kElementBits);

    GRAZE_INLINE static std::uint32_t pack(std::uint32_t element, std::uint32_t starts) {
        return element | starts << kElementBits;
    }
    GRAZE_INLINE static std::uint32_t element(std::uint32_t owner) {
        return owner & ((1u << kElementBits) - 1);
    }
    // True where the cell of two elements contains the token corner, the minimum of the
    // intersection of their boxes. That is where the later of both starts along each axis. Of all
    // cells that both are in, exactly one does.
    GRAZE_INLINE static bool has_token(std::uint32_t a, std::uint32_t b) {
        return (a | b) >> kElementBits == 7;
    }
};

// The cell that an element is put into for one of the finest cells that its box meets.
struct AssignedCell {
    std::uint32_t id;      // kNoCell where another of the finest cells stands for it
    std::uint32_t starts;  // see GridOwner
};

struct GridView {
    GridShape shape;
    // By top cell; null where there is one level.
    const std::uint8_t* splits;

    GRAZE_INLINE GridCell cell_at(const Vec3& point) const {
        return {shape.cell(point.x, 0), shape.cell(point.y, 1), shape.cell(point.z, 2)};
    }
    GRAZE_INLINE CellRange cells_of(const Aabb& box) const {
        return {cell_at(box.min), cell_at(box.max)};
    }

    // Indices by equation 1 of the paper, for finest cells and for those of the top level.
    GRAZE_INLINE std::uint32_t finest_index(const GridCell& cell) const {
        return (cell.x * shape.resolution[1] + cell.y) * shape.resolution[2] + cell.z;
    }
    GRAZE_INLINE std::uint32_t top_index(const GridCell& finest) const {
        return ((finest.x >> 1) * (shape.resolution[1] >> 1) + (finest.y >> 1)) *
                   (shape.resolution[2] >> 1) +
               (finest.z >> 1);
    }
    GRAZE_INLINE std::uint32_t top_cell_count() const {
        return (shape.resolution[0] >> 1) * (shape.resolution[1] >> 1) * (shape.resolution[2] >> 1);
    }

    // The id of the cell that a finest cell is in; those of the bottom level follow those of the
    // top.
    GRAZE_INLINE std::uint32_t id_of(const GridCell& finest) const {
        if (!splits) return finest_index(finest);
        const std::uint32_t top = top_index(finest);
        return splits[top] != 0 ? top_cell_count() + finest_index(finest) : top;
    }
    // The top cell of an id.
    GRAZE_INLINE std::uint32_t top_of_id(std::uint32_t id) const {
        const std::uint32_t top_count = top_cell_count();
        if (id < top_count) return id;
        const std::uint32_t index = id - top_count, size_y = shape.resolution[1],
                            size_z = shape.resolution[2];
        return top_index({index / size_z / size_y, index / size_z % size_y, index % size_z});
    }
    // Up to eight of the finest cells that a box meets are in a top cell that is not split. The
    // lowest, which has the minimum of the box's intersection with the top cell, stands for it.
    GRAZE_INLINE AssignedCell assigned_cell(const CellRange& range, const GridCell& cell) const {
        if (!splits) return {finest_index(cell), starts(range, cell)};
        const std::uint32_t top = top_index(cell);
        if (splits[top] != 0) return {top_cell_count() + finest_index(cell), starts(range, cell)};
        const GridCell low{cell.x & ~1u, cell.y & ~1u, cell.z & ~1u};
        const bool is_token = cell.x == max_of(range.first.x, low.x) &&
                              cell.y == max_of(range.first.y, low.y) &&
                              cell.z == max_of(range.first.z, low.z);
        return {is_token ? top : kNoCell, starts(range, low)};
    }
    GRAZE_INLINE static std::uint32_t starts(const CellRange& range, const GridCell& low) {
        return (range.first.x >= low.x ? 1u : 0u) | (range.first.y >= low.y ? 2u : 0u) |
               (range.first.z >= low.z ? 4u : 0u);
    }
    GRAZE_INLINE std::uint32_t id_count() const {
        const std::uint32_t finest =
            shape.resolution[0] * shape.resolution[1] * shape.resolution[2];
        return splits ? finest + top_cell_count() : finest;
    }
};

// The cell of a range by its index, z fastest.
GRAZE_INLINE GridCell cell_in_range(const CellRange& range, std::uint32_t index) {
    const std::uint32_t size_y = range.last.y - range.first.y + 1,
                        size_z = range.last.z - range.first.z + 1;
    return {range.first.x + index / size_z / size_y, range.first.y + index / size_z % size_y,
            range.first.z + index % size_z};
}

// Pairs of n things in the order (0, 1), (0, 2), ..., (1, 2), ...: how many come before row i.
GRAZE_INLINE std::uint64_t pairs_before_row(std::uint64_t n, std::uint64_t row) {
    return row * (2 * n - row - 1) / 2;
}
// The row of pair k. The root of the partial sums in floating point is off by one at most for less
// than 2^32 things.
GRAZE_INLINE std::uint64_t row_of_pair(std::uint64_t n, std::uint64_t k) {
    const double width = 2 * static_cast<double>(n) - 1;
    const double root = std::sqrt(max_of(width * width - 8 * static_cast<double>(k), 0.0));
    auto row = static_cast<std::uint64_t>(max_of((width - root) / 2, 0.0));
    row = min_of(row, n - 2);
    while (row > 0 && pairs_before_row(n, row) > k)
        --row;
    while (row + 2 < n && pairs_before_row(n, row + 1) <= k)
        ++row;
    return row;
}

}  // namespace graze

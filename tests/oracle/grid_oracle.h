// The cells of an ElementGrid, found by going through all of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "broad_phase/element_grid_cells.h"

namespace graze::oracle {

// Pairs of a cell and an element.
using Assignment = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

inline bool has_cell(const CellRange& range, const GridCell& cell) {
    return range.first.x <= cell.x && cell.x <= range.last.x && range.first.y <= cell.y &&
           cell.y <= range.last.y && range.first.z <= cell.z && cell.z <= range.last.z;
}

// Returns the elements of every cell, by going through all finest cells. A cell of the top level
// has the elements of its eight cells, each once.
inline Assignment brute_assignment(const GridView& grid, const std::vector<Aabb>& boxes) {
    Assignment result;
    const std::uint32_t* size = grid.shape.resolution;
    for (std::uint32_t element = 0; element < boxes.size(); ++element) {
        const CellRange range = grid.cells_of(boxes[element]);
        if (range.cell_count() > kMostCellsOfElement) continue;
        std::uint32_t finest = 0;
        for (std::uint32_t x = 0; x < size[0]; ++x) {
            for (std::uint32_t y = 0; y < size[1]; ++y) {
                for (std::uint32_t z = 0; z < size[2]; ++z, ++finest) {
                    if (!has_cell(range, {x, y, z})) continue;
                    if (!grid.splits) {
                        result.push_back({finest, element});
                        continue;
                    }
                    const std::uint32_t top =
                        (x / 2 * (size[1] / 2) + y / 2) * (size[2] / 2) + z / 2;
                    const std::uint32_t top_count = size[0] / 2 * (size[1] / 2) * (size[2] / 2);
                    result.push_back({grid.splits[top] ? top_count + finest : top, element});
                }
            }
        }
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

// Returns which top cells to split: those with more entries than the average of those that have
// any.
inline std::vector<std::uint8_t> brute_hierarchy(const GridView& grid,
                                                 const Assignment& assignment) {
    std::map<std::uint32_t, std::uint64_t> counts;
    for (const auto& [id, element] : assignment)
        ++counts[grid.top_of_id(id)];
    std::vector<std::uint8_t> splits(grid.top_cell_count(), 0);
    const double average =
        static_cast<double>(assignment.size()) / static_cast<double>(counts.size());
    for (const auto& [top, count] : counts)
        splits[top] = static_cast<double>(count) > average ? 1 : 0;
    return splits;
}

}  // namespace graze::oracle

// SortedEdges: the sides of all triangles, so that those along the same edge follow each other.
#pragma once

#include <vector>

#include "graze/mesh.h"
#include "parallel/cpu_executor.h"

namespace graze {

struct SortedEdges {
    Buffer<std::uint64_t> keys{host_memory()};   // the lower vertex, then the higher
    Buffer<std::uint32_t> sides{host_memory()};  // 3 * triangle + corner

    std::int64_t size() const { return keys.size(); }
    std::uint32_t low(std::int64_t i) const {
        return static_cast<std::uint32_t>(keys.data()[i] >> 32);
    }
    std::uint32_t high(std::int64_t i) const { return static_cast<std::uint32_t>(keys.data()[i]); }
    std::uint32_t triangle(std::int64_t i) const { return sides.data()[i] / 3; }
    // 1 where the side leads from the lower vertex to the higher, -1 where it leads back, and 0
    // where it leads to its own vertex.
    int direction(const std::vector<Triangle>& triangles, std::int64_t i) const {
        if (low(i) == high(i)) return 0;
        return triangles[triangle(i)][static_cast<int>(sides.data()[i] % 3)] == low(i) ? 1 : -1;
    }
    // Whether side i is the last one along its edge.
    bool is_last(std::int64_t i) const {
        return i + 1 == size() || keys.data()[i + 1] != keys.data()[i];
    }
};

SortedEdges sort_edges(CpuExecutor& executor, const std::vector<Triangle>& triangles);

}  // namespace graze

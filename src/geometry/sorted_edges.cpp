#include "geometry/sorted_edges.h"

#include <algorithm>

namespace graze {

SortedEdges sort_edges(CpuExecutor& executor, const std::vector<Triangle>& triangles) {
    const auto count = static_cast<std::int64_t>(triangles.size()) * 3;
    Buffer<std::uint64_t> keys(host_memory(), count);
    Buffer<std::uint32_t> sides(host_memory(), count);
    executor.for_each_range(count, 4096, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const Triangle& t = triangles[static_cast<std::size_t>(i / 3)];
            const std::uint32_t from = t[static_cast<int>(i % 3)];
            const std::uint32_t to = t[static_cast<int>((i + 1) % 3)];
            keys.data()[i] = std::uint64_t{std::min(from, to)} << 32 | std::max(from, to);
            sides.data()[i] = static_cast<std::uint32_t>(i);
        }
    });
    SortedEdges edges;
    edges.keys.resize(count);
    edges.sides.resize(count);
    executor.sort_by_key("sort edges", keys.data(), edges.keys.data(), sides.data(),
                         edges.sides.data(), count);
    return edges;
}

}  // namespace graze

// Grids of cells that find the points near a point: PointGrid for many points at once, GrowingGrid
// for one after the other.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "graze/vec3.h"
#include "parallel/cpu_executor.h"

namespace graze {

struct GridCell {
    std::int64_t x, y, z;

    bool operator==(const GridCell&) const = default;
    std::uint64_t hash() const {
        std::uint64_t value = 0;
        for (const std::int64_t coordinate : {x, y, z}) {
            value = (value ^ static_cast<std::uint64_t>(coordinate)) * 0x9e3779b97f4a7c15u;
            value ^= value >> 29;
        }
        return value;
    }
    static GridCell of(const Vec3& point, double cells_per_metre) {
        const auto coordinate = [cells_per_metre](float x) {
            return static_cast<std::int64_t>(
                std::clamp(std::floor(static_cast<double>(x) * cells_per_metre), -1e18, 1e18));
        };
        return {coordinate(point.x), coordinate(point.y), coordinate(point.z)};
    }
    // Calls visit(cell) for it and the 26 around it.
    template <class Visit>
    void visit_around(const Visit& visit) const {
        for (std::int64_t i = -1; i <= 1; ++i) {
            for (std::int64_t j = -1; j <= 1; ++j) {
                for (std::int64_t k = -1; k <= 1; ++k)
                    visit(GridCell{x + i, y + j, z + k});
            }
        }
    }
};

// Points are sorted by a hash of their cell; the order in a cell is that of the points.
class PointGrid {
public:
    explicit PointGrid(double cell_size) : cells_per_metre_(1 / cell_size) {}

    // position_of(i): the points' positions.
    template <class PositionOf>
    void build(CpuExecutor& executor, std::int64_t count, const PositionOf& position_of) {
        const int bits =
            std::max(4, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count))));
        mask_ = (std::uint32_t{1} << bits) - 1;
        keys_.resize(count);
        sorted_keys_.resize(count);
        indices_.resize(count);
        entries_.resize(count);
        order_.resize(count);
        executor.for_each("points: cells", count, [&](std::int64_t i) {
            keys_.data()[i] = bucket_of(GridCell::of(position_of(i), cells_per_metre_).hash());
            indices_.data()[i] = static_cast<std::uint32_t>(i);
        });
        executor.sort_by_key("points: sort", keys_.data(), sorted_keys_.data(), indices_.data(),
                             order_.data(), count, bits);
        starts_.resize(std::int64_t{mask_} + 2);
        executor.for_each("points: starts", std::int64_t{mask_} + 2, [&](std::int64_t bucket) {
            const std::uint32_t* begin = sorted_keys_.data();
            starts_.data()[bucket] = static_cast<std::uint32_t>(
                std::lower_bound(begin, begin + count, static_cast<std::uint32_t>(bucket)) - begin);
        });
        executor.for_each("points: entries", count, [&](std::int64_t i) {
            const std::uint32_t index = order_.data()[i];
            const Vec3 position = position_of(index);
            entries_.data()[i] = {GridCell::of(position, cells_per_metre_).hash(), position, index};
        });
    }

    // Calls visit(index, position) for the points in the cells around a point, among them all that
    // are within a cell's size of it.
    template <class Visit>
    void visit_near(const Vec3& point, const Visit& visit) const {
        GridCell::of(point, cells_per_metre_).visit_around([&](const GridCell& cell) {
            const std::uint64_t hash = cell.hash();
            const std::uint32_t bucket = bucket_of(hash);
            const std::uint32_t end = starts_.data()[bucket + 1];
            for (std::uint32_t i = starts_.data()[bucket]; i < end; ++i) {
                const Entry& entry = entries_.data()[i];
                // Another cell may have the same bucket, and be looked at as well.
                if (entry.hash == hash) visit(entry.index, entry.position);
            }
        });
    }

private:
    struct Entry {
        std::uint64_t hash;  // of its cell
        Vec3 position;
        std::uint32_t index;
    };

    std::uint32_t bucket_of(std::uint64_t hash) const {
        return static_cast<std::uint32_t>(hash >> 32) & mask_;
    }

    double cells_per_metre_;
    std::uint32_t mask_ = 0;
    Buffer<std::uint32_t> keys_{host_memory()}, sorted_keys_{host_memory()};
    Buffer<std::uint32_t> indices_{host_memory()}, order_{host_memory()};
    Buffer<std::uint32_t> starts_{host_memory()};
    Buffer<Entry> entries_{host_memory()};
};

class GrowingGrid {
public:
    explicit GrowingGrid(double cell_size) : cells_per_metre_(1 / cell_size) {}

    void add(const Vec3& point, std::uint32_t index) {
        cells_[GridCell::of(point, cells_per_metre_).hash()].push_back(index);
    }
    // True where is_near(index) holds for a point in the cells around; cells of the same hash are
    // looked at together.
    template <class IsNear>
    bool has_near(const Vec3& point, const IsNear& is_near) const {
        bool found = false;
        GridCell::of(point, cells_per_metre_).visit_around([&](const GridCell& cell) {
            if (found) return;
            const auto at = cells_.find(cell.hash());
            if (at == cells_.end()) return;
            found = std::any_of(at->second.begin(), at->second.end(), is_near);
        });
        return found;
    }

private:
    double cells_per_metre_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells_;
};

}  // namespace graze

// build_row_crossings: where rows cross a mesh. With x as the rows' axis, a triangle is drawn into
// the y-z plane, and each row inside its outline crosses it. For other axes the coordinates are
// turned around, which no predicate notices. Triangles are cut into chunks of rows, so that a large
// one does not keep one thread busy; then the steps are count, scan and fill.
#pragma once

#include "core/atomics.h"
#include "core/bits.h"
#include "field/build/row_crossings.h"
#include "parallel/fill.h"
#include "parallel/reductions.h"

namespace graze {
namespace crossings_detail {

// The rows whose y (axis 1) or z (axis 2) lies between the corners'; none where last < first.
struct RowRange {
    std::int64_t first, last;
    GRAZE_INLINE std::int64_t count() const { return last < first ? 0 : last - first + 1; }
};
GRAZE_INLINE float row_position(const FieldGrid& grid, int axis, std::int64_t row) {
    return grid.origin[axis] + grid.spacing * static_cast<float>(row);
}
// The range is first an estimate, with one row to spare on each side, within the grid. The exact
// positions of the rows then narrow it, so that no row is looked at in vain.
GRAZE_INLINE RowRange rows_between(const FieldGrid& grid, int axis, float low, float high) {
    const double scale = 1.0 / double(grid.spacing);
    const double last = double(grid.cells[axis]);
    const double from = std::floor((double(low) - double(grid.origin[axis])) * scale) - 1;
    const double to = std::ceil((double(high) - double(grid.origin[axis])) * scale) + 1;
    RowRange rows{static_cast<std::int64_t>(from < 0 ? 0.0 : (from > last ? last + 1 : from)),
                  static_cast<std::int64_t>(to > last ? last : (to < 0 ? -1.0 : to))};
    while (rows.first <= rows.last && row_position(grid, axis, rows.first) < low)
        ++rows.first;
    while (rows.first <= rows.last && row_position(grid, axis, rows.last) > high)
        --rows.last;
    return rows;
}

struct RowBox {
    RowRange y, z;
};
GRAZE_INLINE RowBox rows_of(const FieldGrid& grid, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Aabb box = box_of(a, b, c);
    return {rows_between(grid, 1, box.min.y, box.max.y),
            rows_between(grid, 2, box.min.z, box.max.z)};
}

// The side of the directed line u v, in the y-z plane, on which a row lies. It is never 0 where u
// and v differ.
GRAZE_INLINE int side_of(const Vec3& u, const Vec3& v, float y, float z) {
    const int side = orient2d(u.y, u.z, v.y, v.z, y, z);
    if (side != 0) return side;
    if (u.z != v.z) return u.z < v.z ? -1 : 1;  // y grows by an infinitely small step
    return u.y < v.y ? 1 : -1;                  // then z by a smaller one
}

// Counts the samples of the row, from its start, that the crossing lies beyond.
GRAZE_HD inline std::int64_t count_samples_before(const FieldGrid& grid, const Vec3& a,
                                                  const Vec3& b, const Vec3& c, int facing, float y,
                                                  float z) {
    // The plane gives an estimate; the exact side of the samples around it decides.
    const Vec3d ab = static_cast<Vec3d>(b) - static_cast<Vec3d>(a);
    const Vec3d ac = static_cast<Vec3d>(c) - static_cast<Vec3d>(a);
    const Vec3d n = cross(ab, ac);
    const double x =
        double(a.x) - (n.y * (double(y) - double(a.y)) + n.z * (double(z) - double(a.z))) / n.x;
    const double voxels = (x - double(grid.origin.x)) / double(grid.spacing);
    const auto count = static_cast<double>(grid.samples(0));
    auto before = static_cast<std::int64_t>(voxels > 0 ? (voxels < count ? voxels : count) : 0.0);
    const auto is_before = [&](std::int64_t i) {
        const Vec3 p{grid.origin.x + grid.spacing * static_cast<float>(i), y, z};
        return orient3d(a, b, c, p) * facing < 0;
    };
    while (before < grid.samples(0) && is_before(before))
        ++before;
    while (before > 0 && !is_before(before - 1))
        --before;
    return before;
}

constexpr std::int64_t kChunkRows = 64;  // as many as a word has bits

// Turns coordinates so that the axis and the two after it become x, y and z.
GRAZE_INLINE Vec3 turned(const Vec3& v, int axis) {
    return {v[axis], v[(axis + 1) % 3], v[(axis + 2) % 3]};
}
GRAZE_INLINE FieldGrid turned(const FieldGrid& grid, int axis) {
    return {turned(grid.origin, axis),
            grid.spacing,
            {grid.cells[axis], grid.cells[(axis + 1) % 3], grid.cells[(axis + 2) % 3]}};
}

struct CountChunks {
    const Vec3* positions;
    const Triangle* triangles;
    FieldGrid grid;  // turned
    int axis;
    std::uint64_t* chunks;
    GRAZE_HD void operator()(std::int64_t i) const {
        const Triangle t = triangles[i];
        const RowBox rows = rows_of(grid, turned(positions[t[0]], axis),
                                    turned(positions[t[1]], axis), turned(positions[t[2]], axis));
        chunks[i] = static_cast<std::uint64_t>((rows.y.count() * rows.z.count() + kChunkRows - 1) /
                                               kChunkRows);
    }
};

struct CountOfRow {
    const std::uint32_t* counts;
    GRAZE_HD std::uint64_t operator()(std::int64_t i) const { return counts[i]; }
};

// Writes which triangle each chunk belongs to, by one work item a triangle.
struct WriteOwners {
    const std::uint64_t* sums;  // how many chunks come before a triangle's own, and all at the end
    std::uint32_t* owners;      // by chunk
    GRAZE_HD void operator()(std::int64_t triangle) const {
        for (std::uint64_t chunk = sums[triangle]; chunk < sums[triangle + 1]; ++chunk)
            owners[chunk] = static_cast<std::uint32_t>(triangle);
    }
};

// Counts the crossings of each row in its cursor and marks which rows a chunk crosses; with kFill
// it writes an entry for each of those at the cursor.
template <bool kFill>
struct CrossRows {
    const Vec3* positions;
    const Triangle* triangles;
    const std::uint64_t* chunk_sums;
    const std::uint32_t* owners;  // of chunks
    FieldGrid grid;               // turned
    int axis;
    std::uint64_t* crossed;  // by chunk, a bit for each of its rows
    std::uint32_t* cursors;
    std::int32_t* entries;

    GRAZE_HD void operator()(std::int64_t chunk) const {
        // Most small triangles lie between the rows.
        if (kFill && crossed[chunk] == 0) return;
        const std::int64_t index = owners[chunk];
        const Triangle t = triangles[index];
        const Vec3 a = turned(positions[t[0]], axis), b = turned(positions[t[1]], axis),
                   c = turned(positions[t[2]], axis);
        const int facing = orient2d(a.y, a.z, b.y, b.z, c.y, c.z);
        const RowBox rows = rows_of(grid, a, b, c);
        const std::int64_t first =
            (chunk - static_cast<std::int64_t>(chunk_sums[index])) * kChunkRows;
        const auto y_of = [&](std::int64_t row) { return rows.y.first + row % rows.y.count(); };
        const auto z_of = [&](std::int64_t row) { return rows.z.first + row / rows.y.count(); };
        if constexpr (kFill) {
            for (std::uint64_t left = crossed[chunk]; left != 0; left &= left - 1) {
                const std::int64_t row = first + trailing_zeros(left);
                store_crossing(a, b, c, facing, y_of(row), z_of(row));
            }
        } else {
            const std::int64_t all = rows.y.count() * rows.z.count();
            // Seen from its edge, a triangle is never crossed.
            const std::int64_t count = facing == 0 ? 0 : min_of(all - first, kChunkRows);
            std::uint64_t found = 0;
            std::int64_t y = y_of(first), z = z_of(first);
            for (std::int64_t n = 0; n < count; ++n) {
                if (count_crossing(a, b, c, facing, y, z)) found |= std::uint64_t{1} << n;
                if (++y > rows.y.last) {
                    y = rows.y.first;
                    ++z;
                }
            }
            crossed[chunk] = found;
        }
    }

    // Counts a crossing where row (j, k) crosses the triangle. Returns whether it does.
    GRAZE_HD bool count_crossing(const Vec3& a, const Vec3& b, const Vec3& c, int facing,
                                 std::int64_t j, std::int64_t k) const {
        const float y = row_position(grid, 1, j), z = row_position(grid, 2, k);
        if (side_of(a, b, y, z) != facing || side_of(b, c, y, z) != facing ||
            side_of(c, a, y, z) != facing) {
            return false;
        }
        atomic_take_index(cursors + j + grid.samples(1) * k);
        return true;
    }

    GRAZE_HD void store_crossing(const Vec3& a, const Vec3& b, const Vec3& c, int facing,
                                 std::int64_t j, std::int64_t k) const {
        const std::int64_t before = count_samples_before(
            grid, a, b, c, facing, row_position(grid, 1, j), row_position(grid, 2, k));
        entries[atomic_take_index(cursors + j + grid.samples(1) * k)] =
            static_cast<std::int32_t>(before * 2 + (facing > 0 ? 1 : 0));
    }
};

}  // namespace crossings_detail

template <class Executor>
void build_row_crossings(Executor& executor, const Vec3* positions, const Triangle* triangles,
                         std::int64_t triangle_count, const FieldGrid& grid, int axis,
                         RowCrossings& crossings) {
    using namespace crossings_detail;
    const FieldGrid rows = turned(grid, axis);
    const std::int64_t row_count = rows.samples(1) * rows.samples(2);
    crossings.grid = grid;
    crossings.axis = axis;
    crossings.chunks.resize(triangle_count);
    crossings.chunk_sums.resize(triangle_count + 1);
    crossings.cursors.resize(row_count);
    crossings.offsets.resize(row_count + 1);
    crossings.total.resize(1);
    std::uint32_t* cursors = crossings.cursors.data();
    const std::uint64_t* sums = crossings.chunk_sums.data();
    executor.for_each("crossings: count chunks", triangle_count,
                      CountChunks{positions, triangles, rows, axis, crossings.chunks.data()});
    executor.exclusive_scan("crossings: scan chunks", crossings.chunks.data(),
                            crossings.chunk_sums.data(), triangle_count);
    const auto chunk_count = static_cast<std::int64_t>(executor.read(sums + triangle_count));
    crossings.owners.resize(chunk_count);
    crossings.crossed.resize(chunk_count);
    const std::uint32_t* owners = crossings.owners.data();
    std::uint64_t* crossed = crossings.crossed.data();
    executor.for_each("crossings: write owners", triangle_count,
                      WriteOwners{sums, crossings.owners.data()});
    executor.for_each("crossings: clear", row_count, Fill<std::uint32_t>{cursors, 0});
    executor.for_each(
        "crossings: count", chunk_count,
        CrossRows<false>{positions, triangles, sums, owners, rows, axis, crossed, cursors, nullptr},
        64);
    executor.reduce("crossings: add up", row_count, CountOfRow{cursors}, AddValues{},
                    std::uint64_t{0}, crossings.total.data());
    const auto total = static_cast<std::int64_t>(executor.read(crossings.total.data()));
    if (total > std::int64_t{0xffffffff}) {
        throw Error("the mesh crosses the rows of the grid " + std::to_string(total) +
                    " times, more than 4,294,967,295: use a lower resolution");
    }
    executor.exclusive_scan("crossings: scan", cursors, crossings.offsets.data(), row_count);
    crossings.entries.resize(total);
    executor.copy("crossings: begin", crossings.offsets.data(), cursors, row_count);
    executor.for_each("crossings: fill", chunk_count,
                      CrossRows<true>{positions, triangles, sums, owners, rows, axis, crossed,
                                      cursors, crossings.entries.data()},
                      64);
}

}  // namespace graze

// RowCrossings: where the rows of a grid along an axis cross a mesh. From that the winding number
// of every sample of a closed mesh follows exactly: the sum of the crossings beyond it, +1 where
// the row leaves the mesh and -1 where it enters. That costs one ray a row, not one a sample.
//
// Exact means that each decision is made by an exact predicate on the coordinates as given. Where a
// row meets an edge or a vertex, it counts as moved by an infinitely small step along the next axis
// and a still smaller one along the one after, the same for all triangles, so that no crossing is
// lost or counted twice. A mesh whose sides pair up along every edge has a whole winding number
// everywhere, whether it intersects itself or not. Of an open mesh the two directions of a row may
// disagree.
#pragma once

#include "geometry/predicates.h"
#include "graze/field_grid.h"
#include "graze/mesh.h"
#include "parallel/buffer.h"

namespace graze {

// The winding numbers that a row sees looking forwards and backwards.
struct RowWinding {
    int forward, backward;
};

struct RowCrossingsView {
    int axis;                      // of the rows
    std::int64_t rows_u;           // how many rows there are along the next axis, which is fastest
    const std::uint32_t* offsets;  // in entries, by row
    // Samples below (entry >> 1) lie before the crossing; the last bit is set where the row leaves
    // the mesh.
    const std::int32_t* entries;
    // The samples that are asked for are those of a grid with every 2^shift-th along each axis.
    int shift = 0;

    GRAZE_INLINE RowWinding winding(const std::int32_t (&sample)[3]) const {
        const std::int32_t along = sample[axis] << shift;
        const std::int64_t row = row_of(sample);
        RowWinding sum{0, 0};
        for (std::uint32_t e = offsets[row]; e < offsets[row + 1]; ++e) {
            const std::int32_t entry = entries[e];
            const int leaving = (entry & 1) ? 1 : -1;
            if ((entry >> 1) > along) {
                sum.forward += leaving;
            } else {
                sum.backward -= leaving;
            }
        }
        return sum;
    }
    // Returns a bit for each of up to 32 samples that follow each other along the axis: whether it
    // is inside, looking forwards.
    GRAZE_INLINE std::uint32_t inside_bits(const std::int32_t (&first)[3], int count) const {
        const std::int32_t along = first[axis] << shift, round_up = (1 << shift) - 1;
        const std::int64_t row = row_of(first);
        int beyond = 0;
        bool is_crossed = false;
        for (std::uint32_t e = offsets[row]; e < offsets[row + 1]; ++e) {
            const std::int32_t entry = entries[e];
            const std::int32_t before = ((entry >> 1) - along + round_up) >> shift;
            if (before >= count) beyond += (entry & 1) ? 1 : -1;
            is_crossed = is_crossed || (before > 0 && before < count);
        }
        if (!is_crossed) return beyond > 0 ? ~0u : 0u;
        std::uint32_t bits = 0;
        std::int32_t sample[3] = {first[0], first[1], first[2]};
        for (int n = 0; n < count; ++n, ++sample[axis])
            bits |= (winding(sample).forward > 0 ? 1u : 0u) << n;
        return bits;
    }

    GRAZE_INLINE std::int64_t row_of(const std::int32_t (&sample)[3]) const {
        return (sample[(axis + 1) % 3] + rows_u * sample[(axis + 2) % 3]) << shift;
    }
};

struct RowCrossings {
    explicit RowCrossings(Memory& memory)
        : offsets(memory),
          entries(memory),
          cursors(memory),
          chunks(memory),
          chunk_sums(memory),
          owners(memory),
          crossed(memory),
          total(memory) {}

    RowCrossingsView view() const {
        return {axis, grid.samples((axis + 1) % 3), offsets.data(), entries.data()};
    }
    std::int64_t memory_bytes() const { return offsets.size() * 4 + entries.size() * 4; }

    FieldGrid grid{};
    int axis = 0;
    Buffer<std::uint32_t> offsets;
    Buffer<std::int32_t> entries;
    // The rest is for the build. By row, a cursor counts crossings, then it is the index of the
    // next entry to fill.
    Buffer<std::uint32_t> cursors;
    Buffer<std::uint64_t> chunks, chunk_sums;
    Buffer<std::uint32_t> owners;
    Buffer<std::uint64_t> crossed;
    Buffer<std::uint64_t> total;
};

// Waits twice. Throws Error where there are more than 4 billion crossings.
template <class Executor>
void build_row_crossings(Executor& executor, const Vec3* positions, const Triangle* triangles,
                         std::int64_t triangle_count, const FieldGrid& grid, int axis,
                         RowCrossings& crossings);

}  // namespace graze

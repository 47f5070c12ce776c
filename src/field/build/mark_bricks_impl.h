// mark_bricks: which blocks of a sparse field get a brick, namely those whose box, grown by the
// band on every side, a triangle touches. A block without a brick is therefore farther from the
// surface than the band, which evaluate_sampled.h rests on. They are found from the triangles, so
// that blocks far from the surface cost nothing.
#pragma once

#include "core/atomics.h"
#include "core/segment_of.h"
#include "field/build/mesh_source.h"
#include "field/sampled/sampled_field.h"
#include "geometry/overlap_box_triangle.h"
#include "parallel/fill.h"

namespace graze {
namespace bricks_detail {

// The blocks, along each axis, that a triangle's box grown by the band reaches.
struct BlockRange {
    std::int64_t first[3], count[3];
    GRAZE_INLINE std::int64_t size() const { return count[0] * count[1] * count[2]; }
};
GRAZE_INLINE BlockRange blocks_near(const FieldGrid& grid, const Aabb& box, float reach) {
    BlockRange range;
    for (int axis = 0; axis < 3; ++axis) {
        const double side = double(grid.spacing) * kBrickCells;
        const auto last = static_cast<double>(block_count(grid, axis) - 1);
        // The range is a little wider, for rounding: a hundredth of a voxel is plenty.
        const double spare = 0.01 / kBrickCells;
        const double origin = double(grid.origin[axis]);
        double low = std::floor((double(box.min[axis]) - double(reach) - origin) / side - spare);
        double high = std::floor((double(box.max[axis]) + double(reach) - origin) / side + spare);
        low = low > 0 ? low : 0;
        high = high < last ? high : last;
        range.first[axis] = static_cast<std::int64_t>(low);
        range.count[axis] = high < low ? 0 : static_cast<std::int64_t>(high - low) + 1;
    }
    return range;
}

// A large triangle is cut into chunks of this many blocks.
constexpr std::int64_t kChunkBlocks = 32;

struct CountBlockChunks {
    const BvhTriangle* triangles;
    FieldGrid grid;
    float reach;
    std::uint64_t* chunks;
    GRAZE_HD void operator()(std::int64_t i) const {
        const BvhTriangle t = load_triangle(triangles + i);
        const BlockRange range = blocks_near(grid, box_of(t.a, t.b, t.c), reach);
        chunks[i] = static_cast<std::uint64_t>((range.size() + kChunkBlocks - 1) / kChunkBlocks);
    }
};

struct MarkBlocks {
    const BvhTriangle* triangles;
    std::int64_t triangle_count;
    const std::uint64_t* chunk_sums;
    FieldGrid grid;
    float reach;
    std::int32_t* marks;  // by block

    GRAZE_HD void operator()(std::int64_t chunk) const {
        // The owner is searched for, not listed: with a wide band a triangle has thousands of
        // chunks.
        const std::int64_t owner =
            segment_of(chunk_sums, triangle_count, static_cast<std::uint64_t>(chunk));
        const BvhTriangle t = load_triangle(triangles + owner);
        const BlockRange range = blocks_near(grid, box_of(t.a, t.b, t.c), reach);
        const std::int64_t first =
            (chunk - static_cast<std::int64_t>(chunk_sums[owner])) * kChunkBlocks;
        const std::int64_t size = range.size();
        const std::int64_t last = first + kChunkBlocks < size ? first + kChunkBlocks : size;
        for (std::int64_t n = first; n < last; ++n)
            mark(t, range.first[0] + n % range.count[0],
                 range.first[1] + n / range.count[0] % range.count[1],
                 range.first[2] + n / range.count[0] / range.count[1]);
    }

    GRAZE_HD void mark(const BvhTriangle& t, std::int64_t x, std::int64_t y, std::int64_t z) const {
        const std::int64_t block = x + block_count(grid, 0) * (y + block_count(grid, 1) * z);
        if (load_coherent(marks + block)) return;
        const Vec3 centre =
            grid.position(x * kBrickCells + kBrickCells / 2, y * kBrickCells + kBrickCells / 2,
                          z * kBrickCells + kBrickCells / 2);
        const float half = grid.spacing * (0.5f * kBrickCells) * (1 + 0x1p-18f) + reach;
        // Every writer writes the same, so it does not matter who is last.
        if (overlap_box_triangle(centre, {half, half, half}, t.a, t.b, t.c))
            atomic_store(marks + block, 1);
    }
};

struct IsMarked {
    const std::int32_t* marks;
    GRAZE_HD bool operator()(std::int64_t block) const { return marks[block] != 0; }
};

struct NumberBricks {
    const std::int32_t* block_of_brick;
    std::int32_t* brick_of_block;
    GRAZE_HD void operator()(std::int64_t brick) const {
        brick_of_block[block_of_brick[brick]] = static_cast<std::int32_t>(brick);
    }
};

}  // namespace bricks_detail

// Fills the brick tables of a field whose grid and band are set. The offset is half the thickness
// of a shell, by which its surface is away from the mesh. It waits three times.
template <class Executor>
void mark_bricks(Executor& executor, const MeshSource& source, float offset, SampledField& field) {
    using namespace bricks_detail;
    Memory& memory = executor.memory();
    const std::int64_t triangle_count = source.bvh.triangles.size();
    const std::int64_t blocks = block_count(field.grid);
    const BvhTriangle* triangles = source.bvh.triangles.data();
    Buffer<std::uint64_t> chunks(memory, triangle_count), sums(memory, triangle_count + 1);
    Buffer<std::int32_t> chosen(memory, blocks), count(memory, 1);
    field.brick_of_block.resize(blocks);
    // The reach is a hundredth of a voxel more than the band, for the rounding of positions.
    const float reach = field.band + offset + field.grid.spacing * 0.01f;
    std::int32_t* marks = field.brick_of_block.data();
    executor.for_each("bricks: clear", blocks, Fill<std::int32_t>{marks, 0});
    executor.for_each("bricks: count chunks", triangle_count,
                      CountBlockChunks{triangles, field.grid, reach, chunks.data()});
    executor.exclusive_scan("bricks: scan chunks", chunks.data(), sums.data(), triangle_count);
    const auto chunk_count = static_cast<std::int64_t>(executor.read(sums.data() + triangle_count));
    executor.for_each("bricks: mark", chunk_count,
                      MarkBlocks{triangles, triangle_count, sums.data(), field.grid, reach, marks},
                      64);
    executor.compact("bricks: choose", blocks, IsMarked{marks}, chosen.data(), count.data());
    const std::int32_t brick_count = executor.read(count.data());
    field.block_of_brick.resize(brick_count);
    executor.copy("bricks: keep", chosen.data(), field.block_of_brick.data(), brick_count);
    executor.for_each("bricks: none", blocks, Fill<std::int32_t>{marks, -1});
    executor.for_each("bricks: number", brick_count,
                      NumberBricks{field.block_of_brick.data(), marks});
    executor.wait();  // before the local buffers are given back
}

}  // namespace graze

// fill_bricks_by_lanes: fills the bricks of a sparse field on the host and measures the error of
// each.
//
// The last samples of a brick along each axis are also the first ones of bricks that follow, so the
// last bricks come first, and a brick copies what those after it have. One that another thread is
// still at, it does not wait for: it computes these samples itself, which gives the same bits.
#pragma once

#include "core/atomics.h"
#include "core/lane_target.h"
#include "field/build/probe_brick_cpu.h"

GRAZE_LANES_BEGIN
namespace graze {
namespace detail {
inline namespace GRAZE_LANES {

template <class Sample>
class FillBrick {
public:
    // is_filled has a flag for each brick, not raised yet; errors has a float for each, or is null.
    FillBrick(const FillCube& fill_cube, const SampleCubes& cubes, Sample* samples,
              std::uint8_t* is_filled, const ProbeBrick& probe_brick, float* errors)
        : fill_cube_(fill_cube),
          cubes_(cubes),
          samples_(samples),
          is_filled_(is_filled),
          probe_brick_(probe_brick),
          errors_(errors) {}

    // Fills the n-th brick from the last.
    void operator()(std::int64_t n) const {
        const std::int64_t brick = cubes_.count - 1 - n;
        const Vec3i first = cubes_.first_sample(brick);
        unsigned pieces = 0xff;
        for (int piece = 1; cubes_.index_of_cube && piece < 8; ++piece) {
            const std::int64_t owner = cubes_.piece_owner(first, piece);
            if (owner < 0 || !is_raised(is_filled_ + owner)) continue;
            copy_piece(piece, owner, brick);
            pieces &= ~(1u << piece);
        }
        FilledCube cube;
        fill_cube_.fill(brick, pieces, cube);
        raise_flag(is_filled_ + brick);
        if (errors_) errors_[brick] = probe_brick_(first, cube);
    }

private:
    void copy_piece(int piece, std::int64_t owner, std::int64_t brick) const {
        const Vec3i last_axes{piece & 1, piece >> 1 & 1, piece >> 2};
        const Vec3i size = Vec3i{1, 1, 1} * kBrickCells - last_axes * (kBrickCells - 1);
        const Vec3i shift = last_axes * kBrickCells;
        for (int z = 0; z < size.z; ++z) {
            for (int y = 0; y < size.y; ++y) {
                for (int x = 0; x < size.x; ++x)
                    samples_[index_of(brick, Vec3i{x, y, z} + shift)] =
                        samples_[index_of(owner, {x, y, z})];
            }
        }
    }
    static std::int64_t index_of(std::int64_t brick, const Vec3i& at) {
        return brick * kBrickSize + at.x + kBrickSamples * (at.y + kBrickSamples * at.z);
    }

    FillCube fill_cube_;
    SampleCubes cubes_;
    Sample* samples_;
    std::uint8_t* is_filled_;
    ProbeBrick probe_brick_;
    float* errors_;
};

// The same from a given brick on, to report progress in between.
template <class Sample>
struct FromBrick {
    FillBrick<Sample> work;
    std::int64_t first;
    void operator()(std::int64_t n) const { work(first + n); }
};

}  // namespace GRAZE_LANES
}  // namespace detail

inline namespace GRAZE_LANES {

// Fills the bricks [begin, end), counted from the last. is_filled has a flag for each brick, 0 at
// first.
inline void fill_bricks_by_lanes(CpuExecutor& executor, const MeshSource& source, float slack,
                                 const SampleCubes& cubes, std::int64_t begin, std::int64_t end,
                                 const StoreSample& store, const BrickErrors& measure,
                                 std::uint8_t* is_filled) {
    const PacketSource packets(source, slack);
    const detail::FillCube fill_cube(packets, cubes, store);
    const detail::ProbeBrick probe_brick(packets, measure.field, measure.sign, store.offset);
    const auto fill = [&](auto* samples) {
        const detail::FillBrick fill_brick(fill_cube, cubes, samples, is_filled, probe_brick,
                                           measure.errors);
        executor.for_each("field: fill bricks", end - begin, detail::FromBrick{fill_brick, begin},
                          1);
    };
    if (store.values) {
        fill(store.values);
    } else {
        fill(store.samples);
    }
}

}  // namespace GRAZE_LANES
}  // namespace graze
GRAZE_LANES_END

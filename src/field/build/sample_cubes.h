// SampleCubes: samples of a grid as cubes of neighbours, the unit in which fields are filled.
#pragma once

#include "graze/field_grid.h"

namespace graze {

// Cubes start at every eighth sample along each axis. They are 8 samples wide where they tile a
// dense grid, and 9 where each has to hold all the corners of its cells.
constexpr int kCubeStep = 8;

struct SampleCubes {
    FieldGrid grid;
    std::int32_t side;           // 8 or 9
    std::int32_t counts[3];      // cubes along each axis
    const std::int32_t* chosen;  // indices of the cubes to fill, x fastest; null for all of them
    std::int64_t count;          // how many to fill
    // For each cube its index among the chosen, or -1; for fills in which a cube leaves out samples
    // that another has as its own (see piece_owner()). Otherwise null.
    const std::int32_t* index_of_cube = nullptr;

    // The first sample of the n-th cube to fill.
    GRAZE_INLINE Vec3i first_sample(std::int64_t n) const {
        const std::int64_t cube = chosen ? chosen[n] : n;
        const std::int64_t x = cube % counts[0];
        const std::int64_t y = cube / counts[0] % counts[1];
        const std::int64_t z = cube / counts[0] / counts[1];
        return {static_cast<std::int32_t>(x) * kCubeStep, static_cast<std::int32_t>(y) * kCubeStep,
                static_cast<std::int32_t>(z) * kCubeStep};
    }
    GRAZE_INLINE bool is_in_grid(const Vec3i& sample) const {
        return sample.x <= grid.cells[0] && sample.y <= grid.cells[1] && sample.z <= grid.cells[2];
    }
    // The samples of a cube of 9 fall into eight pieces, by the axes along which they are its last
    // (bit 0 for x): piece 0 is the cube's own, the others are also the first ones of cubes that
    // follow along these axes. Returns the index among the chosen of the cube that has a piece as
    // its own, or -1.
    GRAZE_INLINE std::int32_t piece_owner(const Vec3i& first, int piece) const {
        std::int64_t at[3];
        for (int axis = 0; axis < 3; ++axis) {
            at[axis] = first[axis] / kCubeStep + (piece >> axis & 1);
            if (at[axis] >= counts[axis]) return -1;
        }
        return index_of_cube[at[0] + counts[0] * (at[1] + counts[1] * at[2])];
    }
    GRAZE_INLINE Vec3 position(const Vec3i& sample) const {
        return grid.position(sample.x, sample.y, sample.z);
    }
};

// Cubes that tile the samples of a grid.
GRAZE_INLINE SampleCubes cubes_of(const FieldGrid& grid) {
    SampleCubes cubes{grid, kCubeStep, {}, nullptr, 1};
    for (int axis = 0; axis < 3; ++axis) {
        cubes.counts[axis] =
            static_cast<std::int32_t>((grid.samples(axis) + kCubeStep - 1) / kCubeStep);
        cubes.count *= cubes.counts[axis];
    }
    return cubes;
}

// A sample and the triangle closest to it, which a fill hands on.
struct FoundSample {
    std::int64_t cube;   // the n-th of those filled
    Vec3i local;         // in the cube
    Vec3i sample;        // in the grid
    Vec3 point;          // [m]
    float distance_sq;   // [m^2]
    std::uint32_t slot;  // of the closest triangle
};

}  // namespace graze

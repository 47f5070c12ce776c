// ErrorProbe: where to look for a field's largest error. In each block the cells fall into 32
// groups, and in each group the cell in which the samples fit a distance field least is probed at
// its centre, which is where the blend of eight corners is worst. How well they fit shows in the
// gradient of the blend there: its length is 1 where the samples agree about the direction to the
// surface, and less the more they do not.
#pragma once

#include "field/build/sample_sign.h"
#include "field/sampled/evaluate_sampled.h"

namespace graze {

constexpr int kProbesOfBlock = 32;

// A fold in the field that misses a cell's centre deviates more where it lies than at the centre:
// at most twice as much along a line, where two slopes meet at p of the cell and the deviation is
// p (1 - p) at the fold and p / 2 at the centre. In space it can be more: of 3,000 random points in
// each of 400 bricks of three scans, the worst was within this in 95 to 99 of 100 bricks, and up to
// eight times the largest probe in the rest. So this is a measurement, and certain_error() a bound.
constexpr float kProbeSafety = 2;

struct ErrorProbe {
    Vec3i cell;   // its x is -1 where the group has no cell
    Vec3 point;   // [m] the cell's centre
    float value;  // [m] what the field says there
};

namespace detail {

GRAZE_INLINE CellPoint centre_of(const Vec3i& cell) {
    return {{cell.x, cell.y, cell.z}, {0.5f, 0.5f, 0.5f}};
}
GRAZE_INLINE Vec3 centre_point(const FieldGrid& grid, const Vec3i& cell) {
    return {grid.origin.x + grid.spacing * (static_cast<float>(cell.x) + 0.5f),
            grid.origin.y + grid.spacing * (static_cast<float>(cell.y) + 0.5f),
            grid.origin.z + grid.spacing * (static_cast<float>(cell.z) + 0.5f)};
}

}  // namespace detail

// Chooses the probe of a group in the block that begins with first_cell. The field needs no errors
// yet.
GRAZE_HD inline ErrorProbe choose_probe(const SampledFieldView& field, const Vec3i& first_cell,
                                        int group) {
    ErrorProbe worst{{-1, -1, -1}, {0, 0, 0}, 0};
    float least = std::numeric_limits<float>::infinity();
    for (int n = group; n < kBrickCells * kBrickCells * kBrickCells; n += kProbesOfBlock) {
        const Vec3i cell{first_cell.x + n % kBrickCells,
                         first_cell.y + n / kBrickCells % kBrickCells,
                         first_cell.z + n / kBrickCells / kBrickCells};
        if (cell.x >= field.grid.cells[0] || cell.y >= field.grid.cells[1] ||
            cell.z >= field.grid.cells[2]) {
            continue;
        }
        const detail::Blend blend = detail::evaluate_in_grid(field, detail::centre_of(cell));
        const float fit = length_sq(blend.gradient);
        if (fit < least) {
            least = fit;
            worst.cell = cell;
            worst.value = blend.value;
        }
    }
    worst.point = detail::centre_point(field.grid, worst.cell);
    return worst;
}

// [m] How far the field may be off around a probe, given the distance to the surface and its side;
// the offset is taken off distances. It is never more than is possible, except for open meshes (the
// method is winding), whose sign may jump away from the surface.
GRAZE_INLINE float probed_error(const SampledFieldView& field, float value, float distance,
                                bool is_inside, FieldSign method, float offset) {
    const float off = std::fabs(value - ((is_inside ? -distance : distance) - offset));
    const float error = off * kProbeSafety;
    return method == FieldSign::winding ? error : min_of(error, certain_error(field, value));
}
// The same from the squared distance; sign is that of the grid of cell centres.
GRAZE_HD inline float probed_error(const SampledFieldView& field, const ErrorProbe& probe,
                                   float distance_sq, const SampleSign& sign, float offset) {
    if (probe.cell.x < 0) return 0;
    return probed_error(field, probe.value, std::sqrt(distance_sq),
                        sign.side(probe.cell, probe.point).is_inside, sign.method, offset);
}

// The first cell of a block.
GRAZE_INLINE Vec3i first_cell(const FieldGrid& grid, std::int64_t block) {
    const std::int64_t x = block_count(grid, 0), y = block_count(grid, 1);
    return {static_cast<std::int32_t>(block % x) * kBrickCells,
            static_cast<std::int32_t>(block / x % y) * kBrickCells,
            static_cast<std::int32_t>(block / x / y) * kBrickCells};
}

// The grid whose samples are the centres of another's cells.
GRAZE_INLINE FieldGrid grid_of_centres(const FieldGrid& grid) {
    const float half = grid.spacing * 0.5f;
    return {grid.origin + Vec3{half, half, half},
            grid.spacing,
            {grid.cells[0] - 1, grid.cells[1] - 1, grid.cells[2] - 1}};
}

// How the errors of bricks are measured while they are filled.
struct BrickErrors {
    SampledFieldView field;  // the one that is filled
    SampleSign sign;         // of the grid of cell centres
    float* errors;           // by brick; null where they are not wanted
};

}  // namespace graze

// BlockProbes: choose_probe() for all groups of a block at once, on the host, with the same bits.
// Eight cells of a row are the lanes, and so are eight groups.
#pragma once

#include "core/lane_target.h"
#include "core/lanes.h"
#include "field/build/error_probe.h"

GRAZE_LANES_BEGIN
namespace graze {
inline namespace GRAZE_LANES {

struct BlockProbes {
    ErrorProbe probes[kProbesOfBlock];  // in the order of the block's octants
    int count;
};

}  // namespace GRAZE_LANES

namespace detail {
inline namespace GRAZE_LANES {

// How well the samples fit in each of eight cells along x: the gradient's squared length.
GRAZE_INLINE Float8 fits_of_row(const float* corner, std::int64_t stride_y, std::int64_t stride_z,
                                float spacing) {
    const float* row[4] = {corner, corner + stride_y, corner + stride_z,
                           corner + stride_y + stride_z};
    Float8 begin[4], end[4];
    for (int r = 0; r < 4; ++r) {
        begin[r] = load_lanes(row[r]);
        end[r] = load_lanes(row[r] + 1);
    }
    const Float8 half = spread<Float8>(0.5f);
    return length_sq(
        blend_rows<Float8>(begin, end, {half, half, half}, spread<Float8>(spacing)).gradient);
}

// Loads two samples next to each other: the slopes and the value of one, then of the other.
GRAZE_INLINE Float8 load_two(const FirstOrderSample* samples) {
#if defined(__AVX2__) && defined(__F16C__)
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(samples)));
#else
    Float8 result{};
    for (int n = 0; n < 2; ++n) {
        for (int axis = 0; axis < 3; ++axis)
            result[4 * n + axis] = float_from_half(samples[n].slope[axis]);
        result[4 * n + 3] = float_from_half(samples[n].value);
    }
    return result;
#endif
}

GRAZE_INLINE Float8 fits_of_row(const FirstOrderSample* corner, std::int64_t stride_y,
                                std::int64_t stride_z, float) {
    const FirstOrderSample* row[4] = {corner, corner + stride_y, corner + stride_z,
                                      corner + stride_y + stride_z};
    Float8 fits;
    for (int x = 0; x < kLaneCount; x += 2) {
        Float8 slope{};
        for (const FirstOrderSample* samples : row) {
            // All corners weigh the same at the centre.
            slope += load_two(samples + x) * spread<Float8>(0.125f);
            slope += load_two(samples + x + 1) * spread<Float8>(0.125f);
        }
        slope *= spread<Float8>(2.0f);
        const Float8 sq = slope * slope;
        fits[x] = sq[0] + sq[1] + sq[2];
        fits[x + 1] = sq[4] + sq[5] + sq[6];
    }
    return fits;
}

// Sets for each group the cell of the block that is probed, -1 for none. The block lies within the
// grid.
template <class Sample>
inline void choose_cells(const Sample* corner, std::int64_t stride_y, std::int64_t stride_z,
                         float spacing, Int8 (&cells)[kProbesOfBlock / kLaneCount]) {
    constexpr int kRows = kProbesOfBlock / kLaneCount;  // next to each other, of different groups
    Float8 least[kRows];
    for (int r = 0; r < kRows; ++r) {
        least[r] = spread<Float8>(std::numeric_limits<float>::infinity());
        cells[r] = Int8{} - 1;
    }
    const Int8 lane{0, 1, 2, 3, 4, 5, 6, 7};
    for (int z = 0; z < kBrickCells; ++z) {
        for (int y = 0; y < kBrickCells; ++y) {
            const Float8 fits =
                fits_of_row(corner + y * stride_y + z * stride_z, stride_y, stride_z, spacing);
            const Mask8 is_less = fits < least[y % kRows];
            least[y % kRows] = is_less ? fits : least[y % kRows];
            cells[y % kRows] =
                is_less ? lane + kBrickCells * (y + kBrickCells * z) : cells[y % kRows];
        }
    }
}

GRAZE_INLINE ErrorProbe probe_at(const SampledFieldView& field, const Vec3i& cell) {
    return {cell, centre_point(field.grid, cell), evaluate_in_grid(field, centre_of(cell)).value};
}

GRAZE_INLINE int octant_of(const Vec3i& in_block) {
    constexpr int kHalf = kBrickCells / 2;
    return in_block.x / kHalf + 2 * (in_block.y / kHalf) + 4 * (in_block.z / kHalf);
}

}  // namespace GRAZE_LANES
}  // namespace detail

inline namespace GRAZE_LANES {

// Chooses the probes of the block that begins with first_cell. The field is dense, or the block has
// a brick.
inline BlockProbes choose_probes(const SampledFieldView& field, const Vec3i& first_cell) {
    static_assert(kBrickCells == kLaneCount);
    BlockProbes result{};
    const bool is_whole = first_cell.x + kBrickCells <= field.grid.cells[0] &&
                          first_cell.y + kBrickCells <= field.grid.cells[1] &&
                          first_cell.z + kBrickCells <= field.grid.cells[2];
    if (!is_whole) {
        for (int group = 0; group < kProbesOfBlock; ++group) {
            const ErrorProbe probe = choose_probe(field, first_cell, group);
            if (probe.cell.x >= 0) result.probes[result.count++] = probe;
        }
        return result;
    }
    const detail::CellCorners at = detail::find_corners(field, detail::centre_of(first_cell));
    Int8 cells[kProbesOfBlock / kLaneCount];
    if (field.order == FieldOrder::zero) {
        detail::choose_cells(field.values + at.first, at.stride_y, at.stride_z, field.grid.spacing,
                             cells);
    } else {
        detail::choose_cells(field.samples + at.first, at.stride_y, at.stride_z, field.grid.spacing,
                             cells);
    }
    Vec3i in_block[kProbesOfBlock];
    int begin[9] = {};  // offsets of the octants in probes
    for (int group = 0; group < kProbesOfBlock; ++group) {
        const int n = cells[group / kLaneCount][group % kLaneCount];
        if (n < 0) continue;
        const Vec3i cell{n % kBrickCells, n / kBrickCells % kBrickCells,
                         n / kBrickCells / kBrickCells};
        in_block[result.count++] = cell;
        ++begin[detail::octant_of(cell) + 1];
    }
    for (int octant = 0; octant < 8; ++octant)
        begin[octant + 1] += begin[octant];
    for (int p = 0; p < result.count; ++p) {
        const int index = begin[detail::octant_of(in_block[p])]++;
        result.probes[index] = detail::probe_at(field, first_cell + in_block[p]);
    }
    return result;
}

}  // namespace GRAZE_LANES
}  // namespace graze
GRAZE_LANES_END

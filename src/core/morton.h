// Morton codes interleave the bits of coordinates, so that near codes mean near points.
#pragma once

#include <cstdint>

#include "graze/aabb.h"

namespace graze {

// The low 21 bits of x, spread so that two zero bits follow each.
GRAZE_INLINE constexpr std::uint64_t spread_bits_3(std::uint64_t x) {
    x &= 0x1fffffu;
    x = (x | x << 32) & 0x001f00000000ffffull;
    x = (x | x << 16) & 0x001f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    x = (x | x << 2) & 0x1249249249249249ull;
    return x;
}

GRAZE_INLINE constexpr std::uint64_t morton_code(std::uint32_t x, std::uint32_t y,
                                                 std::uint32_t z) {
    return spread_bits_3(x) << 2 | spread_bits_3(y) << 1 | spread_bits_3(z);
}

// Maps points of a box to Morton codes of 3 x bit_count bits. The cells are cubes, so that an
// elongated box keeps its proportions; points outside go to the nearest cell, coordinates that are
// NaN to the first.
struct MortonGrid {
    Vec3 origin;
    float cells_per_unit;
    float last_cell;

    GRAZE_HD static MortonGrid over(const Aabb& box, int bit_count) {
        const Vec3 size = extent(box);
        const float longest = max_of(size.x, max_of(size.y, size.z));
        const float cell_count = static_cast<float>(1 << bit_count);
        const float ratio = cell_count / longest;
        // A point-like or unbounded box has no usable cell size: everything shares one cell.
        const bool usable = longest > 0 && ratio < 3e38f && ratio > 0;
        return {box.min, usable ? ratio : 0.0f, cell_count - 1.0f};
    }

    GRAZE_INLINE std::uint32_t cell(float coordinate, float start) const {
        const float c = (coordinate - start) * cells_per_unit;
        // The comparison is written so that NaN lands in cell 0.
        return static_cast<std::uint32_t>(c > 0.0f ? min_of(c, last_cell) : 0.0f);
    }
    GRAZE_INLINE std::uint64_t code(const Vec3& p) const {
        return morton_code(cell(p.x, origin.x), cell(p.y, origin.y), cell(p.z, origin.z));
    }
};

}  // namespace graze

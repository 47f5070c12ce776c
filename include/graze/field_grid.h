// FieldGrid: where the samples of a distance field are, a regular grid of cubic cells.
#pragma once

#include <cstdint>

#include "graze/aabb.h"

namespace graze {

struct FieldGrid {
    Vec3 origin;            // [m] of sample (0, 0, 0)
    float spacing;          // [m] between neighbouring samples; the size of a voxel
    std::int32_t cells[3];  // along x, y, z; there is one sample more than cells

    // How many samples there are along an axis, and in all.
    GRAZE_INLINE constexpr std::int64_t samples(int axis) const {
        return std::int64_t{cells[axis]} + 1;
    }
    GRAZE_INLINE constexpr std::int64_t sample_count() const {
        return samples(0) * samples(1) * samples(2);
    }
    // [m] Each coordinate is one product and one sum in float, so that it is the same everywhere.
    GRAZE_INLINE constexpr Vec3 position(std::int64_t i, std::int64_t j, std::int64_t k) const {
        return {origin.x + spacing * static_cast<float>(i),
                origin.y + spacing * static_cast<float>(j),
                origin.z + spacing * static_cast<float>(k)};
    }
    GRAZE_INLINE constexpr Aabb box() const {
        return {origin, position(cells[0], cells[1], cells[2])};
    }

    constexpr bool operator==(const FieldGrid& o) const {
        return origin == o.origin && spacing == o.spacing && cells[0] == o.cells[0] &&
               cells[1] == o.cells[1] && cells[2] == o.cells[2];
    }
};

}  // namespace graze

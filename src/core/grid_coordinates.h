// GridCoordinates: the coordinates of an element of a three-dimensional array, from its index.
#pragma once

#include <cstdint>

#include "graze/hd.h"

namespace graze {

struct GridCoordinates {
    std::int64_t x, y, z;
};

// The array has size_x by size_y by any number of elements, x fastest. Divisions of 64 bits take
// several times as long as those of 32, and are avoided where the index allows that.
GRAZE_INLINE GridCoordinates coordinates_of(std::int64_t index, std::int64_t size_x,
                                            std::int64_t size_y) {
    if (index <= 0xffffffffLL) {
        const auto i = static_cast<std::uint32_t>(index), x = static_cast<std::uint32_t>(size_x),
                   y = static_cast<std::uint32_t>(size_y);
        return {i % x, i / x % y, i / x / y};
    }
    return {index % size_x, index / size_x % size_y, index / size_x / size_y};
}

}  // namespace graze

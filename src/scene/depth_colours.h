// The colours of contacts by their distance: from yellow at the touch through red to dark violet at
// the deepest, so that lightness alone tells how deep; green where the bodies do not touch yet.
#pragma once

#include <algorithm>
#include <cmath>

#include "io/distance_colours.h"

namespace graze {

struct DepthColours {
    float low, high;  // [m] the least and largest distance; low <= 0 <= high

    Colour operator()(float distance) const {
        if (distance > 0) {
            const double t = high > 0 ? std::min(distance / high, 1.0f) : 0;
            return io::colour_of_lightness(82 - 30 * t, 60, 130 + 25 * t);
        }
        const double t = low < 0 ? std::min(distance / low, 1.0f) : 0;
        return io::colour_of_lightness(86 - 62 * t, 78 - 22 * t, 88 - 108 * t);
    }
};

}  // namespace graze

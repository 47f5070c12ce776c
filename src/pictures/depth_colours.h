// DepthColours gives the colour of a contact by its distance: from yellow at the touch through red
// to dark violet at the deepest, so that lightness alone tells how deep it is, and towards green
// where the bodies do not touch yet.
#pragma once

#include <algorithm>
#include <cmath>

#include "pictures/distance_colours.h"

namespace graze {

struct DepthColours {
    float low, high;  // [m] the least and largest distance; low <= 0 <= high

    Colour operator()(float distance) const {
        if (distance > 0) {
            // Distances that are small beside the depths are rounding errors and stay yellow.
            const double t = std::min(distance / std::max(high, -0.2f * low), 1.0f);
            return io::colour_of_lightness(86 - 34 * t, 78 - 18 * t, 88 + 67 * t);
        }
        const double t = low < 0 ? std::min(distance / low, 1.0f) : 0;
        return io::colour_of_lightness(86 - 62 * t, 78 - 22 * t, 88 - 108 * t);
    }
};

}  // namespace graze

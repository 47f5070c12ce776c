// half_below, half_above: the nearest half on one side of a float. What is beyond the largest half,
// 65504, has an infinity on its outer side.
#pragma once

#include "core/half.h"

namespace graze {

// The largest half that is not above value.
GRAZE_INLINE Half half_below(float value) {
    const Half nearest = half_from_float(value);
    if (!(float_from_half(nearest) > value)) return nearest;
    // One step down: towards zero where positive, away from it where negative. The nearest half is
    // never +0 here, as what rounds to it from below keeps its sign.
    const bool is_negative = (nearest.bits & 0x8000u) != 0;
    return {static_cast<std::uint16_t>(is_negative ? nearest.bits + 1 : nearest.bits - 1)};
}
// The smallest half that is not below value.
GRAZE_INLINE Half half_above(float value) {
    return {static_cast<std::uint16_t>(half_below(-value).bits ^ 0x8000u)};
}

}  // namespace graze

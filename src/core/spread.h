// spread<S>(value): a query's constant in the type that it computes with, a float or several lanes
// (core/lanes.h).
#pragma once

#include "graze/hd.h"

namespace graze {

template <class S>
struct Spread;

template <>
struct Spread<float> {
    GRAZE_INLINE static float of(float value) { return value; }
};

template <class S>
GRAZE_INLINE S spread(float value) {
    return Spread<S>::of(value);
}

}  // namespace graze

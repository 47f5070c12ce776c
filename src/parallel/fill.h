// Fill: the functor that gives every element of an array one value.
#pragma once

#include <cstdint>

#include "graze/hd.h"

namespace graze {

template <class T>
struct Fill {
    T* out;
    T value;
    GRAZE_HD void operator()(std::int64_t i) const { out[i] = value; }
};

}  // namespace graze

// Bit counts that work on the device too, where std::countl_zero compiles but does not count.
#pragma once

#include <bit>
#include <cstdint>

#include "graze/hd.h"

namespace graze {

GRAZE_INLINE int leading_zeros(std::uint64_t x) {
#if GRAZE_ON_DEVICE
    return __clzll(static_cast<long long>(x));
#else
    return std::countl_zero(x);
#endif
}
GRAZE_INLINE int leading_zeros(std::uint32_t x) {
#if GRAZE_ON_DEVICE
    return __clz(static_cast<int>(x));
#else
    return std::countl_zero(x);
#endif
}

// For both trailing_zeros, x is not 0.
GRAZE_INLINE std::uint32_t trailing_zeros(std::uint32_t x) {
#if GRAZE_ON_DEVICE
    return static_cast<std::uint32_t>(__ffs(static_cast<int>(x)) - 1);
#else
    return static_cast<std::uint32_t>(std::countr_zero(x));
#endif
}

GRAZE_INLINE std::uint32_t trailing_zeros(std::uint64_t x) {
#if GRAZE_ON_DEVICE
    return static_cast<std::uint32_t>(__ffsll(static_cast<long long>(x)) - 1);
#else
    return static_cast<std::uint32_t>(std::countr_zero(x));
#endif
}

GRAZE_INLINE std::uint32_t count_ones(std::uint32_t x) {
#if GRAZE_ON_DEVICE
    return static_cast<std::uint32_t>(__popc(x));
#else
    return static_cast<std::uint32_t>(std::popcount(x));
#endif
}

}  // namespace graze

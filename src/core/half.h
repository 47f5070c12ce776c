// Half: a 16-bit float (1 sign, 5 exponent, 10 fraction bits) as storage. Conversion rounds to
// nearest, ties to even, overflows to infinity and keeps denormals and NaN, with the same bits on
// every machine but for a NaN's payload.
#pragma once

#include <bit>
#include <cstdint>

#include "graze/hd.h"

#if !GRAZE_ON_DEVICE && defined(__F16C__)
#include <immintrin.h>
#endif

namespace graze {

struct Half {
    std::uint16_t bits;
};

// The conversions in plain integer arithmetic, against which the machine's own instructions are
// tested.
namespace portable {

inline GRAZE_HD Half half_from_float(float value) {
    const std::uint32_t f = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((f >> 16) & 0x8000u);
    const std::uint32_t magnitude = f & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {  // NaN: quiet it, keep the upper payload bits
        return {static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu))};
    }
    if (magnitude >= 0x477ff000u) return {static_cast<std::uint16_t>(sign | 0x7c00u)};  // >= 65520
    if (magnitude < 0x38800000u) {  // below 2^-14: a denormal half, in units of 2^-24
        // Adding 0.5 leaves the value's multiple of 2^-24 in the low fraction bits, rounded by the
        // hardware.
        const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
        return {static_cast<std::uint16_t>(sign |
                                           (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u))};
    }
    const std::uint32_t odd = (magnitude >> 13) & 1u;
    const std::uint32_t rounded =
        magnitude + 0xfffu + odd - (112u << 23);  // exponent bias 127 -> 15
    return {static_cast<std::uint16_t>(sign | (rounded >> 13))};
}

inline GRAZE_HD float float_from_half(Half half) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000u) << 16;
    const std::uint32_t magnitude = half.bits & 0x7fffu;
    if (magnitude >= 0x7c00u) {  // infinity or NaN (quieted)
        const std::uint32_t quiet = magnitude > 0x7c00u ? 0x400000u : 0u;
        return std::bit_cast<float>(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13) | quiet);
    }
    if (magnitude < 0x400u) {  // zero or denormal
        const float value = static_cast<float>(magnitude) * 0x1p-24f;
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
    }
    return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
}

}  // namespace portable

GRAZE_INLINE Half half_from_float(float value) {
#if GRAZE_ON_DEVICE
    Half half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half.bits) : "f"(value));
    return half;
#elif defined(__F16C__)
    return {static_cast<std::uint16_t>(_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT))};
#else
    return portable::half_from_float(value);
#endif
}

GRAZE_INLINE float float_from_half(Half half) {
#if GRAZE_ON_DEVICE
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half.bits));
    return value;
#elif defined(__F16C__)
    return _cvtsh_ss(half.bits);
#else
    return portable::float_from_half(half);
#endif
}

}  // namespace graze

// Float8: eight floats that are computed with at once. Vec3T<Float8> and AabbT<Float8> are eight
// vectors, eight boxes; functions written for a scalar type T work on them where they branch on
// nothing. Host only: CUDA sources cannot include this. Without AVX the compiler splits the
// operations into what the machine has.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/half.h"
#include "core/spread.h"
#include "graze/aabb.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace graze {

constexpr int kLaneCount = 8;

using Float8 = float __attribute__((vector_size(32)));

template <>
struct Spread<Float8> {
    GRAZE_INLINE static Float8 of(float value) {
        return Float8{value, value, value, value, value, value, value, value};
    }
};

// Like those of floats, min_of and max_of give the second operand where either is NaN.
template <>
GRAZE_INLINE Float8 min_of(Float8 a, Float8 b) {
#if defined(__AVX2__)
    return _mm256_min_ps(a, b);
#else
    return a < b ? a : b;
#endif
}
template <>
GRAZE_INLINE Float8 max_of(Float8 a, Float8 b) {
#if defined(__AVX2__)
    return _mm256_max_ps(a, b);
#else
    return a > b ? a : b;
#endif
}

GRAZE_INLINE Float8 abs_of(Float8 a) {
#if defined(__AVX2__)
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
#else
    return max_of(a, -a);
#endif
}
GRAZE_INLINE Vec3T<Float8> abs_of(const Vec3T<Float8>& v) {
    return {abs_of(v.x), abs_of(v.y), abs_of(v.z)};
}

// Bit i is set where a <= b in lane i; clear where either is NaN.
GRAZE_INLINE std::uint32_t mask_less_equal(Float8 a, Float8 b) {
#if defined(__AVX2__)
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ)));
#else
    std::uint32_t mask = 0;
    for (int lane = 0; lane < kLaneCount; ++lane)
        mask |= (a[lane] <= b[lane] ? 1u : 0u) << lane;
    return mask;
#endif
}

using Int8 = std::int32_t __attribute__((vector_size(32)));
GRAZE_INLINE Float8 load_lanes(const float* values) {
    Float8 result;
    __builtin_memcpy(&result, values, sizeof result);
    return result;
}

// Swaps lane i of rows[j] and lane j of rows[i], in each half of the lanes by itself.
GRAZE_INLINE void transpose_halves(Float8 (&rows)[4]) {
#if defined(__AVX2__)
    const __m256 low01 = _mm256_unpacklo_ps(rows[0], rows[1]),
                 high01 = _mm256_unpackhi_ps(rows[0], rows[1]);
    const __m256 low23 = _mm256_unpacklo_ps(rows[2], rows[3]),
                 high23 = _mm256_unpackhi_ps(rows[2], rows[3]);
    rows[0] = _mm256_shuffle_ps(low01, low23, _MM_SHUFFLE(1, 0, 1, 0));
    rows[1] = _mm256_shuffle_ps(low01, low23, _MM_SHUFFLE(3, 2, 3, 2));
    rows[2] = _mm256_shuffle_ps(high01, high23, _MM_SHUFFLE(1, 0, 1, 0));
    rows[3] = _mm256_shuffle_ps(high01, high23, _MM_SHUFFLE(3, 2, 3, 2));
#else
    for (int half = 0; half < kLaneCount; half += 4) {
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < i; ++j) {
                const float value = rows[i][half + j];
                rows[i][half + j] = rows[j][half + i];
                rows[j][half + i] = value;
            }
        }
    }
#endif
}

// Four values from each of two addresses.
GRAZE_INLINE Float8 load_halves(const float* low, const float* high) {
#if defined(__AVX2__)
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
#else
    Float8 result;  // bytes, since what lies there may be of another type
    __builtin_memcpy(&result, low, 16);
    __builtin_memcpy(reinterpret_cast<char*>(&result) + 16, high, 16);
    return result;
#endif
}

// Four values of each of eight records, which begin stride values apart: columns[w] has
// values[records[lane] * stride + w]. Faster than gather instructions.
GRAZE_INLINE void load_columns(const float* values, std::size_t stride, Int8 records,
                               Float8 (&columns)[4]) {
    const auto row = [&](int lane) {
        return values + static_cast<std::size_t>(records[lane]) * stride;
    };
    for (int i = 0; i < 4; ++i)
        columns[i] = load_halves(row(i), row(i + 4));
    transpose_halves(columns);
}

// Writes the lanes whose bits are set in a mask, one after the other. The target needs room for all
// eight: what comes behind the last one is arbitrary.
class LaneOrder {
public:
    GRAZE_INLINE explicit LaneOrder(std::uint32_t mask) : mask_(mask) {
#if defined(__AVX2__) && defined(__BMI2__)
        // All bits of a byte are set for each lane that is, then their indices are put side by
        // side.
        const std::uint64_t bytes = _pdep_u64(mask, 0x0101010101010101u) * 0xff;
        const std::uint64_t indices = _pext_u64(0x0706050403020100u, bytes);
        order_ = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(indices)));
#endif
    }
    GRAZE_INLINE int count() const { return std::popcount(mask_); }
    // A value has four bytes.
    template <class T>
    GRAZE_INLINE void write(const T* lanes, T* to) const {
        static_assert(sizeof(T) == 4);
#if defined(__AVX2__) && defined(__BMI2__)
        const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lanes));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                            _mm256_permutevar8x32_epi32(all, order_));
#else
        for (std::uint32_t left = mask_; left != 0; left &= left - 1)
            *to++ = lanes[std::countr_zero(left)];
#endif
    }
    GRAZE_INLINE void write(const Float8& lanes, float* to) const {
        write(reinterpret_cast<const float*>(&lanes), to);
    }

private:
    std::uint32_t mask_;
#if defined(__AVX2__) && defined(__BMI2__)
    __m256i order_;
#endif
};

// What a comparison of eight floats gives: all bits set where it holds.
using Mask8 = Int8;

// Bit i is set where lane i is.
GRAZE_INLINE std::uint32_t mask_of(Mask8 mask) {
#if defined(__AVX2__)
    return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
#else
    std::uint32_t bits = 0;
    for (int lane = 0; lane < kLaneCount; ++lane)
        bits |= (mask[lane] != 0 ? 1u : 0u) << lane;
    return bits;
#endif
}
GRAZE_INLINE bool any_of(Mask8 mask) {
    return mask_of(mask) != 0;
}

// By lane, a where the mask is set, else b.
GRAZE_INLINE Vec3T<Float8> select(Mask8 mask, const Vec3T<Float8>& a, const Vec3T<Float8>& b) {
    return {mask ? a.x : b.x, mask ? a.y : b.y, mask ? a.z : b.z};
}

GRAZE_INLINE Float8 sqrt_of(Float8 a) {
#if defined(__AVX2__)
    return _mm256_sqrt_ps(a);
#else
    for (int lane = 0; lane < kLaneCount; ++lane)
        a[lane] = __builtin_sqrtf(a[lane]);
    return a;
#endif
}

// values[indices[lane]] in each lane. Indices are below 2^31 and not negative.
GRAZE_INLINE Float8 gather_lanes(const float* values, Int8 indices) {
#if defined(__AVX2__)
    return _mm256_i32gather_ps(values, reinterpret_cast<__m256i>(indices), 4);
#else
    Float8 result;
    for (int lane = 0; lane < kLaneCount; ++lane)
        result[lane] = values[indices[lane]];
    return result;
#endif
}
// Four bytes at the beginning of record indices[lane] in each lane; records have kSize bytes, 4 or
// 8.
template <int kSize>
GRAZE_INLINE Int8 gather_words(const void* records, Int8 indices) {
#if defined(__AVX2__)
    return reinterpret_cast<Int8>(_mm256_i32gather_epi32(
        static_cast<const int*>(records), reinterpret_cast<__m256i>(indices), kSize));
#else
    Int8 result;
    for (int lane = 0; lane < kLaneCount; ++lane) {
        std::int32_t word;
        __builtin_memcpy(
            &word, static_cast<const char*>(records) + std::int64_t{indices[lane]} * kSize, 4);
        result[lane] = word;
    }
    return result;
#endif
}
// table[indices[lane]] in each lane; indices are from 0 to 7.
GRAZE_INLINE Int8 look_up(Int8 table, Int8 indices) {
#if defined(__AVX2__)
    return reinterpret_cast<Int8>(_mm256_permutevar8x32_epi32(reinterpret_cast<__m256i>(table),
                                                              reinterpret_cast<__m256i>(indices)));
#else
    Int8 result;
    for (int lane = 0; lane < kLaneCount; ++lane)
        result[lane] = table[indices[lane]];
    return result;
#endif
}
// The floats that the 16-bit floats in the lower halves of eight words stand for; the upper halves
// are zero.
GRAZE_INLINE Float8 floats_from_halves(Int8 words) {
#if defined(__AVX2__) && defined(__F16C__)
    const __m256i packed = _mm256_packus_epi32(reinterpret_cast<__m256i>(words), __m256i{});
    return _mm256_cvtph_ps(_mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08)));
#else
    Float8 result;
    for (int lane = 0; lane < kLaneCount; ++lane)
        result[lane] = float_from_half(Half{static_cast<std::uint16_t>(words[lane])});
    return result;
#endif
}
GRAZE_INLINE Int8 spread_int(std::int32_t value) {
    return Int8{value, value, value, value, value, value, value, value};
}
// Rounded towards zero. Values are in the range of the integers.
GRAZE_INLINE Int8 truncate(Float8 a) {
    return __builtin_convertvector(a, Int8);
}
GRAZE_INLINE Float8 to_float(Int8 a) {
    return __builtin_convertvector(a, Float8);
}

// The largest of the eight.
GRAZE_INLINE float largest_of(Float8 a) {
#if defined(__AVX2__)
    __m128 m = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_max_ss(m, _mm_shuffle_ps(m, m, 1)));
#else
    float result = a[0];
    for (int lane = 1; lane < kLaneCount; ++lane)
        result = a[lane] > result ? a[lane] : result;
    return result;
#endif
}

}  // namespace graze

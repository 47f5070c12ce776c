// Gathers eight moving vertices from anywhere in an array into lanes. A vertex has its positions at
// t0 and t1 side by side in memory, so that it is one load, and eight of them are transposed in
// registers. That is three times as fast as reading coordinate by coordinate. Host only.
#pragma once

#include <cstdint>

#include "core/lanes.h"

namespace graze {

struct alignas(32) MovingVertex {
    float t0[3], unused_t0, t1[3], unused_t1;  // [m]
};

// Doubles are rounded, which the coordinate_error of may_meet.h allows for.
template <class T>
GRAZE_INLINE MovingVertex moving_vertex(const Vec3T<T>& p0, const Vec3T<T>& p1) {
    return {{float(p0.x), float(p0.y), float(p0.z)}, 0, {float(p1.x), float(p1.y), float(p1.z)}, 0};
}

struct MovingVertexLanes {
    Vec3T<Float8> t0, t1;  // [m]
};

// Returns lanes of which lane i is vertices[indices[i]].
GRAZE_INLINE MovingVertexLanes gather_moving_vertices(const MovingVertex* vertices,
                                                      const std::uint32_t (&indices)[8]) {
#if defined(__AVX2__)
    __m256 row[8];
    for (int i = 0; i < 8; ++i)
        row[i] = _mm256_loadu_ps(reinterpret_cast<const float*>(vertices + indices[i]));
    // Interleaves pairs of rows, then fours, within the halves, which hold t0 and t1.
    __m256 half[2][3];
    for (int i = 0; i < 2; ++i) {
        const __m256 low01 = _mm256_unpacklo_ps(row[4 * i], row[4 * i + 1]);
        const __m256 low23 = _mm256_unpacklo_ps(row[4 * i + 2], row[4 * i + 3]);
        const __m256 high01 = _mm256_unpackhi_ps(row[4 * i], row[4 * i + 1]);
        const __m256 high23 = _mm256_unpackhi_ps(row[4 * i + 2], row[4 * i + 3]);
        half[i][0] = _mm256_shuffle_ps(low01, low23, _MM_SHUFFLE(1, 0, 1, 0));
        half[i][1] = _mm256_shuffle_ps(low01, low23, _MM_SHUFFLE(3, 2, 3, 2));
        half[i][2] = _mm256_shuffle_ps(high01, high23, _MM_SHUFFLE(1, 0, 1, 0));
    }
    const auto of_t0 = [&](int axis) {
        return _mm256_permute2f128_ps(half[0][axis], half[1][axis], 0x20);
    };
    const auto of_t1 = [&](int axis) {
        return _mm256_permute2f128_ps(half[0][axis], half[1][axis], 0x31);
    };
    return {{of_t0(0), of_t0(1), of_t0(2)}, {of_t1(0), of_t1(1), of_t1(2)}};
#else
    MovingVertexLanes lanes;
    for (int i = 0; i < 8; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            lanes.t0[axis][i] = vertices[indices[i]].t0[axis];
            lanes.t1[axis][i] = vertices[indices[i]].t1[axis];
        }
    return lanes;
#endif
}

}  // namespace graze

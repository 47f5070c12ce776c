// BoundValuesByLanes and BoundSamplesByLanes: the leaves of a min/max tree with several floats at a
// time, for the host. They give the bits of BoundValues and BoundSamples (min_max_leaves.h) in a
// third of their time and less.
#pragma once

#include <cstring>

#include "core/lanes.h"
#include "field/sampled/min_max_leaves.h"

#if defined(__SSE4_1__)
#include <immintrin.h>
#endif

namespace graze {
namespace min_max_detail {

using Float4 = float __attribute__((vector_size(16)));

GRAZE_INLINE Float4 spread4(float value) {
    return Float4{value, value, value, value};
}
GRAZE_INLINE Float4 min4(Float4 a, Float4 b) {
#if defined(__SSE4_1__)
    return _mm_min_ps(a, b);
#else
    return a < b ? a : b;
#endif
}
GRAZE_INLINE Float4 max4(Float4 a, Float4 b) {
#if defined(__SSE4_1__)
    return _mm_max_ps(a, b);
#else
    return a > b ? a : b;
#endif
}
GRAZE_INLINE Float4 load4(const float* values) {
    Float4 result;
    std::memcpy(&result, values, sizeof(result));
    return result;
}

struct Range4 {
    Float4 min, max;

    GRAZE_INLINE static Range4 empty() {
        constexpr float inf = std::numeric_limits<float>::infinity();
        return {spread4(inf), spread4(-inf)};
    }
    GRAZE_INLINE void add(Float4 value) {
        min = min4(min, value);
        max = max4(max, value);
    }
    GRAZE_INLINE Range lane(int n) const { return {min[n], max[n]}; }
    GRAZE_INLINE Range all() const {
        Range result = lane(0);
        for (int n = 1; n < 4; ++n)
            result.add(lane(n));
        return result;
    }
};

struct BoundValuesByLanes {
    SampledFieldView field;
    MinMax* nodes;
    void operator()(std::int64_t cube) const {
        const SampleBlock block = find_samples(field, cube);
        if (block.cells[0] < kMinMaxLeafCells) {  // too short a row for four lanes
            BoundValues{field, nodes}(cube);
            return;
        }
        Range4 range = Range4::empty();
        for (std::int32_t k = 0; k <= block.cells[2]; ++k) {
            for (std::int32_t j = 0; j <= block.cells[1]; ++j) {
                const float* row =
                    field.values + block.first + j * block.stride_y + k * block.stride_z;
                range.add(load4(row));
                range.add(load4(row + 1));
            }
        }
        nodes[cube] = BoundValues::finish(range.all(), field.grid.spacing);
    }
};

// Loads two samples: the slopes along x, y and z and the value of one, then of the other.
GRAZE_INLINE Float8 load_samples(const FirstOrderSample* low, const FirstOrderSample* high) {
#if defined(__AVX2__) && defined(__F16C__)
    const __m128i halves =
        _mm_unpacklo_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(low)),
                           _mm_loadl_epi64(reinterpret_cast<const __m128i*>(high)));
    return _mm256_cvtph_ps(halves);
#else
    return load_halves(load_four(low).of, load_four(high).of);
#endif
}
// In each half of the lanes, lane kLane is from b and the others are from a.
template <int kLane>
GRAZE_INLINE Float8 replace_lane(Float8 a, Float8 b) {
#if defined(__AVX2__)
    return _mm256_blend_ps(a, b, 0x11 << kLane);
#else
    const Mask8 lane{0, 1, 2, 3, 0, 1, 2, 3};
    return lane == kLane ? b : a;
#endif
}

struct Range8 {
    Float8 min, max;

    GRAZE_INLINE static Range8 empty() {
        constexpr float inf = std::numeric_limits<float>::infinity();
        return {spread<Float8>(inf), spread<Float8>(-inf)};
    }
    GRAZE_INLINE static Range8 of(const Float8 (&values)[4]) {
        return {min_of(min_of(values[0], values[1]), min_of(values[2], values[3])),
                max_of(max_of(values[0], values[1]), max_of(values[2], values[3]))};
    }
    GRAZE_INLINE void add(const Range8& other) {
        min = min_of(min, other.min);
        max = max_of(max, other.max);
    }
    // The range of one lane of each half.
    GRAZE_INLINE Range lane(int n) const {
        return {min_of(min[n], min[n + 4]), max_of(max[n], max[n + 4])};
    }
    GRAZE_INLINE Range all() const { return {-largest_of(-min), largest_of(max)}; }
};
template <int kLane>
GRAZE_INLINE Range8 replace_lane(const Range8& a, const Range8& b) {
    return {replace_lane<kLane>(a.min, b.min), replace_lane<kLane>(a.max, b.max)};
}

// A face across x of each of two cells, as Face, one in each half of the lanes; lanes 1 and 2 of
// mixed are the differences along its edges, lane 3 is the value.
struct FaceLanes {
    Float8 corner[4];
    Range8 range, mixed;
};
GRAZE_INLINE FaceLanes load_faces(const FirstOrderSample* low, const FirstOrderSample* high,
                                  std::int64_t stride_y, std::int64_t stride_z) {
    FaceLanes face;
    for (int c = 0; c < 4; ++c) {
        const std::int64_t step = (c & 1) * stride_y + (c >> 1) * stride_z;
        face.corner[c] = load_samples(low + step, high + step);
    }
    const Float8(&c)[4] = face.corner;
    face.range = Range8::of(c);
    // Lane 1 is along y from corners 0 and 2, lane 2 along z from corners 0 and 1.
    const Float8 first = c[0] - replace_lane<2>(c[1], c[2]);
    const Float8 second = replace_lane<2>(c[2], c[1]) - c[3];
    face.mixed = replace_lane<3>(Range8{min_of(first, second), max_of(first, second)}, face.range);
    return face;
}

// Lanes 0 to 2 of a cell are its differences, lane 3 its values, for four cells of each of two
// rows. The result has the bounds of each cell in a lane, the same as BoundSamples'.
GRAZE_INLINE Range8 bound_cells(const Range8 (&cells)[4]) {
    Float8 low[4], high[4];
    for (int n = 0; n < 4; ++n) {
        low[n] = cells[n].min;
        high[n] = cells[n].max;
    }
    transpose_halves(low);
    transpose_halves(high);
    const Float8 zero = spread<Float8>(0.0f), quarter = spread<Float8>(0.25f);
    const Float8 lower = min_of(low[0], zero) + min_of(low[1], zero) + min_of(low[2], zero);
    const Float8 raise = max_of(high[0], zero) + max_of(high[1], zero) + max_of(high[2], zero);
    return {low[3] + lower * quarter, high[3] + raise * quarter};
}

struct BoundSamplesByLanes {
    SampledFieldView field;
    MinMax* nodes;
    void operator()(std::int64_t cube) const {
        const SampleBlock block = find_samples(field, cube);
        Range8 result = Range8::empty(), slopes = Range8::empty();
        for (std::int32_t k = 0; k < block.cells[2]; ++k) {
            // Two rows at a time; an odd last one is taken twice.
            for (std::int32_t j = 0; j < block.cells[1]; j += 2) {
                const FirstOrderSample* row =
                    field.samples + block.first + j * block.stride_y + k * block.stride_z;
                bound_rows(row, j + 1 < block.cells[1] ? row + block.stride_y : row, block, result,
                           slopes);
            }
        }
        nodes[cube] =
            BoundSamples::finish(result.all(), slopes.lane(0), slopes.lane(1), slopes.lane(2));
    }

    static GRAZE_INLINE void bound_rows(const FirstOrderSample* low, const FirstOrderSample* high,
                                        const SampleBlock& block, Range8& result, Range8& slopes) {
        static_assert(kMinMaxLeafCells == 4);
        Range8 cells[4];
        FaceLanes left = load_faces(low, high, block.stride_y, block.stride_z);
        slopes.add(left.range);
        for (int i = 0; i < 4; ++i) {
            // A short row goes on with its last face, which adds nothing.
            const std::int32_t next = min_of(i + 1, block.cells[0]);
            const FaceLanes right =
                load_faces(low + next, high + next, block.stride_y, block.stride_z);
            slopes.add(right.range);
            Float8 along_x[4];
            for (int c = 0; c < 4; ++c)
                along_x[c] = left.corner[c] - right.corner[c];
            Range8 mixed = left.mixed;
            mixed.add(right.mixed);
            cells[i] = replace_lane<0>(mixed, Range8::of(along_x));
            left = right;
        }
        result.add(bound_cells(cells));
    }
};

}  // namespace min_max_detail
}  // namespace graze

// The leaves of a min/max tree with four floats at a time, for the host: BoundValues and
// BoundSamples of min_max_leaves.h, with the same bits, in a third of their time.
#pragma once

#include <cstring>

#include "field/min_max_leaves.h"

#if defined(__SSE4_1__)
#include <immintrin.h>
#endif

namespace graze {
namespace min_max_detail {

using Float4 = float __attribute__((vector_size(16)));
using Int4 = std::int32_t __attribute__((vector_size(16)));

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
// Lane n from b where bit n of kMask is set, else from a.
template <int kMask>
GRAZE_INLINE Float4 choose4(Float4 a, Float4 b) {
#if defined(__SSE4_1__)
    return _mm_blend_ps(a, b, kMask);
#else
    const Int4 mask{-(kMask & 1), -(kMask >> 1 & 1), -(kMask >> 2 & 1), -(kMask >> 3 & 1)};
    return mask ? b : a;
#endif
}
GRAZE_INLINE Float4 load4(const float* place) {
    Float4 result;
    std::memcpy(&result, place, sizeof(result));
    return result;
}
// Slopes along x, y and z, then the value.
GRAZE_INLINE Float4 load4(const FirstOrderSample* place) {
#if defined(__F16C__)
    return _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(place)));
#else
    const Four four = load_four(place);
    return load4(four.of);
#endif
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
    GRAZE_INLINE void add(const Range4& other) {
        min = min4(min, other.min);
        max = max4(max, other.max);
    }
    GRAZE_INLINE Range lane(int n) const { return {min[n], max[n]}; }
    GRAZE_INLINE Range all() const {
        Range result = lane(0);
        for (int n = 1; n < 4; ++n)
            result.add(lane(n));
        return result;
    }
};
template <int kMask>
GRAZE_INLINE Range4 choose4(const Range4& a, const Range4& b) {
    return {choose4<kMask>(a.min, b.min), choose4<kMask>(a.max, b.max)};
}

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

// A cell's face across x, as Face; lanes 1 and 2 of mixed are the differences along its edges, lane
// 3 is the value.
struct Face4 {
    Float4 corner[4];
    Range4 range, mixed;
};
GRAZE_INLINE Face4 load_face4(const FirstOrderSample* place, std::int64_t stride_y,
                              std::int64_t stride_z) {
    Face4 face;
    for (int c = 0; c < 4; ++c)
        face.corner[c] = load4(place + (c & 1) * stride_y + (c >> 1) * stride_z);
    const Float4* c = face.corner;
    face.range = {min4(min4(c[0], c[1]), min4(c[2], c[3])),
                  max4(max4(c[0], c[1]), max4(c[2], c[3]))};
    // Lane 1: along y from corners 0 and 2; lane 2: along z from corners 0 and 1.
    const Float4 first = c[0] - choose4<0b0100>(c[1], c[2]);
    const Float4 second = choose4<0b0100>(c[2], c[1]) - c[3];
    face.mixed = choose4<0b1000>(Range4{min4(first, second), max4(first, second)}, face.range);
    return face;
}

// Lanes 0 to 2 the differences of a cell, lane 3 its values, for four cells: the same bounds as
// BoundSamples' of each, by lane.
GRAZE_INLINE Range4 bound_cells(const Range4 (&cells)[4]) {
    Float4 low[4], high[4];
    for (int n = 0; n < 4; ++n) {
        low[n] = Float4{cells[0].min[n], cells[1].min[n], cells[2].min[n], cells[3].min[n]};
        high[n] = Float4{cells[0].max[n], cells[1].max[n], cells[2].max[n], cells[3].max[n]};
    }
    const Float4 zero = spread4(0), quarter = spread4(0.25f);
    const Float4 lower = min4(low[0], zero) + min4(low[1], zero) + min4(low[2], zero);
    const Float4 raise = max4(high[0], zero) + max4(high[1], zero) + max4(high[2], zero);
    return {low[3] + lower * quarter, high[3] + raise * quarter};
}

struct BoundSamplesByLanes {
    SampledFieldView field;
    MinMax* nodes;
    void operator()(std::int64_t cube) const {
        const SampleBlock block = find_samples(field, cube);
        Range4 result = Range4::empty(), slopes = Range4::empty();
        for (std::int32_t k = 0; k < block.cells[2]; ++k) {
            for (std::int32_t j = 0; j < block.cells[1]; ++j) {
                const FirstOrderSample* row =
                    field.samples + block.first + j * block.stride_y + k * block.stride_z;
                bound_row(row, block, result, slopes);
            }
        }
        nodes[cube] =
            BoundSamples::finish(result.all(), slopes.lane(0), slopes.lane(1), slopes.lane(2));
    }

    static GRAZE_INLINE void bound_row(const FirstOrderSample* row, const SampleBlock& block,
                                       Range4& result, Range4& slopes) {
        static_assert(kMinMaxLeafCells == 4);
        Range4 cells[4];
        Face4 left = load_face4(row, block.stride_y, block.stride_z);
        slopes.add(left.range);
        for (int i = 0; i < 4; ++i) {
            // A short row goes on with its last face, which adds nothing.
            const Face4 right =
                load_face4(row + min_of(i + 1, block.cells[0]), block.stride_y, block.stride_z);
            slopes.add(right.range);
            Float4 d[4];
            for (int c = 0; c < 4; ++c)
                d[c] = left.corner[c] - right.corner[c];
            const Range4 along_x{min4(min4(d[0], d[1]), min4(d[2], d[3])),
                                 max4(max4(d[0], d[1]), max4(d[2], d[3]))};
            Range4 mixed = left.mixed;
            mixed.add(right.mixed);
            cells[i] = choose4<0b0001>(mixed, along_x);
            left = right;
        }
        result.add(bound_cells(cells));
    }
};

}  // namespace min_max_detail
}  // namespace graze

// field_steepness: how much the blend of a field's samples changes along a path of length 1.
//
// Along an axis the slope of a trilinear blend is a mean of the differences of neighbours, so that
// sqrt(3) times the largest of these is enough in any direction. It is measured, as a field may
// hold more than distances: it may be loaded, or sampled from any function.
#pragma once

#include "field/field_program.h"
#include "field/sampled/sampled_field.h"
#include "parallel/cpu_executor.h"
#include "parallel/reductions.h"

namespace graze {
namespace steepness_detail {

constexpr float kEndless = 0x1p126f;

// The largest difference of neighbours in one row along x in boxes of values.
template <class ValueAt>
struct LargestDifferenceOfRow {
    ValueAt value_at;
    std::int64_t size[3];  // of a box

    float operator()(std::int64_t row) const {
        const std::int64_t y = row % size[1], z = row / size[1] % size[2];
        const std::int64_t first = row * size[0];
        float largest = 0;
        for (std::int64_t x = 0; x < size[0]; ++x) {
            const float own = value_at(first + x);
            const auto compare = [&](std::int64_t other) {
                const float difference = std::fabs(value_at(other) - own);
                // What is not a number counts as endless, so that no larger one hides it.
                if (!(difference <= largest))
                    largest = difference < kEndless ? difference : kEndless;
            };
            if (x + 1 < size[0]) compare(first + x + 1);
            if (y + 1 < size[1]) compare(first + x + size[0]);
            if (z + 1 < size[2]) compare(first + x + size[0] * size[1]);
        }
        return largest;
    }
};

template <class ValueAt>
float largest_difference(CpuExecutor& executor, const ValueAt& value_at, std::int64_t box_count,
                         const std::int64_t (&size)[3]) {
    float result = 0;
    executor.reduce("field: steepness", box_count * size[1] * size[2],
                    LargestDifferenceOfRow<ValueAt>{value_at, {size[0], size[1], size[2]}},
                    LargerValue{}, 0.0f, &result);
    return result;
}

// 1 where a sample's half gradient is longer than that of a distance along some axis.
struct HasLongSlope {
    const FirstOrderSample* samples;

    float operator()(std::int64_t i) const {
        for (const Half slope : samples[i].slope) {
            if (!(std::fabs(float_from_half(slope)) <= 0.501f)) return 1;
        }
        return 0;
    }
};

}  // namespace steepness_detail

// It is 0 where nothing is known, because gradients are longer than those of distances. The samples
// are in host memory.
inline float field_steepness(CpuExecutor& executor, const SampledField& field) {
    using namespace steepness_detail;
    const SampledFieldView view = field.view();
    const auto value_at = [&view](std::int64_t i) {  // [voxels]
        return view.order == FieldOrder::zero ? view.values[i] / view.grid.spacing
                                              : float_from_half(view.samples[i].value);
    };
    if (view.order == FieldOrder::one) {
        float has_long = 0;
        executor.reduce("field: slopes", field.samples.size(), HasLongSlope{view.samples},
                        LargerValue{}, 0.0f, &has_long);
        if (has_long > 0) return 0;
    }
    float largest = 0;
    if (view.is_sparse) {
        const auto coarse_at = [&view](std::int64_t i) {
            return view.coarse[i] / (view.grid.spacing * kBrickCells);
        };
        largest =
            max_of(largest_difference(executor, value_at, field.brick_count(),
                                      {kBrickSamples, kBrickSamples, kBrickSamples}),
                   largest_difference(executor, coarse_at, 1,
                                      {block_count(view.grid, 0) + 1, block_count(view.grid, 1) + 1,
                                       block_count(view.grid, 2) + 1}));
    } else {
        largest =
            largest_difference(executor, value_at, 1,
                               {view.grid.samples(0), view.grid.samples(1), view.grid.samples(2)});
    }
    const float steepness = 1.7321f * max_of(largest, 0.01f);
    return steepness < 1000 ? steepness : 0.0f;
}

// The largest of a field's leaves; 0 where one is not known.
inline float field_steepness(CpuExecutor& executor, const Field& field) {
    float largest = 0;
    for (const auto& samples : program_of(field).sampled) {
        const float steepness = field_steepness(executor, *samples);
        if (steepness == 0) return 0;
        largest = max_of(largest, steepness);
    }
    return largest;
}

}  // namespace graze

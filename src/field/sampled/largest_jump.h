// largest_jump: the largest jump of a sampled field between neighbouring samples on two sides of
// its surface.
//
// Distances change by no more than two points are apart. Where a mesh is open, sides are told by
// winding number, and the distance jumps from one side to the other where no surface is. A search
// that rests on the rule must allow for half of the jump: so far from such a position the field can
// be positive at most on the one side of it.
#pragma once

#include "field/sampled/sampled_field.h"
#include "parallel/reductions.h"

namespace graze {

// [m] By how much the difference of two neighbours with unlike signs exceeds the distance between
// them; it is 0 for the field of a closed mesh. The samples are in host memory.
template <class Executor>
float largest_jump(Executor& executor, const SampledField& field);

namespace detail {

// The largest jump of one row along x in boxes of values.
template <class ValueAt>
struct LargestJumpOfRow {
    ValueAt value_at;      // [m] by index
    std::int64_t size[3];  // of a box
    float spacing;         // [m]

    float operator()(std::int64_t row) const {
        const std::int64_t rows = size[1] * size[2];
        const std::int64_t box = row / rows, z = (row - box * rows) / size[1];
        const std::int64_t y = row - box * rows - z * size[1];
        const std::int64_t first = (box * rows + z * size[1] + y) * size[0];
        float largest = 0;
        for (std::int64_t x = 0; x < size[0]; ++x) {
            const float own = value_at(first + x);
            if (x + 1 < size[0]) largest = max_of(largest, jump(own, first + x + 1));
            if (y + 1 < size[1]) largest = max_of(largest, jump(own, first + x + size[0]));
            if (z + 1 < size[2])
                largest = max_of(largest, jump(own, first + x + size[0] * size[1]));
        }
        return largest;
    }

private:
    float jump(float own, std::int64_t other) const {
        const float value = value_at(other);
        return (own < 0) == (value < 0) ? 0.0f
                                        : std::fabs(own) + std::fabs(value) - spacing * 1.001f;
    }
};

template <class Executor, class ValueAt>
float largest_jump_of(Executor& executor, const ValueAt& value_at, std::int64_t box_count,
                      const std::int64_t (&size)[3], float spacing) {
    float result = 0;
    executor.reduce("field: jumps", box_count * size[1] * size[2],
                    LargestJumpOfRow<ValueAt>{value_at, {size[0], size[1], size[2]}, spacing},
                    LargerValue{}, 0.0f, &result);
    return result;
}

}  // namespace detail

template <class Executor>
float largest_jump(Executor& executor, const SampledField& field) {
    const SampledFieldView view = field.view();
    const float spacing = view.grid.spacing;
    const auto value_at = [&view, spacing](std::int64_t i) {
        return view.order == FieldOrder::zero ? view.values[i]
                                              : float_from_half(view.samples[i].value) * spacing;
    };
    if (!view.is_sparse) {
        return detail::largest_jump_of(
            executor, value_at, 1,
            {view.grid.samples(0), view.grid.samples(1), view.grid.samples(2)}, spacing);
    }
    const float in_bricks =
        detail::largest_jump_of(executor, value_at, field.brick_count(),
                                {kBrickSamples, kBrickSamples, kBrickSamples}, spacing);
    const auto coarse_at = [&view](std::int64_t i) { return view.coarse[i]; };
    const float in_coarse =
        detail::largest_jump_of(executor, coarse_at, 1,
                                {block_count(view.grid, 0) + 1, block_count(view.grid, 1) + 1,
                                 block_count(view.grid, 2) + 1},
                                spacing * kBrickCells);
    return max_of(in_bricks, in_coarse);
}

}  // namespace graze

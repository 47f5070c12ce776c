// The tests of moving_bounds.h for eight directions at a time, with the same answers. Host only.
#pragma once

#include "core/lanes.h"
#include "narrow_phase/features/moving_bounds.h"

namespace graze {
namespace lanes {

GRAZE_INLINE Float8 load(const float (&values)[kDirectionsPerHalf]) {
    return *reinterpret_cast<const Float8*>(values);
}

struct Ranges {
    Float8 min, max;
};
template <int N>
GRAZE_INLINE Ranges ranges_of(const PointProjections* const (&points)[N], int half, int time) {
    const Float8 first = load(points[0]->at[half][time]);
    Ranges ranges{first, first};
    for (int i = 1; i < N; ++i) {
        const Float8 value = load(points[i]->at[half][time]);
        ranges = {min_of(ranges.min, value), max_of(ranges.max, value)};
    }
    return ranges;
}

GRAZE_INLINE bool are_apart_somewhere(const Ranges& a0, const Ranges& a1, const Ranges& b0,
                                      const Ranges& b1, Float8 slack) {
    return any_of(((a0.min - b0.max > slack) & (a1.min - b1.max > slack)) |
                  ((b0.min - a0.max > slack) & (b1.min - a1.max > slack)));
}

template <int N, int M>
GRAZE_INLINE bool are_apart(const PointProjections* const (&a)[N],
                            const PointProjections* const (&b)[M], const DirectionSlacks& slacks) {
    for (int half = 0; half < kDirectionHalves; ++half) {
        if (are_apart_somewhere(ranges_of(a, half, 0), ranges_of(a, half, 1), ranges_of(b, half, 0),
                                ranges_of(b, half, 1), load(slacks.of[half])))
            return true;
    }
    return false;
}

GRAZE_INLINE bool are_apart(const ElementBounds& a, const ElementBounds& b,
                            const DirectionSlacks& slacks) {
    return are_apart_somewhere({load(a.min[0]), load(a.max[0])}, {load(a.min[1]), load(a.max[1])},
                               {load(b.min[0]), load(b.max[0])}, {load(b.min[1]), load(b.max[1])},
                               load(slacks.of[0]));
}

// Compares bounds of an instant, which are the same at t0 and t1.
GRAZE_INLINE bool are_apart_now(const ElementBounds& a, const ElementBounds& b,
                                const DirectionSlacks& slacks) {
    const Float8 slack = load(slacks.of[0]);
    return any_of((load(a.min[0]) - load(b.max[0]) > slack) |
                  (load(b.min[0]) - load(a.max[0]) > slack));
}

}  // namespace lanes
}  // namespace graze

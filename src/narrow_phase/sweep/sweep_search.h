// SweepSearch: which points of the bodies of a step come within the gap of the other body's field,
// and when first, for all pairs at once.
//
// Pair p has two sides: side 2 p has the points of body a and the field of body b, side 2 p + 1 the
// points of b and the field of a.
#pragma once

#include "narrow_phase/method.h"

namespace graze {

// A point that reaches the other body within the step.
struct SweptPoint {
    std::uint32_t side;
    std::uint32_t point;  // in the order of the shape's sphere tree
    float time;           // when first
};

// In the executor's memory, by side and then in the order of the tree.
struct SweptPoints {
    explicit SweptPoints(Memory& memory) : points(memory), offsets(memory) {}

    Buffer<SweptPoint> points;
    Buffer<std::uint64_t> offsets;  // by side, and the total; see ContactList
};

}  // namespace graze

// SweepSearch: which points of the bodies of a step come within the gap of the other body's field,
// and when first, for all pairs at once.
//
// Pair p has two sides: side 2 p has the points of body a and the field of body b, side 2 p + 1 the
// points of b and the field of a. Where faces are searched as well, pair p has four: 4 p and 4 p +
// 2 are these two, and each is followed by a side of the same bodies with faces instead of points.
#pragma once

#include <memory>

#include "narrow_phase/method.h"
#include "narrow_phase/sweep/swept_side.h"

namespace graze {

// A point or face that reaches the other body within the step.
struct SweptPoint {
    std::uint32_t side;
    std::uint32_t point;  // in the order of the shape's sphere tree
    float time;           // when first
    Vec3 position;        // [m] in the frame of the points' body; of a face, where it is reached
};

// In the executor's memory, by side and then in the order of the tree.
struct SweptPoints {
    explicit SweptPoints(Memory& memory) : points(memory), offsets(memory) {}

    // As many as there are, or on the device the room there is; see ContactList.
    Buffer<SweptPoint> points;
    // Side s has points [offsets[s], offsets[s + 1]); the last offset is the total.
    Buffer<std::uint64_t> offsets;

    std::int64_t side_count() const { return offsets.size() - 1; }
    const std::uint64_t* total() const { return offsets.data() + side_count(); }
};

template <class Executor>
class SweepSearch {
public:
    SweepSearch(Executor& executor, float gap, const SweepOptions& options);
    ~SweepSearch();

    // Finds them for all pairs, without waiting. It needs the field and the points of shapes, and
    // the faces where they are searched.
    void find(const PairStep& step, StepRooms& rooms, SweptPoints& found);

    // By side, of the last find(), in the executor's memory.
    const SweptSide* sides() const;
    int sides_per_pair() const;
    // Adds the figures of the last find() to the report, once the counts are known.
    void report(const StepRooms& rooms, StepReport& report) const;

private:
    class Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace graze

// SegmentSearch: when a point that moves straight is inside a distance field, for many points at
// once.
#pragma once

#include <memory>
#include <span>

#include "graze/device.h"
#include "graze/field.h"

namespace graze {

struct Segment {
    Vec3 from, to;  // [m] in the field's frame
};

// Times are fractions of the segment, 0 at its beginning and 1 at its end.
struct TimeInterval {
    float begin, end;  // begin <= end

    constexpr bool operator==(const TimeInterval&) const = default;
};

// How a search gets along a segment. All find the same times.
enum class SegmentWalk {
    cells,     // cell by cell
    tree,      // by the largest cube of cells whose stored bounds rule a crossing out
    distance,  // likewise, and farther where the distance allows; how steep samples are is measured
               // when it is first used
};

// What counts as a crossing within a cell of a sampled field.
enum class CellRule {
    exact,   // every one: along a line the value in a cell is a polynomial
    single,  // one, where the value at the cell's entry and at its exit differ in sign (Xu and
             // Barbic); it misses what enters and leaves within the cell
};

struct SegmentOptions {
    // [m] The point is inside where the distance is not above this.
    float level = 0;
    SegmentWalk walk = SegmentWalk::tree;
    CellRule rule = CellRule::exact;
};

// The intervals of many segments.
struct SegmentIntervals {
    std::span<const TimeInterval>
        intervals;                           // of all segments in turn, ascending and apart in each
    std::span<const std::uint64_t> offsets;  // segment s has [offsets[s], offsets[s + 1])

    std::span<const TimeInterval> of(std::size_t segment) const {
        return intervals.subspan(offsets[segment], offsets[segment + 1] - offsets[segment]);
    }
};

class SegmentEngine;

// A field on a device, ready to be asked. What is returned stays until the next call; it is the
// same for any number of threads.
class SegmentSearch {
public:
    explicit SegmentSearch(const Field& field, const Device& device = Device::cpu());
    ~SegmentSearch();
    SegmentSearch(SegmentSearch&&) noexcept;
    SegmentSearch& operator=(SegmentSearch&&) noexcept;

    // Throws Error where a coordinate or the level is not finite.
    SegmentIntervals find_intervals(std::span<const Segment> segments,
                                    const SegmentOptions& options = {});
    // The time when each segment is first inside; infinity where it never is.
    std::span<const float> find_first_times(std::span<const Segment> segments,
                                            const SegmentOptions& options = {});

private:
    std::unique_ptr<SegmentEngine> engine_;
};

}  // namespace graze

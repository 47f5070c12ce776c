// The passes of SegmentEngine on the host by the walk `tree` and the exact rule: blocks of segments
// by lanes. The plain passes, of which these are the fast copies, are in segment_engine_impl.h.
#pragma once

#include "field/segments/level_times_lanes.h"
#include "field/segments/segment_engine_impl.h"
#include "parallel/cpu_executor.h"

namespace graze::segment_detail {

constexpr int kFirstDepth = 3;  // as GridWalk

// Calls work(begin, end) for each block of segments.
template <class Work>
void for_each_block_of_segments(CpuExecutor& executor, const char* name, std::int64_t count,
                                const Work& work) {
    const std::int64_t block_count = (count + kSegmentGrain - 1) / kSegmentGrain;
    executor.for_each(
        name, block_count,
        [&](std::int64_t block) {
            work(block * kSegmentGrain, min_of((block + 1) * kSegmentGrain, count));
        },
        1);
}

inline auto ends_of_segments(const Segment* segments) {
    return [segments](int i) { return segments[i]; };
}

inline void walk_segments(CpuExecutor& executor, const char* name, std::int64_t count,
                          const CountIntervals<SegmentWalk::tree, CellRule::exact>& work,
                          const LanePass&) {
    using Intervals = level_times_detail::VisitIntervals<KeepIntervals>;
    for_each_block_of_segments(executor, name, count, [&](std::int64_t begin, std::int64_t end) {
        Intervals intervals[kSegmentGrain];
        const auto reset = [&](int i) {
            intervals[i] = {{work.slots + (begin + i) * kSlots, kSlots}};
        };
        const int block = static_cast<int>(end - begin);
        for (int i = 0; i < block; ++i)
            reset(i);
        level_times_detail::walk_paths(work.field, work.level, work.settings, kFirstDepth, block,
                                       ends_of_segments(work.segments + begin), intervals, reset);
        for (int i = 0; i < block; ++i) {
            Intervals& found = intervals[i];
            if (found.is_inside()) found.visit(found.begin, 1.0f);
            work.counts[begin + i] = found.visit.count;
        }
    });
}

inline void walk_segments(CpuExecutor& executor, const char* name, std::int64_t count,
                          const FindFirstTime<SegmentWalk::tree, CellRule::exact>& work,
                          const LanePass&) {
    for_each_block_of_segments(executor, name, count, [&](std::int64_t begin, std::int64_t end) {
        first_times_inside(work.field, work.level, kFirstDepth, static_cast<int>(end - begin),
                           ends_of_segments(work.segments + begin), work.times + begin);
    });
}

}  // namespace graze::segment_detail

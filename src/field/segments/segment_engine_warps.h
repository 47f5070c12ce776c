// The passes of SegmentEngine on a GPU by the walk `tree` and the exact rule, through one grid of
// samples: segments side by side; only .cu files include this. The plain passes, of which these are
// the fast copies, are in segment_engine_impl.h.
#pragma once

#include "field/segments/segment_engine_impl.h"
#include "field/segments/warp_walk.h"

namespace graze::segment_detail {

template <class Work>
struct SegmentItems {
    static constexpr int kFirstDepth = 3;  // as GridWalk
    Work work;

    template <FieldOrder kOrder>
    __device__ SampledPath path(std::int64_t i) const {
        const Segment segment = work.segments[i];
        return sampled_path<kOrder>(work.field, segment.from, segment.to, work.level,
                                    work.settings);
    }
};

struct IntervalItems : SegmentItems<CountIntervals<SegmentWalk::tree, CellRule::exact>> {
    using Changes = level_times_detail::VisitIntervals<KeepIntervals>;

    __device__ Changes changes(std::int64_t i) const { return {{work.slots + i * kSlots, kSlots}}; }
    __device__ void finish(std::int64_t i, Changes& found) const {
        if (found.is_inside()) found.visit(found.begin, 1.0f);
        work.counts[i] = found.visit.count;
    }
};

struct FirstTimeItems : SegmentItems<FindFirstTime<SegmentWalk::tree, CellRule::exact>> {
    using Changes = level_times_detail::FirstInside;

    __device__ Changes changes(std::int64_t) const { return {}; }
    __device__ void finish(std::int64_t i, const Changes& found) const {
        work.times[i] = found.time;
    }
};

template <class Items, class Work>
void walk_segments_by_warps(CudaExecutor& executor, const char* name, std::int64_t count,
                            const Work& work, const LanePass& pass) {
    if (!pass.order) {
        executor.for_each(name, count, work);
    } else if (*pass.order == FieldOrder::zero) {
        walk_by_warps<FieldOrder::zero>(executor, name, count, Items{{work}}, pass.cursor);
    } else {
        walk_by_warps<FieldOrder::one>(executor, name, count, Items{{work}}, pass.cursor);
    }
}

inline void walk_segments(CudaExecutor& executor, const char* name, std::int64_t count,
                          const CountIntervals<SegmentWalk::tree, CellRule::exact>& work,
                          const LanePass& pass) {
    walk_segments_by_warps<IntervalItems>(executor, name, count, work, pass);
}
inline void walk_segments(CudaExecutor& executor, const char* name, std::int64_t count,
                          const FindFirstTime<SegmentWalk::tree, CellRule::exact>& work,
                          const LanePass& pass) {
    walk_segments_by_warps<FirstTimeItems>(executor, name, count, work, pass);
}

}  // namespace graze::segment_detail

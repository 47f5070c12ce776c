// The last stage of SweepSearch on the host, where no faces are searched: the points of a side by
// lanes. The plain stage, of which this is the fast copy, is TestPoints in sweep_search_impl.h.
#pragma once

#include "field/segments/level_times_lanes.h"
#include "narrow_phase/sweep/sweep_search_impl.h"
#include "parallel/cpu_executor.h"

namespace graze::sweep_detail {

// Tests items [begin, end), all of one side that moves in one span.
inline void test_points_of_side(const TestPoints<false>& work, std::int64_t begin,
                                std::int64_t end) {
    constexpr int kMost = GridPaths::kCapacity;
    const SweptSide& side = work.sides[work.items[begin].side];
    std::int32_t listed[kMost];
    Segment paths[kMost];
    float times[kMost];
    int count = 0;
    for (std::int64_t i = begin; i < end; ++i) {
        const SweepItem item = work.items[i];
        const Vec3 point = side.tree.points[item.index];
        work.found[i] = {item.side, item.index, kNever, point};
        if (!(item.begin < 1)) {
            work(i);
            continue;
        }
        paths[count] = path_of_point(side, point, item.begin);
        listed[count++] = static_cast<std::int32_t>(i - begin);
    }
    // The spheres around points leave them near the surface.
    first_times_inside(side.field, side.level, 0, count, [&](int k) { return paths[k]; }, times);
    for (int k = 0; k < count; ++k) {
        const std::int64_t i = begin + listed[k];
        work.found[i].time = time_of_path(work.items[i].begin, times[k]);
        work.counts[i] = times[k] <= 1 ? 1 : 0;
    }
}

inline void test_points(CpuExecutor& executor, std::int64_t room, const TestPoints<false>& work,
                        std::uint64_t* /*cursor*/) {
    constexpr std::int64_t kBlock = GridPaths::kCapacity;
    executor.for_each(
        "sweep: points", (room + kBlock - 1) / kBlock,
        [&](std::int64_t block) {
            const std::int64_t count =
                min_of(min_of(static_cast<std::int64_t>(*work.count), room), (block + 1) * kBlock);
            std::int64_t begin = block * kBlock;
            while (begin < count) {
                const std::uint32_t side = work.items[begin].side;
                std::int64_t end = begin + 1;
                while (end < count && work.items[end].side == side)
                    ++end;
                if (work.sides[side].span_count == 1) {
                    test_points_of_side(work, begin, end);
                } else {
                    for (std::int64_t i = begin; i < end; ++i)
                        work(i);
                }
                begin = end;
            }
            for (std::int64_t i = max_of(begin, block * kBlock);
                 i < min_of(room, (block + 1) * kBlock); ++i)
                work.counts[i] = 0;
        },
        1);
}

}  // namespace graze::sweep_detail

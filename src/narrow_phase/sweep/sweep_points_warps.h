// The last stage of SweepSearch on a GPU, where no faces are searched: points side by side; only
// .cu files include this. The plain stage, of which this is the fast copy, is TestPoints in
// sweep_search_impl.h.
#pragma once

#include "field/segments/warp_walk.h"
#include "narrow_phase/sweep/sweep_search_impl.h"

namespace graze::sweep_detail {

struct PointItems {
    static constexpr int kFirstDepth = 0;  // the spheres around points leave them near the surface
    using Changes = level_times_detail::FirstInside;
    TestPoints<false> work;

    // What is no straight path through one grid of samples is done at once, by the walk for samples
    // of order 0.
    template <FieldOrder kOrder>
    __device__ SampledPath path(std::int64_t i) const {
        SampledPath path;
        const bool is_item = static_cast<std::uint64_t>(i) < *work.count;
        if (is_item) {
            const SweepItem item = work.items[i];
            const SweptSide& side = work.sides[item.side];
            if (side.span_count == 1 && item.begin < 1 && is_grid(side.field)) {
                const Segment rest = path_of_point(side, side.tree.points[item.index], item.begin);
                return sampled_path<kOrder>(side.field, rest.from, rest.to, side.level, {});
            }
        }
        if (kOrder == FieldOrder::zero) do_alone(i);
        return path;
    }
    __device__ Changes changes(std::int64_t) const { return {}; }
    __device__ void finish(std::int64_t i, const Changes& found) const {
        const SweepItem item = work.items[i];
        work.found[i] = {item.side, item.index, time_of_path(item.begin, found.time),
                         work.sides[item.side].tree.points[item.index]};
        work.counts[i] = found.time <= 1 ? 1 : 0;
    }

private:
    __device__ static bool is_grid(const FieldView& field) {
        return field.node_count == 1 && field.nodes[0].kind == FieldKind::sampled &&
               field.sampled[field.nodes[0].index].tree.level_count > 0;
    }
    __device__ __noinline__ void do_alone(std::int64_t i) const { work(i); }
};

inline void test_points(CudaExecutor& executor, std::int64_t room, const TestPoints<false>& work,
                        std::uint64_t* cursor) {
    walk_by_warps<FieldOrder::zero>(executor, "sweep: points", room, PointItems{work}, cursor);
    walk_by_warps<FieldOrder::one>(executor, "sweep: points", room, PointItems{work}, cursor);
}

}  // namespace graze::sweep_detail

// LinearPointSearch: SweepSearch's answer point by point, without a tree; what the tree is compared
// with.
//
// Points move straight in the frame of the field.
#pragma once

#include "core/segment_of.h"
#include "field/segments/level_times.h"
#include "narrow_phase/particles/body_field.h"
#include "narrow_phase/sweep/shape_points.h"
#include "narrow_phase/sweep/sweep_search.h"
#include "parallel/counted_stage.h"

namespace graze {
namespace linear_search_detail {

struct Sides {
    PairStep step;
    float gap;

    GRAZE_HD bool is_there(std::int64_t side) const {
        return static_cast<std::uint64_t>(side) < 2 * *step.pair_count;
    }
    GRAZE_HD std::uint32_t points_of(std::int64_t side) const {
        const IndexPair pair = step.pairs[side / 2];
        return side % 2 == 0 ? pair.a : pair.b;
    }
    GRAZE_HD const SphereTreeView& tree_of(std::uint32_t body) const {
        return step.shapes.points[step.shape_of_body[body]].tree;
    }
    GRAZE_HD float first_time(std::int64_t side, std::uint32_t point) const {
        const std::uint32_t p = points_of(side), f = points_of(side ^ 1);
        const FieldView& field = step.shapes.fields[step.shape_of_body[f]].field;
        const Vec3 position = tree_of(p).points[point];
        const Vec3 from = place(step.poses_t0, p, f, position);
        const float level = gap / step.poses_t0[f].scale;
        if (!step.poses_t1) return evaluate(field, from).distance <= level ? 0.0f : kNever;
        return first_time_inside(field, from, place(step.poses_t1, p, f, position), level);
    }

private:
    GRAZE_HD static Vec3 place(const Transform* poses, std::uint32_t p, std::uint32_t f,
                               const Vec3& position) {
        const Vec3 offset = poses[p].translation - poses[f].translation;
        const Vec3 arm = rotate(poses[p].rotation, position * poses[p].scale);
        return rotate(conjugate(poses[f].rotation), offset + arm) * (1.0f / poses[f].scale);
    }
};

struct CountPoints {
    Sides sides;
    std::uint64_t* counts;  // out, by side
    GRAZE_HD void operator()(std::int64_t side) const {
        counts[side] = sides.is_there(side) ? sides.tree_of(sides.points_of(side)).point_count : 0u;
    }
};

struct TimePoint {
    Sides sides;
    const std::uint64_t* begins;  // by side
    std::int64_t side_room;
    float* times;           // out
    std::uint64_t* counts;  // out
    GRAZE_HD void operator()(std::int64_t i) const {
        const auto item = static_cast<std::uint64_t>(i);
        times[i] = kNever;
        if (item < begins[side_room]) {
            const std::int64_t side = segment_of(begins, side_room, item);
            times[i] = sides.first_time(side, static_cast<std::uint32_t>(item - begins[side]));
        }
        counts[i] = times[i] != kNever ? 1 : 0;
    }
};

struct StorePoint {
    Sides sides;
    const std::uint64_t* begins;
    std::int64_t side_room;
    const float* times;
    const std::uint64_t* offsets;  // by item
    std::uint64_t room;
    SweptPoint* points;  // out
    GRAZE_HD void operator()(std::int64_t i) const {
        if (times[i] == kNever || offsets[i] >= room) return;
        const auto item = static_cast<std::uint64_t>(i);
        const std::int64_t side = segment_of(begins, side_room, item);
        const auto point = static_cast<std::uint32_t>(item - begins[side]);
        points[offsets[i]] = {static_cast<std::uint32_t>(side), point, times[i],
                              sides.tree_of(sides.points_of(side)).points[point]};
    }
};

struct OffsetOfSide {
    const std::uint64_t* begins;
    const std::uint64_t* offsets;
    std::uint64_t item_room;
    std::uint64_t* of_sides;  // out
    GRAZE_HD void operator()(std::int64_t side) const {
        of_sides[side] = offsets[min_of(begins[side], item_room)];
    }
};

}  // namespace linear_search_detail

template <class Executor>
class LinearPointSearch {
public:
    LinearPointSearch(Executor& executor, float gap)
        : executor_(executor),
          gap_(gap),
          sides_(executor.memory()),
          times_(executor.memory()),
          items_(executor.memory()) {}

    void find(const PairStep& step, StepRooms& rooms, SweptPoints& swept) {
        namespace ld = linear_search_detail;
        const ld::Sides sides{step, gap_};
        const std::int64_t side_room = 2 * step.pair_room;
        sides_.resize(side_room);
        executor_.for_each("sweep: count points", side_room,
                           ld::CountPoints{sides, sides_.counts.data()});
        sides_.scan(executor_, "sweep: scan");
        const std::uint64_t* begins = sides_.offsets.data();
        const std::int64_t item_room = rooms.open(executor_, sides_.total());
        times_.resize(item_room);
        items_.resize(item_room);
        executor_.for_each(
            "sweep: point by point", item_room,
            ld::TimePoint{sides, begins, side_room, times_.data(), items_.counts.data()}, 64);
        items_.scan(executor_, "sweep: scan");
        const std::uint64_t* offsets = items_.offsets.data();
        const std::int64_t room = rooms.open(executor_, items_.total());
        swept.points.resize(room);
        executor_.for_each("sweep: store points", item_room,
                           ld::StorePoint{sides, begins, side_room, times_.data(), offsets,
                                          static_cast<std::uint64_t>(room), swept.points.data()});
        swept.offsets.resize(side_room + 1);
        executor_.for_each("sweep: offsets of sides", side_room + 1,
                           ld::OffsetOfSide{begins, offsets, static_cast<std::uint64_t>(item_room),
                                            swept.offsets.data()});
    }

private:
    Executor& executor_;
    float gap_;
    CountedStage sides_;   // points
    Buffer<float> times_;  // by item: a point of a side
    CountedStage items_;   // points that come inside
};

}  // namespace graze

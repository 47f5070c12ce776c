// walk_paths: what level_times.h does along one path, for many paths through one field on the
// host. Where the field is one grid of samples, paths go through it eight at a time
// (lane_walk.h); the times have the same bits either way.
#pragma once

#include "field/segments/lane_walk.h"
#include "field/segments/level_times.h"

namespace graze {
namespace level_times_detail {

template <FieldOrder kOrder, class PathAt, class Changes, class Reset>
class GridPathWalk {
public:
    GridPathWalk(const FieldView& field, float level, const WalkSettings& settings, int first_depth,
                 const PathAt& path_at, Changes* changes, const Reset& reset)
        : field_(field),
          node_(field.nodes[0]),
          samples_(field.sampled[node_.index]),
          level_(level),
          settings_(settings),
          path_at_(path_at),
          changes_(changes),
          reset_(reset) {
        paths_.first_depth = first_depth;
    }

    void run(int count) {
        const LeafPath any = path_of_leaf(node_, {}, {}, level_);
        field_level_ = make_field_level(samples_, any.level, any.orientation, settings_.steepness,
                                        planes_of(field_, node_));
        if (!can_walk_lanes(samples_, field_level_)) {
            for (int i = 0; i < count; ++i)
                walk_alone(i);
            return;
        }
        for (int i = 0; i < count; ++i) {
            add(i);
            if (paths_.is_full()) walk_added();
        }
        walk_added();
    }

private:
    using Walk = SampleWalk<SegmentWalk::tree, CellRule::exact, kOrder>;

    void walk_alone(int i) {
        const auto [from, to] = path_at_(i);
        walk_field<SegmentWalk::tree, CellRule::exact>(field_, from, to, level_, settings_,
                                                       changes_[i]);
    }
    Walk walk_of(int i) const {
        const auto [from, to] = path_at_(i);
        const LeafPath path = path_of_leaf(node_, from, to, level_);
        return {samples_, path.from, path.to, field_level_};
    }

    // The part before the box at once, the part in it into the list.
    GRAZE_INLINE void add(int i) {
        const Walk walk = walk_of(i);
        const GridLine line = make_grid_line(samples_.grid, walk.from, walk.to);
        const TimeRange in_box = times_in_box(line, samples_.grid.cells, 0);
        if (!(in_box.begin < in_box.end)) {
            walk.run_beyond(line, 0, 1, changes_[i]);
            return;
        }
        if (in_box.begin > 0 && !walk.run_beyond(line, 0, in_box.begin, changes_[i])) return;
        added_changes_[paths_.count] = changes_[i];
        paths_.add(line, in_box.begin, in_box.end, i);
    }

    void walk_added() {
        PathEnd ends[GridPaths::kCapacity];
        PathQueue<Changes> queue{paths_, added_changes_, ends};
        walk_lanes<kOrder>(samples_, field_level_, queue);
        for (int k = 0; k < paths_.count; ++k) {
            const int i = paths_.index[k];
            changes_[i] = added_changes_[k];
            if (ends[k] == PathEnd::undecided) {
                reset_(i);
                walk_alone(i);
            } else if (ends[k] == PathEnd::left && paths_.end[k] < 1) {
                walk_of(i).run_beyond(paths_.line(k), paths_.end[k], 1, changes_[i]);
            }
        }
        paths_.count = 0;
    }

    const FieldView& field_;
    const FieldNode& node_;
    const SampledFieldView& samples_;
    const float level_;
    const WalkSettings settings_;
    const PathAt& path_at_;
    Changes* changes_;
    const Reset& reset_;
    FieldLevel field_level_{};
    GridPaths paths_;
    Changes added_changes_[GridPaths::kCapacity];
};

// Reports all changes along paths [0, count): path_at(i) gives both ends of path i, and changes[i]
// takes them, as reset(i) leaves it at the beginning.
// first_depth: as in GridPaths.
template <class PathAt, class Changes, class Reset>
void walk_paths(const FieldView& field, float level, const WalkSettings& settings, int first_depth,
                int count, const PathAt& path_at, Changes* changes, const Reset& reset) {
    const bool is_grid = field.node_count == 1 && field.nodes[0].kind == FieldKind::sampled;
    if (!is_grid) {
        for (int i = 0; i < count; ++i) {
            const auto [from, to] = path_at(i);
            walk_field<SegmentWalk::tree, CellRule::exact>(field, from, to, level, settings,
                                                           changes[i]);
        }
    } else if (field.sampled[field.nodes[0].index].order == FieldOrder::zero) {
        GridPathWalk<FieldOrder::zero, PathAt, Changes, Reset>(field, level, settings, first_depth,
                                                               path_at, changes, reset)
            .run(count);
    } else {
        GridPathWalk<FieldOrder::one, PathAt, Changes, Reset>(field, level, settings, first_depth,
                                                              path_at, changes, reset)
            .run(count);
    }
}

}  // namespace level_times_detail

// first_time_inside() for each of [0, count) paths.
template <class PathAt>
void first_times_inside(const FieldView& field, float level, int first_depth, int count,
                        const PathAt& path_at, float* times) {
    constexpr int kBlock = GridPaths::kCapacity;
    for (int begin = 0; begin < count; begin += kBlock) {
        level_times_detail::FirstInside first[kBlock];
        const auto reset = [&](int i) { first[i] = {}; };
        const int block = min_of(count - begin, kBlock);
        level_times_detail::walk_paths(
            field, level, {}, first_depth, block, [&](int i) { return path_at(begin + i); }, first,
            reset);
        for (int i = 0; i < block; ++i)
            times[begin + i] = first[i].time;
    }
}

}  // namespace graze

// When a point on a straight path is inside a field: where its value is not above a level.
//
// This is the interface for other algorithms. Times are fractions of the path, from 0 to 1. In the
// grid of a sampled field the value is what evaluate() interpolates, and every crossing is found
// (cell_crossings.h says how short an interval may be missed); beyond its band and its box it is an
// estimate (grid_walk.h, sampled_times.h), so that no crossing is lost, and none is found that only
// evaluate()'s lower bounds allow. Times are off by the rounding of positions in the grid, a few
// 2^-24 of the box.
//
// A combined field is a boolean function of its leaves: min(a, b) is not above a level where a or b
// is not, max(a, b) where both are. So each leaf is walked by itself, exactly, and the states of
// all leaves are put together at every time when one of them changes.
#pragma once

#include "field/segments/formula_times.h"
#include "field/segments/possible_times.h"
#include "field/segments/sampled_times.h"

namespace graze {

// So many leaves can be walked side by side. A field with more is searched by steps, by what
// evaluate() gives.
constexpr int kMaxWalkedLeaves = 64;

// How samples are walked; for how steep fields are known to be see field_steepness.h.
struct WalkSettings {
    float steepness = 0;  // of every sampled leaf; 0 where it is not known
};

namespace level_times_detail {

// The states of a walk, put together to intervals for visit(begin, end). Visit may be a reference.
template <class Visit>
struct VisitIntervals {
    Visit visit;
    float begin = 0;
    int state = -1;  // not known yet, outside, inside

    GRAZE_INLINE bool is_known() const { return state >= 0; }
    GRAZE_INLINE bool is_inside() const { return state == 1; }
    GRAZE_INLINE bool become(bool inside, float time) {
        const bool ends = state == 1;
        state = inside ? 1 : 0;
        if (inside) {
            begin = time;
            return true;
        }
        return ends ? visit(begin, time) : true;
    }
};

// The first time when a walk is inside.
struct FirstInside {
    float time = kNever;
    int state = -1;

    GRAZE_INLINE bool is_known() const { return state >= 0; }
    GRAZE_INLINE bool is_inside() const { return state == 1; }
    GRAZE_INLINE bool become(bool inside, float at) {
        state = inside ? 1 : 0;
        if (inside) time = at;
        return !inside;
    }
};

// The next time when a walk changes its state, which may be known when it begins.
struct NextChange {
    int state = -1;
    float time = kNever;

    GRAZE_INLINE bool is_known() const { return state >= 0; }
    GRAZE_INLINE bool is_inside() const { return state == 1; }
    GRAZE_INLINE bool become(bool inside, float at) {
        if (state < 0) {
            state = inside ? 1 : 0;
            return true;
        }
        time = at;
        return false;
    }
};

GRAZE_INLINE LeafPath path_of_leaf(const FieldNode& node, const Vec3& from, const Vec3& to,
                                   float level) {
    const auto to_leaf = [&](const Vec3& point) {
        Vec3 local = point - node.origin;
        if (node.is_rotated) local = rotate(node.leaf_from_field, local);
        return local * node.inverse_scale;
    };
    const float orientation = node.scale < 0 ? -1.0f : 1.0f;
    return {to_leaf(from), to_leaf(to), level * node.inverse_scale * orientation, orientation};
}

GRAZE_INLINE const LeafPlane* planes_of(const FieldView& field, const FieldNode& node) {
    return field.planes ? field.planes[node.index].planes : nullptr;
}

// Reports all changes of a leaf from a time on.
template <SegmentWalk kWalk, CellRule kRule, class Changes>
GRAZE_INLINE bool walk_leaf(const FieldView& field, const FieldNode& node, const Vec3& from,
                            const Vec3& to, float level, const WalkSettings& settings, float begin,
                            Changes& changes) {
    const LeafPath path = path_of_leaf(node, from, to, level);
    if (node.kind != FieldKind::sampled) return walk_formula(field, node, path, begin, changes);
    const SampledFieldView& samples = field.sampled[node.index];
    const FieldLevel field_level = make_field_level(samples, path.level, path.orientation,
                                                    settings.steepness, planes_of(field, node));
    if (samples.order == FieldOrder::zero) {
        return SampleWalk<kWalk, kRule, FieldOrder::zero>{samples, path.from, path.to, field_level}
            .run(begin, changes);
    }
    return SampleWalk<kWalk, kRule, FieldOrder::one>{samples, path.from, path.to, field_level}.run(
        begin, changes);
}

// The states of all leaves, and the time of each one's next change.
// All walks find the same, so one is enough here.
template <CellRule kRule>
struct LeafStates {
    const FieldView& field;
    const Vec3& from;
    const Vec3& to;
    float level;
    WalkSettings settings;
    std::uint64_t inside = 0;  // by leaf
    float next[kMaxWalkedLeaves];

    GRAZE_HD void advance(int leaf, const FieldNode& node, float time, bool is_first) {
        NextChange change;
        if (!is_first) change.state = static_cast<int>(inside >> leaf & 1);
        walk_leaf<SegmentWalk::tree, kRule>(field, node, from, to, level, settings, time, change);
        if (is_first && change.state == 1) inside |= std::uint64_t{1} << leaf;
        next[leaf] = change.time;
    }
    // Goes to a time: the leaves that change then do so.
    GRAZE_HD void go_to(float time) {
        int leaf = 0;
        for (std::int32_t i = 0; i < field.node_count; ++i) {
            if (is_operation(field.nodes[i].kind)) continue;
            // Rounding may make a leaf change twice at one time, and no more.
            for (int repeat = 0; repeat < 4 && next[leaf] <= time; ++repeat) {
                inside ^= std::uint64_t{1} << leaf;
                advance(leaf, field.nodes[i], time, false);
            }
            if (next[leaf] <= time) next[leaf] = kNever;
            ++leaf;
        }
    }
    GRAZE_HD float start() {
        int leaf = 0;
        for (std::int32_t i = 0; i < field.node_count; ++i) {
            if (!is_operation(field.nodes[i].kind)) advance(leaf++, field.nodes[i], 0, true);
        }
        return next_time();
    }
    GRAZE_HD float next_time() const {
        float time = kNever;
        int leaf = 0;
        for (std::int32_t i = 0; i < field.node_count; ++i) {
            if (!is_operation(field.nodes[i].kind)) time = min_of(time, next[leaf++]);
        }
        return time;
    }
    // The state of the whole, by the program on a stack of bits.
    GRAZE_HD bool is_inside() const {
        std::uint64_t stack = 0;
        int leaf = 0;
        for (std::int32_t i = 0; i < field.node_count; ++i) {
            const FieldKind kind = field.nodes[i].kind;
            if (is_operation(kind)) {
                const std::uint64_t top = stack & 1, other = stack >> 1 & 1;
                stack = (stack >> 2) << 1 | (kind == FieldKind::unite ? top | other : top & other);
            } else {
                stack = stack << 1 | (inside >> leaf++ & 1);
            }
        }
        return (stack & 1) != 0;
    }
};

GRAZE_INLINE int count_leaves(const FieldView& field) {
    return (field.node_count + 1) / 2;  // every operation joins two
}

template <CellRule kRule, class Changes>
GRAZE_NOINLINE void walk_combination(const FieldView& field, const Vec3& from, const Vec3& to,
                                     float level, const WalkSettings& settings, Changes& changes) {
    if (count_leaves(field) > kMaxWalkedLeaves) {
        const Vec3 path = to - from;
        const auto value_at = [&](float t) {
            return evaluate(field, from + path * t).distance - level;
        };
        walk_by_steps(value_at, 2 * length(path), 0, changes);
        return;
    }
    LeafStates<kRule> states{field, from, to, level, settings, 0, {}};
    float time = states.start();
    if (!changes.become(states.is_inside(), 0)) return;
    for (; time <= 1; time = states.next_time()) {
        states.go_to(time);
        const bool inside = states.is_inside();
        if (inside != changes.is_inside() && !changes.become(inside, time)) return;
    }
}

template <SegmentWalk kWalk, CellRule kRule, class Changes>
GRAZE_INLINE void walk_field(const FieldView& field, const Vec3& from, const Vec3& to, float level,
                             const WalkSettings& settings, Changes& changes) {
    if (field.node_count == 1) {
        walk_leaf<kWalk, kRule>(field, field.nodes[0], from, to, level, settings, 0, changes);
    } else {
        walk_combination<kRule>(field, from, to, level, settings, changes);
    }
}

GRAZE_INLINE float first_possible_of_leaf(const FieldView& field, const FieldNode& node,
                                          const Vec3& from, const Vec3& to, float level) {
    LeafPath path = path_of_leaf(node, from, to, level);
    if (node.kind == FieldKind::sampled) {
        const SampledFieldView& samples = field.sampled[node.index];
        return first_possible(samples, path.from, path.to,
                              make_field_level(samples, path.level, path.orientation, 0, nullptr));
    }
    // At a level that is farther by the least step, not even a grazing path is missed.
    path.level += path.orientation * 2 * kLeastStep * distance(path.from, path.to);
    FirstInside first;
    walk_formula(field, node, path, 0, first);
    return first.time;
}

}  // namespace level_times_detail

// Visits the intervals in which the value is at most `level`, in their order: visit(begin, end)
// returns false to stop. Walks and rules are those of SegmentOptions.
template <SegmentWalk kWalk = SegmentWalk::tree, CellRule kRule = CellRule::exact, class Visit>
GRAZE_HD void visit_times_inside(const FieldView& field, const Vec3& from, const Vec3& to,
                                 float level, Visit& visit, const WalkSettings& settings = {}) {
    level_times_detail::VisitIntervals<Visit&> intervals{visit};
    level_times_detail::walk_field<kWalk, kRule>(field, from, to, level, settings, intervals);
    // A walk that was stopped has no interval open: it stops where one ends.
    if (intervals.is_inside()) visit(intervals.begin, 1.0f);
}

// The first time when the value is at most `level`; kNever where there is none.
template <SegmentWalk kWalk = SegmentWalk::tree, CellRule kRule = CellRule::exact>
GRAZE_HD inline float first_time_inside(const FieldView& field, const Vec3& from, const Vec3& to,
                                        float level, const WalkSettings& settings = {}) {
    level_times_detail::FirstInside first;
    level_times_detail::walk_field<kWalk, kRule>(field, from, to, level, settings, first);
    return first.time;
}

// A lower bound of the first time when what evaluate() gives is at most `level`, the bounds that it
// gives beyond the band and outside the grid included; kNever where it certainly never is. It is
// what a search leaves things out by, and need not be sharp.
GRAZE_HD inline float first_time_possible(const FieldView& field, const Vec3& from, const Vec3& to,
                                          float level) {
    // A union is inside when its first part is; an intersection not before both are.
    float top = kNever;
    float waiting[kFieldMaxDepth - 1];
    int waiting_count = 0;
    for (std::int32_t i = 0; i < field.node_count; ++i) {
        const FieldNode& node = field.nodes[i];
        if (is_operation(node.kind)) {
            const float other = waiting[--waiting_count];
            top = node.kind == FieldKind::unite ? min_of(top, other) : max_of(top, other);
        } else {
            if (i > 0) waiting[waiting_count++] = top;
            top = level_times_detail::first_possible_of_leaf(field, node, from, to, level);
        }
    }
    return top;
}

}  // namespace graze

// Along a straight path, every time when a formula passes a level: planes and spheres by their
// equations, all others by steps.
//
// Formulas are distances, or bounds of them that change by no more than the path is long. So a path
// is clear for as long as the value is away from the level; near it steps are 2^-14 of the path,
// and a path that is inside for less than that may be missed where it only grazes the level.
#pragma once

#include "field/field_view.h"
#include "field/segments/grid_line.h"

namespace graze {

// The least step, a fraction of the path.
constexpr float kLeastStep = 0x1p-14f;

// A path in a leaf's frame, and the level that it is compared with.
struct LeafPath {
    Vec3 from, to;
    float level;        // [m] in the leaf's frame
    float orientation;  // 1: inside is not above the level; -1: not below
};

namespace formula_detail {

template <class Changes>
GRAZE_INLINE bool become(Changes& changes, bool inside, float time) {
    if (changes.is_known() && changes.is_inside() == inside) return true;
    return changes.become(inside, time);
}

template <class Changes>
GRAZE_INLINE bool walk_plane(const FieldNode& node, const LeafPath& path, float begin,
                             Changes& changes) {
    const Vec3 normal{node.size[0], node.size[1], node.size[2]};
    const float at_0 = (dot(normal, path.from) - node.size[3] - path.level) * path.orientation;
    const float at_1 = (dot(normal, path.to) - node.size[3] - path.level) * path.orientation;
    const float crossing = (at_0 <= 0) == (at_1 <= 0) ? kNever : at_0 / (at_0 - at_1);
    if (begin < crossing && !become(changes, at_0 <= 0, begin)) return false;
    if (begin >= crossing) return become(changes, at_1 <= 0, begin);
    return crossing < 1 ? become(changes, at_1 <= 0, crossing) : true;
}

// |from + t path|^2 <= (radius + level)^2. In double, as squares of far paths cancel.
template <class Changes>
GRAZE_INLINE bool walk_sphere(const FieldNode& node, const LeafPath& path, float begin,
                              Changes& changes) {
    const double radius = static_cast<double>(node.size[0]) + static_cast<double>(path.level);
    const auto from = static_cast<Vec3d>(path.from);
    const Vec3d way = static_cast<Vec3d>(path.to) - from;
    const bool inner = path.orientation > 0;  // whether the ball is what is inside
    const double a = dot(way, way);
    // The time of the closest approach, and half of the chord's time from there.
    const double centre = a > 0 ? -dot(from, way) / a : 0.0;
    const Vec3d closest = from + way * centre;
    const double rest = radius * radius - dot(closest, closest);
    if (radius < 0 || rest < 0) return become(changes, !inner, begin);
    const double half = a > 0 ? std::sqrt(rest / a) : static_cast<double>(kNever);
    const auto enters = static_cast<float>(centre - half),
               leaves = static_cast<float>(centre + half);
    if (begin < enters) {
        if (!become(changes, !inner, begin)) return false;
        if (enters > 1) return true;
        if (!become(changes, inner, enters)) return false;
    } else if (begin < leaves && !become(changes, inner, begin)) {
        return false;
    }
    if (leaves >= 1) return true;
    return become(changes, !inner, max_of(leaves, begin));
}

}  // namespace formula_detail

// Walks a function of time that changes by at most `steepness` a unit of time.
template <class ValueAt, class Changes>
GRAZE_HD bool walk_by_steps(const ValueAt& value_at, float steepness, float begin,
                            Changes& changes) {
    float time = begin, value = value_at(begin);
    if (!formula_detail::become(changes, value <= 0, begin)) return false;
    const float inverse = steepness > 0 ? (1 - 0x1p-12f) / steepness : kNever;
    while (time < 1) {
        const float next = min_of(time + max_of(std::fabs(value) * inverse, kLeastStep), 1.0f);
        const float next_value = value_at(next);
        if ((next_value <= 0) != changes.is_inside()) {
            float low = time, high = next;
            for (int i = 0; i < 24; ++i) {
                const float middle = 0.5f * (low + high);
                if (!(middle > low && middle < high)) break;
                ((value_at(middle) <= 0) == changes.is_inside() ? low : high) = middle;
            }
            if (!changes.become(next_value <= 0, high)) return false;
        }
        time = next;
        value = next_value;
    }
    return true;
}

// Reports all changes of a leaf that has no samples from a time on. Returns false where `changes`
// stopped it.
template <class Changes>
GRAZE_NOINLINE bool walk_formula(const FieldView& field, const FieldNode& node,
                                 const LeafPath& path, float begin, Changes& changes) {
    if (node.kind == FieldKind::plane)
        return formula_detail::walk_plane(node, path, begin, changes);
    if (node.kind == FieldKind::sphere)
        return formula_detail::walk_sphere(node, path, begin, changes);
    const Vec3 way = path.to - path.from;
    const auto value_at = [&](float time) {
        return (detail::evaluate_shape(field, node, path.from + way * time).distance - path.level) *
               path.orientation;
    };
    return walk_by_steps(value_at, length(way), begin, changes);
}

}  // namespace graze

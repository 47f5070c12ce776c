// When spheres and points of a side first come within its level; swept_side.h has the proofs.
#pragma once

#include "field/segments/level_times.h"
#include "narrow_phase/sweep/swept_side.h"

namespace graze {

// Where a point of the body is on the path that is searched.
struct SweptPath {
    const AffineMap* maps;
    int span_count;
    Vec3 point;

    GRAZE_INLINE SweptPath(const SweptSide& side, const Vec3& point_of_body)
        : maps(side.maps), span_count(side.span_count), point(point_of_body) {}

    // The span that a time is in; the last one at the end of the step.
    GRAZE_INLINE int span_of(float t) const {
        const int span = static_cast<int>(t * static_cast<float>(span_count));
        return span < span_count ? span : span_count - 1;
    }
    // [m] In the field's frame, where span k begins.
    GRAZE_INLINE Vec3 corner(int k) const { return maps[k](point); }
    // A time within a span as a fraction of it; the number of spans is a power of 2, so that this
    // is exact but for the difference.
    GRAZE_INLINE float fraction(int span, float t) const {
        return t * static_cast<float>(span_count) - static_cast<float>(span);
    }
    GRAZE_INLINE float time(int span, float fraction) const {
        return (static_cast<float>(span) + fraction) / static_cast<float>(span_count);
    }
    GRAZE_INLINE Vec3 at(float t) const {
        const int span = span_of(t);
        const Vec3 from = corner(span), to = corner(span + 1);
        return from + (to - from) * fraction(span, t);
    }
};

namespace first_times_detail {

// Steps of a search along a path get short near the limit. What comes as near as this fraction of
// it counts as not ruled out, and so does what so many steps do not decide. (Without the fraction
// half of the spheres that were not ruled out took every step there was, too short in the end to
// change a float.)
constexpr float kNear = 0.25f;
constexpr int kMaxSteps = 32;

// [m] How far f falls below a value in the whole step, at most.
GRAZE_INLINE float fall_per_step(const SweptSide& side, const SweptPath& path) {
    if (path.span_count == 1)
        return length(path.corner(1) - path.corner(0)) * (side.steepness * (1 + 0x1p-18f));
    return side.motion.speed.at(length(path.point)) * side.steepness;
}

// By how much the value at a point is above what it must be for something within radius of it to
// be inside.
GRAZE_INLINE float room_above(const SweptSide& side, const Vec3& point, float limit) {
    return evaluate(side.field, point).distance * (1 - 2 * kFieldRelativeError) - limit;
}

}  // namespace first_times_detail

// A lower bound of the time when something in a sphere of the body is first inside, no earlier than
// begin; kNever where nothing is. Before begin nothing is inside.
GRAZE_HD inline float first_time_of_sphere(const SweptSide& side, const Vec3& centre, float radius,
                                           float begin) {
    namespace detail = first_times_detail;
    const SweptPath path(side, centre);
    const float limit = side.level + side.slack + radius * side.motion.scale * side.steepness;
    const float fall = detail::fall_per_step(side, path);
    float t = begin;
    for (int step = 0; step < detail::kMaxSteps; ++step) {
        const float above = detail::room_above(side, path.at(t), limit);
        if (!(above > limit * detail::kNear)) {
            return !(above > 0) || above <= fall * (1 - t) ? t : kNever;
        }
        // What is left is compared with the whole way, so that no small step is lost to rounding.
        if (above > fall * (1 - t)) return kNever;
        t += above / fall * (1 - 0x1p-20f);
        if (t > 1) return 1;
    }
    return t;
}

// The path of a point of a side that moves in one span, from a time on, below 1.
GRAZE_INLINE Segment path_of_point(const SweptSide& side, const Vec3& point, float begin) {
    const Vec3 from = side.maps[0](point), to = side.maps[1](point);
    return {from + (to - from) * begin, to};
}
// The time of the step, from the time along such a path.
GRAZE_INLINE float time_of_path(float begin, float time) {
    return time <= 1 ? min_of(begin + (1 - begin) * time, 1.0f) : kNever;
}

// The time when the value at a point of the body is first at most `level`, [m of the field]; kNever
// where it never is. Before begin it is not.
GRAZE_HD inline float first_time_of_point(const SweptSide& side, const Vec3& point, float level,
                                          float begin) {
    namespace detail = first_times_detail;
    const SweptPath path(side, point);
    if (path.span_count == 1) {
        // The search itself leaves out what is far.
        if (!(begin < 1))
            return evaluate(side.field, path.corner(1)).distance <= level ? 1 : kNever;
        const Segment rest = path_of_point(side, point, begin);
        return time_of_path(begin, first_time_inside(side.field, rest.from, rest.to, level));
    }
    const float limit = level + side.slack;
    const float fall = detail::fall_per_step(side, path);
    float t = begin;
    for (;;) {
        const int span = path.span_of(t);
        const Vec3 from = path.corner(span), to = path.corner(span + 1);
        const float fraction = path.fraction(span, t);
        const Vec3 here = from + (to - from) * fraction;
        const float above = detail::room_above(side, here, limit);
        if (above > fall * (1 - t)) return kNever;
        if (above > 0) {
            const float next = t + above / fall * (1 - 0x1p-20f);
            // Steps that do not lead into another span are the search's own.
            if (path.span_of(next) > span) {
                t = next;
                continue;
            }
        }
        const float found = first_time_inside(side.field, here, to, level);
        if (found <= 1) return min_of(path.time(span, fraction + (1 - fraction) * found), 1.0f);
        if (span + 1 == path.span_count) return kNever;
        t = path.time(span + 1, 0);
    }
}

}  // namespace graze

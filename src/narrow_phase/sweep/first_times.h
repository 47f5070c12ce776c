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

// [m of the field] How far a point goes in the whole step, at most.
GRAZE_INLINE float way_per_step(const SweptSide& side, const SweptPath& path) {
    if (path.span_count == 1) return length(path.corner(1) - path.corner(0)) * (1 + 0x1p-18f);
    return side.motion.speed.at(length(path.point));
}

// What rules out that something within radius of a point is at most at a level.
struct FreeWay {
    float way;     // [m of the field] how far the point may go before that; not above 0: nothing
    float radius;  // [m of the field] the value that would be enough, less the level
};

GRAZE_INLINE FreeWay free_way(const SweptSide& side, const Vec3& point, float radius, float level) {
    const float value = evaluate(side.field, point).distance;
    const FieldChange& change = side.change;
    const float enough = side.slack + radius * side.steepness;
    FreeWay free{(value * (1 - 2 * kFieldRelativeError) - level - enough) / side.steepness, enough};
    // The radius around the point in which everything is above the level.
    const float height = (min_of(value, change.reach) - level - change.rest) / change.per_way;
    if (height > change.spread && level < change.band) {
        const float clear =
            std::sqrt(height * height - change.spread * change.spread) * (1 - 0x1p-20f);
        free.way = max_of(free.way, clear - radius);
        free.radius = min_of(free.radius, change.rest + (radius + change.spread) * change.per_way);
    }
    return free;
}

}  // namespace first_times_detail

// A lower bound of the time when something in a sphere of the body is first inside, no earlier than
// begin; kNever where nothing is. Before begin nothing is inside.
GRAZE_HD inline float first_time_of_sphere(const SweptSide& side, const Vec3& centre, float radius,
                                           float begin) {
    namespace detail = first_times_detail;
    const SweptPath path(side, centre);
    const float reach = radius * side.motion.scale;
    const float whole = detail::way_per_step(side, path);
    float t = begin;
    for (int step = 0; step < detail::kMaxSteps; ++step) {
        const detail::FreeWay free = detail::free_way(side, path.at(t), reach, side.level);
        // What is left is compared with the whole way, so that no small step is lost to rounding.
        if (free.way > 0 && free.way > whole * (1 - t)) return kNever;
        if (!(free.way > (side.level + free.radius) * detail::kNear)) return t;
        t += free.way / whole * (1 - 0x1p-20f);
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
    const float whole = detail::way_per_step(side, path);
    float t = begin;
    for (;;) {
        const int span = path.span_of(t);
        const Vec3 from = path.corner(span), to = path.corner(span + 1);
        const float fraction = path.fraction(span, t);
        const Vec3 here = from + (to - from) * fraction;
        const float way = detail::free_way(side, here, 0, level).way;
        if (way > 0) {
            if (way > whole * (1 - t)) return kNever;
            const float next = t + way / whole * (1 - 0x1p-20f);
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

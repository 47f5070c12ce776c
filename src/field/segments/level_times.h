// When a point on a straight path is inside a field: where its value is not above a level.
//
// This is the interface for other algorithms. Times are fractions of the path, from 0 to 1.
#pragma once

#include <limits>

#include "field/field_view.h"

namespace graze {

constexpr float kNever = std::numeric_limits<float>::infinity();

namespace level_times_detail {

// Values change by at most this times the path; samples that are blended are steeper than true
// distances.
constexpr float kSteepness = 2.0f;
constexpr int kMaxDepth = 16;

}  // namespace level_times_detail

// Visits the intervals in which the value is at most `level`, in their order: visit(begin, end)
// returns false to stop.
template <class Visit>
GRAZE_HD void visit_times_inside(const FieldView& field, const Vec3& from, const Vec3& to,
                                 float level, Visit& visit) {
    // Halves of the path are left out where the value in the middle is too far from the level.
    using namespace level_times_detail;
    const Vec3 path = to - from;
    const float path_length = length(path);
    const auto value_at = [&](float t) { return evaluate(field, from + path * t).distance; };
    float begin = value_at(0) <= level ? 0.0f : kNever;
    const int steps = 1 << kMaxDepth;
    for (int i = 0; i < steps;) {
        int width = i == 0 ? steps : (i & -i);
        float t = 0, value = 0;
        for (;; width >>= 1) {
            t = (static_cast<float>(i) + 0.5f * static_cast<float>(width)) / steps;
            value = value_at(t);
            const float reach = path_length * static_cast<float>(width) / steps * 0.5f;
            if (width == 1 || std::fabs(value - level) > kSteepness * reach) break;
        }
        if (value <= level) {
            if (begin == kNever) begin = t;
        } else if (begin != kNever) {
            if (!visit(begin, t)) return;
            begin = kNever;
        }
        i += width;
    }
    if (begin != kNever) visit(begin, 1.0f);
}

namespace level_times_detail {

struct TakeFirst {
    float time = kNever;
    GRAZE_HD bool operator()(float begin, float) {
        time = begin;
        return false;
    }
};

}  // namespace level_times_detail

// The first time when the value is at most `level`; kNever where there is none.
GRAZE_HD inline float first_time_inside(const FieldView& field, const Vec3& from, const Vec3& to,
                                        float level) {
    level_times_detail::TakeFirst first;
    visit_times_inside(field, from, to, level, first);
    return first.time;
}

// A lower bound of the first time when what evaluate() gives is at most `level`, the bounds that it
// gives beyond the band and outside the grid included; kNever where it certainly never is. It is
// what a search leaves things out by, and need not be sharp.
GRAZE_HD inline float first_time_possible(const FieldView& field, const Vec3& from, const Vec3& to,
                                          float level) {
    return first_time_inside(field, from, to, level);
}

}  // namespace graze

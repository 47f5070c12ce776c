// The ways from a point to the surface of one body: straight on until the body is left, and to the
// closest point of the surface.
//
// Both rest on a field that is near the true distance only near the surface. Farther away, beyond a
// grid or a sparse field's band, it may be a lower bound: steps of its length never go past the
// surface, and as they come near they are right.
#pragma once

#include "narrow_phase/particles/body_field.h"

namespace graze {
namespace detail {

// A ball of radius -f around a point inside is inside, so that a walk by such steps passes nothing;
// steps by the slope arrive in one where the surface is flat. Along a surface close by both would
// take forever: after so many certain steps the way doubles with each, and what is thinner than
// that may be passed.
constexpr int kCertainSteps = 12;
constexpr int kLeaveSteps = 48;
constexpr int kReachSteps = 32;
// Slopes below this are of walks along the surface: they say little of how far it is.
constexpr float kLeastSlope = 0.25f;

// The way that is left to the surface along a direction, to first order.
GRAZE_INLINE float way_left(float distance, float slope) {
    return slope > kLeastSlope ? -distance / slope : 0.0f;
}

}  // namespace detail

// Finds how far it is from a point inside a body, or on its surface, to where the direction, of
// length 1, first leads out. value is the field at the point, and nearest [m] how near to the
// surface is on it. False where that takes too many steps, as for a way along an endless surface.
template <class ValueAt>
GRAZE_HD bool leave_body(const ValueAt& value_at, FieldValue value, const Vec3& point,
                         const Vec3& direction, float nearest, float& way) {
    float inside = 0, depth = 0;     // the last point known to be inside, and how deep it is there
    float outside = -1, height = 0;  // the first one known to be outside; below 0: none yet
    bool is_plain = false;           // the last step was no longer than the depth
    float t = 0;
    for (int step = 0; step < detail::kLeaveSteps; ++step) {
        const float slope = dot(value.gradient, direction);
        const bool leads_out = slope > 0 || t > 0;
        if (leads_out && std::fabs(value.distance) <= nearest) {
            way = t + detail::way_left(value.distance, slope);
            return true;
        }
        if (leads_out && value.distance > 0) {
            outside = t;
            height = value.distance;
        } else {
            const float here = max_of(-value.distance, 0.0f);
            // Both balls must cover the step, or it may have gone past a gap.
            if (outside < 0 && !is_plain && t - inside > depth + here) {
                t = inside + depth;
                is_plain = true;
                value = value_at(point + direction * t);
                continue;
            }
            inside = t;
            depth = here;
        }
        if (outside >= 0) {
            // Every other step halves, so that neither end stays.
            const float secant = clamp(depth / (depth + height), 0.05f, 0.95f);
            const float fraction = step % 2 == 0 ? secant : 0.5f;
            t = inside + (outside - inside) * fraction;
            // Rounding has no point between them.
            if (!(t > inside && t < outside)) {
                way = t;
                return true;
            }
        } else {
            const bool is_certain = step < detail::kCertainSteps;
            const float by_slope = slope > detail::kLeastSlope ? depth / slope : depth;
            is_plain = !is_certain || !(by_slope > depth);
            t = inside + max_of(max_of(by_slope, 2 * nearest), is_certain ? 0.0f : inside);
        }
        value = value_at(point + direction * t);
    }
    return false;
}

// Moves a point onto the surface, to the one closest to it or nearly so. value is the field at the
// point, and afterwards where the point was before the last small step. False where it does not
// arrive.
template <class ValueAt>
GRAZE_HD bool reach_surface(const ValueAt& value_at, float nearest, FieldValue& value,
                            Vec3& point) {
    for (int step = 0;; ++step) {
        const bool arrives = std::fabs(value.distance) <= nearest;
        point -= value.gradient * value.distance;
        if (arrives) return true;
        if (step == detail::kReachSteps) return false;
        value = value_at(point);
    }
}

}  // namespace graze

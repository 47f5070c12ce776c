// The comparisons of patch_contours.h for eight lines at a time, with the same answers. Host only.
#pragma once

#include "narrow_phase/features/moving_bounds_lanes.h"
#include "narrow_phase/features/patch_contours.h"

namespace graze {

struct SightInLanes {
    GRAZE_INLINE static bool are_apart(const ContourBounds& a, const ContourBounds& b) {
        return any_of((above(a, b, 0) & above(a, b, 1)) | (above(b, a, 0) & above(b, a, 1)));
    }
    GRAZE_INLINE static bool share_only_corner(const ContourBounds& a, const ContourBounds& b,
                                               const ContourBounds& c) {
        return any_of((above(b, a, 0) & above(c, b, 0) & above(b, a, 1) & above(c, b, 1)) |
                      (above(a, b, 0) & above(b, c, 0) & above(a, b, 1) & above(b, c, 1)));
    }
    GRAZE_INLINE static ContourBounds join(const ContourBounds& a, const ContourBounds& b) {
        ContourBounds joined;
        for (int time = 0; time < 2; ++time) {
            store(min_of(lanes::load(a.min[time]), lanes::load(b.min[time])), joined.min[time]);
            store(max_of(lanes::load(a.max[time]), lanes::load(b.max[time])), joined.max[time]);
        }
        return joined;
    }

private:
    GRAZE_INLINE static Mask8 above(const ContourBounds& a, const ContourBounds& b, int time) {
        return lanes::load(a.min[time]) > lanes::load(b.max[time]);
    }
    GRAZE_INLINE static void store(Float8 value, float (&target)[kDirectionsPerHalf]) {
        *reinterpret_cast<Float8*>(target) = value;
    }
};

}  // namespace graze

// SampleSign: on which side of the mesh a sample is.
#pragma once

#include "field/build/row_crossings.h"
#include "geometry/bvh/winding_number.h"
#include "graze/build_field.h"

namespace graze {

struct Side {
    bool is_inside;
    bool is_doubtful;  // whether the winding number is nowhere near a whole number
};

struct SampleSign {
    FieldSign method;
    // The rows along x for crossings, along all three axes for winding.
    RowCrossingsView rows[3];
    // These two are for winding only.
    TriangleBvhView bvh;
    const WindingMoment* moments;

    // Returns the same for a grid that has every 2^shift-th sample along each axis: as they have
    // the very same positions, they need no tables of their own.
    SampleSign coarser(int shift) const {
        SampleSign result = *this;
        for (RowCrossingsView& view : result.rows)
            view.shift = shift;
        return result;
    }

    GRAZE_HD Side side(const Vec3i& sample, const Vec3& point) const {
        const std::int32_t at[3] = {sample.x, sample.y, sample.z};
        if (method == FieldSign::shell) return {false, false};
        if (method == FieldSign::crossings) return {rows[0].winding(at).forward > 0, false};
        // A sample that all six directions see inside, or outside, is; where some of them pass
        // through a hole they disagree, and the generalised winding number decides.
        const RowWinding x = rows[0].winding(at), y = rows[1].winding(at), z = rows[2].winding(at);
        const int vote = x.forward;
        if ((vote == 0 || vote == 1) && x.backward == vote && y.forward == vote &&
            y.backward == vote && z.forward == vote && z.backward == vote) {
            return {vote == 1, false};
        }
        return side_by_winding(point);
    }

    // This is seldom called and large, and apart so that it does not slow down the rest.
    GRAZE_NOINLINE Side side_by_winding(const Vec3& point) const {
        const double winding = winding_number(bvh, moments, point);
        const double off = winding - std::floor(winding + 0.5);
        return {winding > 0.5, off > 0.25 || off < -0.25};
    }
};

}  // namespace graze

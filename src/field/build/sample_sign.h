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
    // The crossings of rows along x with the mesh; for winding, with the mesh and its caps, which
    // have a whole winding number together (cap_holes.h).
    RowCrossingsView rows;
    // These are for winding only: the mesh, and its caps, of which there are none where the mesh is
    // closed.
    TriangleBvhView bvh;
    const WindingMoment* moments;
    TriangleBvhView caps;
    const WindingMoment* cap_moments;

    // Returns the same for a grid that has every 2^shift-th sample along each axis: as they have
    // the very same positions, they need no tables of their own.
    SampleSign coarser(int shift) const {
        SampleSign result = *this;
        result.rows.shift = shift;
        return result;
    }

    GRAZE_HD Side side(const Vec3i& sample, const Vec3& point) const {
        const std::int32_t at[3] = {sample.x, sample.y, sample.z};
        if (method == FieldSign::shell) return {false, false};
        const int whole = rows.winding(at).forward;
        return has_caps() ? side_by_winding(point, whole) : Side{whole > 0, false};
    }

    // The generalised winding number is the exact one of mesh and caps, less what the caps add to
    // it. A sample on a cap, where both jump, takes it from the mesh. This is apart so that it does
    // not slow down the rest.
    GRAZE_NOINLINE Side side_by_winding(const Vec3& point, int whole) const {
        WindingBesideTriangle of_cap{point};
        const double of_caps = sum_winding(caps, cap_moments, point, kWindingAccuracy, of_cap);
        return side_beside_caps(point, whole, of_caps, of_cap.is_on);
    }
    GRAZE_HD bool has_caps() const {
        return method != FieldSign::shell && method != FieldSign::crossings &&
               caps.tree.primitive_count > 0;
    }
    // of_caps: the winding number of the caps; is_on: whether the point is on one.
    GRAZE_HD Side side_beside_caps(const Vec3& point, int whole, double of_caps, bool is_on) const {
        const double winding = is_on ? winding_number(bvh, moments, point) : whole - of_caps;
        const double off = winding - std::floor(winding + 0.5);
        return {winding > 0.5, off > 0.25 || off < -0.25};
    }
};

}  // namespace graze

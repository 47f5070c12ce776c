// The winding numbers of the triangles of a tree around eight points at once, on the host, with the
// bits that sum_winding gives for each. Points of a packet are near each other, so that they mostly
// need the same triangles, of which each is then read once and seen by four points at a time.
#pragma once

#include <cmath>

#include "core/lane_target.h"
#include "core/lanes.h"
#include "geometry/bvh/winding_number.h"

GRAZE_LANES_BEGIN
namespace graze {
namespace detail {
inline namespace GRAZE_LANES {

using Double4 = double __attribute__((vector_size(32)));
using Mask4 = std::int64_t __attribute__((vector_size(32)));

struct WindingLanes {
    double sum[kLaneCount] = {};
    std::uint32_t on = 0;  // bit i: point i is on a triangle, as is_on_triangle says
};

GRAZE_INLINE Double4 sqrt_of_four(Double4 a) {
#if defined(__AVX2__)
    return _mm256_sqrt_pd(a);
#else
    for (int lane = 0; lane < 4; ++lane)
        a[lane] = __builtin_sqrt(a[lane]);
    return a;
#endif
}

// Four points, and where they are among the eight.
struct FourPoints {
    double x[4], y[4], z[4];
    int first;

    GRAZE_INLINE static FourPoints of(const Vec3T<Float8>& points, int first) {
        FourPoints four;
        for (int i = 0; i < 4; ++i) {
            four.x[i] = double{points.x[first + i]};
            four.y[i] = double{points.y[first + i]};
            four.z[i] = double{points.z[first + i]};
        }
        four.first = first;
        return four;
    }
    // From the points to a corner.
    GRAZE_INLINE Vec3T<Double4> from(const Vec3& corner) const {
        Double4 px, py, pz;
        __builtin_memcpy(&px, x, sizeof px);
        __builtin_memcpy(&py, y, sizeof py);
        __builtin_memcpy(&pz, z, sizeof pz);
        return {double{corner.x} - px, double{corner.y} - py, double{corner.z} - pz};
    }
};

// What winding_of_triangle and is_on_triangle say, of those of the four points that are in the
// mask.
GRAZE_INLINE void add_triangle(const FourPoints& points, std::uint32_t mask, const BvhTriangle& t,
                               WindingLanes& windings) {
    const Vec3T<Double4> u = points.from(t.a), v = points.from(t.b), w = points.from(t.c);
    const Double4 lu = sqrt_of_four(length_sq(u)), lv = sqrt_of_four(length_sq(v)),
                  lw = sqrt_of_four(length_sq(w));
    const Double4 numerator = dot(u, cross(v, w));
    const Double4 lengths = lu * lv * lw;
    const Double4 denominator = lengths + dot(u, v) * lw + dot(v, w) * lu + dot(w, u) * lv;
    const Double4 unsure = lengths * 0x1p-40;
    const Double4 height = numerator < 0 ? -numerator : numerator;
    const Mask4 is_on = (height <= unsure) & (denominator <= unsure);
    const Mask4 is_small = height <= denominator * kSmallAngle;
    const Double4 angle = small_angle(numerator, denominator);
    for (int i = 0; i < 4; ++i) {
        const int lane = points.first + i;
        if ((mask >> lane & 1) == 0) continue;
        windings.on |= is_on[i] != 0 ? 1u << lane : 0u;
        windings.sum[lane] += numerator[i] == 0 ? 0.0
                              : is_small[i] != 0
                                  ? angle[i] / kWindingTurn
                                  : std::atan2(numerator[i], denominator[i]) / kWindingTurn;
    }
}

// Four of eight floats as doubles.
GRAZE_INLINE Double4 widened(const Float8& values, int first) {
    return Double4{double{values[first]}, double{values[first + 1]}, double{values[first + 2]},
                   double{values[first + 3]}};
}

// What winding_of_moment says, of those of the four points from first on that are in the mask.
GRAZE_INLINE void add_moment(const WindingMoment& moment, const Vec3T<Float8>& offset, int first,
                             std::uint32_t mask, WindingLanes& windings) {
    const Vec3T<Double4> r{widened(offset.x, first), widened(offset.y, first),
                           widened(offset.z, first)};
    const Double4 winding = winding_of_moment(moment, r, sqrt_of_four(length_sq(r)));
    for (int i = 0; i < 4; ++i) {
        if ((mask >> (first + i) & 1) != 0) windings.sum[first + i] += winding[i];
    }
}

// The sums around the points whose bits are set, as sum_winding makes them with
// WindingBesideTriangle.
inline WindingLanes sum_winding_by_lanes(const TriangleBvhView& bvh, const WindingMoment* moments,
                                         const Vec3T<Float8>& points, std::uint32_t wanted,
                                         float accuracy) {
    struct Waiting {
        std::int32_t node;
        std::uint32_t mask;
    };
    WindingLanes windings;
    if (bvh.tree.primitive_count == 0) return windings;
    const FourPoints fours[2] = {FourPoints::of(points, 0), FourPoints::of(points, 4)};
    Waiting stack[kBvhMaxDepth + 1];
    int top = 0;
    stack[top++] = {0, wanted};
    while (top > 0) {
        const Waiting at = stack[--top];
        const BvhNode& node = bvh.tree.nodes[at.node];
        const int side_count = node.count == 1 ? 1 : 2;
        for (int side = 0; side < side_count; ++side) {
            const WindingMoment& moment = moments[2 * at.node + side];
            const Vec3T<Float8> offset{moment.centre.x - points.x, moment.centre.y - points.y,
                                       moment.centre.z - points.z};
            const float near = moment.reach * accuracy;
            const std::uint32_t far =
                mask_of(length_sq(offset) > spread<Float8>(near * near)) & at.mask;
            if ((far & 0x0fu) != 0) add_moment(moment, offset, 0, far, windings);
            if ((far & 0xf0u) != 0) add_moment(moment, offset, 4, far, windings);
            const std::uint32_t near_ones = at.mask & ~far;
            if (near_ones == 0) continue;
            if (node.child[side] >= 0) {
                stack[top++] = {node.child[side], near_ones};
                continue;
            }
            const BvhTriangle triangle = load_triangle(bvh.triangles + ~node.child[side]);
            if ((near_ones & 0x0fu) != 0) add_triangle(fours[0], near_ones, triangle, windings);
            if ((near_ones & 0xf0u) != 0) add_triangle(fours[1], near_ones, triangle, windings);
        }
    }
    return windings;
}

}  // namespace GRAZE_LANES
}  // namespace detail
}  // namespace graze
GRAZE_LANES_END

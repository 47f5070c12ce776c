// may_meet.h for eight pairs at once, in float. Host only.
#pragma once

#include "core/lanes.h"
#include "narrow_phase/may_meet.h"

namespace graze {

namespace detail {

template <>
GRAZE_INLINE Float8 root_of(Float8 value) {
    return sqrt_of(value);
}

// Bit i is set where gap is certainly above zero in lane i; clear where it is no number.
GRAZE_INLINE std::uint32_t lanes_apart(Float8 gap) {
    return mask_less_equal(spread<Float8>(0x1p-126f), gap);
}

template <FeaturePair kPair>
GRAZE_INLINE std::uint32_t may_meet_lanes(const Vec3T<Float8> (&p0)[4],
                                          const Vec3T<Float8> (&p1)[4], float min_separation,
                                          float coordinate_error) {
    constexpr std::uint32_t kAll = 0xff;
    const NonContactTests<kPair, Float8> tests(relative_motion<kPair, Float8>(p0, p1),
                                               spread<Float8>(min_separation), min_separation > 0,
                                               spread<Float8>(coordinate_error));
    std::uint32_t apart = lanes_apart(tests.axes_gap());
    if (apart == kAll) return 0;
    Vec3T<Float8> normals[3];
    tests.normals(normals);
    apart |= lanes_apart(tests.plane_gap(normals));
    return kAll & ~apart;
}

}  // namespace detail

// Bit i is set where pair i may come within min_separation [m] during the step; as in may_meet.h.
inline std::uint32_t may_meet_vertex_face(const Vec3T<Float8> (&p0)[4],
                                          const Vec3T<Float8> (&p1)[4], float min_separation,
                                          float coordinate_error = 0) {
    return detail::may_meet_lanes<FeaturePair::vertex_face>(p0, p1, min_separation,
                                                            coordinate_error);
}
inline std::uint32_t may_meet_edge_edge(const Vec3T<Float8> (&p0)[4], const Vec3T<Float8> (&p1)[4],
                                        float min_separation, float coordinate_error = 0) {
    return detail::may_meet_lanes<FeaturePair::edge_edge>(p0, p1, min_separation, coordinate_error);
}

}  // namespace graze

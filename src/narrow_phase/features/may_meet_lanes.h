// The filter of may_meet.h for eight pairs at once, in float. Host only.
#pragma once

#include "core/lanes.h"
#include "narrow_phase/features/may_meet.h"

namespace graze {

namespace detail {

template <>
GRAZE_INLINE Float8 root_of(Float8 value) {
    return sqrt_of(value);
}

// Bit i is set where gap is certainly above zero in lane i; it is clear for a NaN.
GRAZE_INLINE std::uint32_t lanes_apart(Float8 gap) {
    return mask_less_equal(spread<Float8>(Precision<Float8>::kSmallest), gap);
}

}  // namespace detail

// The filter in two stages. The first costs a third of the whole and leaves one pair in five. It
// pays to gather eight of these anew for the second rather than to run that for a lane or two.
template <FeaturePair kPair>
class MayMeetLanes {
public:
    GRAZE_INLINE MayMeetLanes(const Vec3T<Float8> (&p0)[4], const Vec3T<Float8> (&p1)[4],
                              float min_separation, float coordinate_error = 0)
        : tests_(relative_motion<kPair, Float8>(p0, p1), spread<Float8>(min_separation),
                 min_separation > 0, spread<Float8>(coordinate_error)) {}

    // Bit i is set where pair i is not ruled out.
    GRAZE_INLINE std::uint32_t first() const {
        return kAll & ~detail::lanes_apart(tests_.first_gap());
    }
    GRAZE_INLINE std::uint32_t second() const {
        Vec3T<Float8> normals[3];
        tests_.normals(normals);
        return kAll & ~(detail::lanes_apart(tests_.normals_gap(normals)) |
                        detail::lanes_apart(tests_.edges_gap(normals)));
    }
    GRAZE_INLINE std::uint32_t both() const {
        const std::uint32_t left = first();
        return left == 0 ? 0 : left & second();
    }

private:
    static constexpr std::uint32_t kAll = 0xff;

    NonContactTests<kPair, Float8> tests_;
};

// Bit i is set where pair i may come within min_separation [m] during the step; the points and
// limits are as in may_meet.h.
inline std::uint32_t may_meet_vertex_face(const Vec3T<Float8> (&p0)[4],
                                          const Vec3T<Float8> (&p1)[4], float min_separation,
                                          float coordinate_error = 0) {
    return MayMeetLanes<FeaturePair::vertex_face>(p0, p1, min_separation, coordinate_error).both();
}
inline std::uint32_t may_meet_edge_edge(const Vec3T<Float8> (&p0)[4], const Vec3T<Float8> (&p1)[4],
                                        float min_separation, float coordinate_error = 0) {
    return MayMeetLanes<FeaturePair::edge_edge>(p0, p1, min_separation, coordinate_error).both();
}

}  // namespace graze

// NearestTriangle: the closest triangle of one point, by a tree on either machine. It is the plain
// version, which the packets of the host (packet_search.h) and the warps of the device
// (warp_search.h) are tested against, bit for bit.
#pragma once

#include "geometry/bvh/prepared_triangle.h"
#include "geometry/bvh/triangle_bvh.h"

namespace graze {

// Two machines, or two orders of search, agree on the closest triangle only if none is skipped on
// the grounds of a bound whose rounding differs from the distance's. The distance to a triangle is
// known up to 128 epsilon R (prepared_triangle.h), so bounds are inflated by that for the largest R
// there can be.
GRAZE_INLINE float distance_slack(const Aabb& everything) {
    return length(extent(everything)) * (128 * 0x1p-24f);
}

// Returns (sqrt(sq) + slack)^2, rounded up.
GRAZE_INLINE float inflated_sq(float sq, float slack) {
    const float reach = std::sqrt(sq) + slack;
    return reach * reach * (1 + 0x1p-21f);
}

class NearestTriangle {
public:
    static constexpr bool kVisitsInPassing = false;

    GRAZE_INLINE NearestTriangle(const Vec3& point, const PreparedTriangle* triangles, float slack)
        : point_(point), triangles_(triangles), slack_(slack) {}

    GRAZE_INLINE float enter(const Aabb& box) const { return graze::distance_sq(box, point_); }
    GRAZE_INLINE float limit() const { return limit_; }
    GRAZE_INLINE void visit(std::uint32_t slot) {
        const PreparedTriangle t = load_triangle(triangles_ + slot);
        const float found = distance_sq_any(t, point_);
        if (found < distance_sq_ || (found == distance_sq_ && t.index < index_)) {
            distance_sq_ = found;
            index_ = t.index;
            slot_ = slot;
            limit_ = inflated_sq(found, slack_);
        }
    }

    GRAZE_INLINE float distance_sq() const { return distance_sq_; }
    GRAZE_INLINE std::uint32_t index() const { return index_; }
    GRAZE_INLINE std::uint32_t slot() const { return slot_; }

private:
    Vec3 point_;
    const PreparedTriangle* triangles_;
    float slack_;
    float distance_sq_ = std::numeric_limits<float>::infinity();
    float limit_ = std::numeric_limits<float>::infinity();
    std::uint32_t index_ = kNoTriangle;
    std::uint32_t slot_ = 0;
};

}  // namespace graze

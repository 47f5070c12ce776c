// PointPacket: the closest triangle of many points that are near each other, on the host.
//
// Points come in packets of eight, one a SIMD lane, and packets in blocks. A block lists the
// triangles that can be closest to any of its points, each sub-block those of them that can be
// closest to its own (triangle_list.h); a packet looks at only those. That replaces one search from
// the tree's root for each point. A packet first sorts triangles out for all points together, then
// bounds and at last measures those left for each point. Few are left by then, as it begins with
// triangles that are nearly the closest.
//
// Which triangles are looked at never changes the answer: bounds are inflated by the rounding of
// the distances (slack), and of equally close triangles the lower index wins. So the answer is the
// same as that of nearest_triangle.h on either machine.
#pragma once

#include "core/lane_target.h"
#include "field/build/nearest_triangle.h"
#include "field/build/triangle_list.h"

GRAZE_LANES_BEGIN
namespace graze {
inline namespace GRAZE_LANES {

// Eight points, and the closest triangle of each so far.
struct PointPacket {
    Vec3T<Float8> point;
    Aabb box;  // of the points
    Float8 distance_sq;
    Int8 index;  // the caller's, of the closest triangle
    Int8 slot;
    // Triangles farther than this are of no use to a point.
    Float8 limit_sq;
    PointCloud cloud;
};

}  // namespace GRAZE_LANES

namespace detail {
inline namespace GRAZE_LANES {

// The squared distances between eight boxes and one, more than any limit for an empty one.
GRAZE_INLINE Float8 gap_sq(const AabbT<Float8>& boxes, const Aabb& box) {
    const Vec3T<Float8> low = spread_vector<Float8>(box.min), high = spread_vector<Float8>(box.max);
    const Float8 zero = spread<Float8>(0.0f);
    const Vec3T<Float8> zeros{zero, zero, zero};
    return length_sq(max_of(max_of(boxes.min - high, low - boxes.max), zeros));
}

// A lower bound of the squared distances from a triangle that is a needle or has no area, where
// closest_point_triangle.h takes some fifty times as long. All of a triangle lies beyond the plane
// across any direction w through its first corner along it: no point x of it has a w (p - x) below
// the least w (p - v) of the corners v. The directions are the normal, to both sides, and that from
// the closest point of the edges, which gives the distance itself where the face is not closest.
// They may be off by any rounding, as the bound holds for each; its own rounding is below
// 8 epsilon R.
GRAZE_INLINE Float8 least_sharp_distance_sq(const PreparedTriangle& t, const Vec3T<Float8>& point) {
    const Vec3T<Float8> a = spread_vector<Float8>(t.a), b = spread_vector<Float8>(t.b),
                        c = spread_vector<Float8>(t.c), normal = spread_vector<Float8>(t.normal);
    const Vec3T<Float8> from_a = point - a, from_b = point - b, from_c = point - c;
    const Vec3T<Float8> ab = offset_from_edge(from_a, b - a, spread<Float8>(t.inverse_sq[0]));
    const Vec3T<Float8> bc = offset_from_edge(from_b, c - b, spread<Float8>(t.inverse_sq[1]));
    const Vec3T<Float8> ca = offset_from_edge(from_c, a - c, spread<Float8>(t.inverse_sq[2]));
    Vec3T<Float8> offset = select(length_sq(bc) < length_sq(ab), bc, ab);
    offset = select(length_sq(ca) < length_sq(offset), ca, offset);
    const Float8 along =
        min_of(dot(offset, from_a), min_of(dot(offset, from_b), dot(offset, from_c)));
    const Float8 a_height = dot(normal, from_a), b_height = dot(normal, from_b),
                 c_height = dot(normal, from_c);
    const Float8 above = min_of(a_height, min_of(b_height, c_height));
    const Float8 below = max_of(a_height, max_of(b_height, c_height));
    // What is no number, as where the offset is 0, gives way to the second operand.
    Float8 least = max_of(along / sqrt_of(length_sq(offset)), spread<Float8>(0.0f));
    least = max_of(above, max_of(-below, least));
    return least * least;
}

// Whether a triangle can be closest to one of the points.
GRAZE_INLINE bool may_be_closest(const PreparedTriangle& t, const PointPacket& packet) {
    const Float8 least_sq = t.is_sharp ? least_sharp_distance_sq(t, packet.point)
                                       : least_line_distance_sq(t, packet.point);
    return mask_less_equal(least_sq, packet.limit_sq) != 0;
}

GRAZE_INLINE void set_limit(const PacketSource& source, PointPacket& packet) {
    // The slack counts twice: for the distance, and for its lower bounds.
    const Float8 reach = sqrt_of(packet.distance_sq) + spread<Float8>(2 * source.slack);
    packet.limit_sq = min_of(reach * reach * spread<Float8>(1 + 0x1p-21f), packet.limit_sq);
}

// The squared distances from a triangle that is a needle or has no area, infinite for points that
// it cannot be closest to.
inline Float8 sharp_distance_sq(const PacketSource& source, const PreparedTriangle& t,
                                PointPacket& packet) {
    // Every triangle counts that was taken so far, as each point is worth leaving out.
    set_limit(source, packet);
    Float8 found = spread<Float8>(std::numeric_limits<float>::infinity());
    for (std::uint32_t left =
             mask_less_equal(least_sharp_distance_sq(t, packet.point), packet.limit_sq);
         left != 0; left &= left - 1) {
        const int lane = std::countr_zero(left);
        found[lane] =
            distance_sq_any(t, {packet.point.x[lane], packet.point.y[lane], packet.point.z[lane]});
    }
    return found;
}

// Takes a triangle for the points that it is closest to so far.
GRAZE_INLINE void take(const PacketSource& source, std::uint32_t slot, PointPacket& packet) {
    const PreparedTriangle& t = source.triangles[slot];
    const Float8 found =
        t.is_sharp ? sharp_distance_sq(source, t, packet) : distance_sq(t, packet.point);
    const auto index = static_cast<std::int32_t>(t.index);
    const Int8 better =
        (found < packet.distance_sq) | ((found == packet.distance_sq) & (packet.index > index));
    packet.distance_sq = better ? found : packet.distance_sq;
    packet.index = better ? Int8{} + index : packet.index;
    packet.slot = better ? Int8{} + static_cast<std::int32_t>(slot) : packet.slot;
}

// Takes those of some triangles that may be closest, in two loops without a branch that depends on
// a triangle: such a branch would be predicted wrongly too often. Returns how many those are; they
// come first in slots then.
GRAZE_INLINE int take_closest(const PacketSource& source, std::uint32_t* slots, int count,
                              PointPacket& packet) {
    int left = 0;
    for (int n = 0; n < count; ++n) {
        const std::uint32_t slot = slots[n];
        slots[left] = slot;
        left += may_be_closest(source.triangles[slot], packet) ? 1 : 0;
    }
    for (int n = 0; n < left; ++n)
        take(source, slots[n], packet);
    return left;
}

// Takes those of a list that may be closest. centre_sq is what measure_corners() gave.
GRAZE_INLINE void take_listed(const PacketSource& source, const TriangleList& list,
                              const Float8 (&centre_sq)[TriangleList::kMaxPackets][3],
                              PointPacket& packet) {
    std::uint32_t slots[TriangleList::kCapacity + kLaneCount];
    int count = 0;
    for (int p = 0; p < list.packet_count(); ++p) {
        const LaneOrder order(triangles_that_matter(list, p, centre_sq[p], packet.cloud));
        order.write(list.slot + p * kLaneCount, slots + count);
        count += order.count();
    }
    take_closest(source, slots, count, packet);
}

// Looks at one triangle for all eight points.
GRAZE_INLINE void look_at(const PacketSource& source, std::uint32_t slot, PointPacket& packet) {
    if (!may_be_closest(source.triangles[slot], packet)) return;
    take(source, slot, packet);
    set_limit(source, packet);
}

// An entry of a node that a search has put off.
struct PutOff {
    std::int32_t ref;  // as WideBvhNode::child
    float gap_sq;
};

// Whether one of the points is near enough to one of eight boxes.
GRAZE_INLINE bool is_near(const AabbT<Float8>& boxes, int n, const PointPacket& packet) {
    const AabbT<Float8> box{
        spread_vector<Float8>({boxes.min.x[n], boxes.min.y[n], boxes.min.z[n]}),
        spread_vector<Float8>({boxes.max.x[n], boxes.max.y[n], boxes.max.z[n]})};
    return mask_less_equal(graze::distance_sq(box, packet.point), packet.limit_sq) != 0;
}

// Puts the node's entries that are near enough on the stack, the nearest on top.
GRAZE_INLINE PutOff* put_off(const PacketSource& source, const WideBvhNode& node,
                             const PointPacket& packet, float limit_sq, PutOff* top) {
    const AabbT<Float8>& boxes = lanes_of(node.bounds);
    const Float8 gap = gap_sq(boxes, packet.box);
    PutOff* const base = top;
    for (std::uint32_t mask = mask_less_equal(gap, spread<Float8>(limit_sq)) &
                              boxes_that_matter(boxes, packet.cloud);
         mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        if (!is_near(boxes, lane, packet)) continue;
        const PutOff entry{node.child[lane], gap[lane]};
        if (entry.ref < 0)
            prefetch(source.tree.packets + ~entry.ref);
        else
            prefetch(source.tree.nodes + entry.ref);
        PutOff* at = top++;
        for (; at > base && at[-1].gap_sq < entry.gap_sq; --at)
            *at = at[-1];
        *at = entry;
    }
    return top;
}

}  // namespace GRAZE_LANES
}  // namespace detail

inline namespace GRAZE_LANES {

// Prepares a packet of which nothing is known yet but its points and their box.
GRAZE_INLINE void start(const PacketSource& source, PointPacket& packet) {
    const float infinity = std::numeric_limits<float>::infinity();
    packet.distance_sq = spread<Float8>(infinity);
    packet.index = Int8{} + std::numeric_limits<std::int32_t>::max();
    packet.slot = Int8{};
    packet.limit_sq = spread<Float8>(infinity);
    const Vec3 middle = centre(packet.box);
    // The middle may be off by its rounding.
    const Vec3 half = max_of(packet.box.max - middle, middle - packet.box.min) * (1 + 0x1p-20f);
    packet.cloud = PointCloud::around(middle, half, source.slack);
}

// Begins with a triangle that may be close.
GRAZE_INLINE void begin_with(const PacketSource& source, std::uint32_t slot, PointPacket& packet) {
    const PreparedTriangle& t = source.triangles[slot];
    for (const Vec3& corner : {t.a, t.b, t.c})
        packet.cloud.offer(corner, length_sq(corner - packet.cloud.centre));
    detail::look_at(source, slot, packet);
}

// Looks for closer triangles in the whole tree.
inline void search(const PacketSource& source, PointPacket& packet) {
    detail::PutOff stack[kBvhMaxDepth * (kWideBvhWidth - 1) + 1];
    float limit_sq = largest_of(packet.limit_sq);
    detail::PutOff* top = detail::put_off(source, source.tree.nodes[0], packet, limit_sq, stack);
    while (top > stack) {
        const detail::PutOff entry = *--top;
        if (!(entry.gap_sq <= limit_sq)) continue;
        if (entry.ref >= 0) {
            top = detail::put_off(source, source.tree.nodes[entry.ref], packet, limit_sq, top);
            continue;
        }
        const LaneOrder order(detail::triangles_that_matter(source, ~entry.ref, packet.cloud));
        std::uint32_t slots[kLaneCount];
        order.write(source.tree.packets[~entry.ref].slot, slots);
        if (!detail::take_closest(source, slots, order.count(), packet)) continue;
        detail::set_limit(source, packet);
        limit_sq = largest_of(packet.limit_sq);
    }
}

// Looks for closer triangles in a list that holds all that can be closest. The seed is the slot of
// one that may be close.
inline void search(const PacketSource& source, const TriangleList& list, std::uint32_t seed,
                   PointPacket& packet) {
    Float8 centre_sq[TriangleList::kMaxPackets][3];
    const std::uint32_t nearest = measure_corners(list, packet.cloud, centre_sq);
    detail::take(source, nearest, packet);
    detail::take(source, seed, packet);
    detail::set_limit(source, packet);
    detail::take_listed(source, list, centre_sq, packet);
}

// The same for a packet whose limits say already about how far the closest are.
inline void search(const PacketSource& source, const TriangleList& list, PointPacket& packet) {
    Float8 centre_sq[TriangleList::kMaxPackets][3];
    measure_corners(list, packet.cloud, centre_sq);
    detail::take_listed(source, list, centre_sq, packet);
}

}  // namespace GRAZE_LANES
}  // namespace graze
GRAZE_LANES_END

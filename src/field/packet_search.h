// The closest triangle of many points that are near each other, on the host.
//
// Points come in packets of eight, one a SIMD lane, and packets in blocks. A block gathers the
// candidates that can be closest to any of its points, as nodes of the tree; each sub-block lists
// the triangles that can be closest to its own; a packet looks at only those. That replaces one
// search from the tree's root for each point. Where a packet begins with a triangle that is nearly
// the closest, as its neighbour's is, little is left to visit.
//
// Which triangles are looked at never changes the answer: bounds are inflated by the rounding of
// the distances (slack), and of equally close triangles the lower index wins. So the answer is the
// same as that of nearest_triangle.h on either machine.
#pragma once

#include <bit>

#include "field/nearest_triangle.h"
#include "field/point_cloud.h"
#include "geometry/wide_traverse.h"

namespace graze {

using Int8 = std::int32_t __attribute__((vector_size(32)));

// What a search goes through: a tree on the host with prepared triangles by slot.
struct PacketSource {
    WideBvhView tree;
    const PreparedTriangle* triangles;
    float slack;  // [m] see distance_slack()
};

// Eight points, and the closest triangle of each so far.
struct PointPacket {
    Vec3T<Float8> point;
    Aabb box;  // of the points
    Float8 distance_sq;
    Int8 index;  // the caller's, of the closest triangle
    Int8 slot;
    // Triangles farther than this are of no use: to each point, and to all of them.
    Float8 limit_sq;
    float largest_limit_sq;
    PointCloud cloud;
};

// Nodes of the tree, or triangle packets, which together hold all candidates of some box.
struct CandidateSet {
    static constexpr int kMaxNodes = 32;
    WideBvhNode nodes[kMaxNodes];  // eight entries each
    int count = 0;                 // entries
    int node_count() const { return (count + kWideBvhWidth - 1) / kWideBvhWidth; }
};

// The triangles that can be closest to any point of a cloud, eight together as in the tree.
struct TriangleList {
    static constexpr int kMaxPackets = 64;
    TrianglePacket packets[kMaxPackets];
    int count = 0;          // triangles
    bool is_whole = false;  // false where there was not enough room
    int packet_count() const { return (count + kWideBvhWidth - 1) / kWideBvhWidth; }
};

namespace detail {

// Squared distance between eight boxes and one; more than any limit for an empty one.
GRAZE_INLINE Float8 gap_sq(const AabbT<Float8>& boxes, const Aabb& box) {
    const Vec3T<Float8> low = spread_vector<Float8>(box.min), high = spread_vector<Float8>(box.max);
    const Float8 zero = spread<Float8>(0.0f);
    const Vec3T<Float8> zeros{zero, zero, zero};
    return length_sq(max_of(max_of(boxes.min - high, low - boxes.max), zeros));
}

// Which of eight boxes may hold a triangle that is closest to some point of the cloud, empty ones
// among them.
GRAZE_INLINE std::uint32_t boxes_that_matter(const AabbT<Float8>& boxes, const PointCloud& cloud) {
    const Vec3T<Float8> q = spread_vector<Float8>(cloud.closest);
    const Vec3T<Float8> far = max_of(q - boxes.min, boxes.max - q);
    const Float8 gap = distance_sq(boxes, spread_vector<Float8>(cloud.centre));
    const Float8 advantage = cloud.advantage(gap);
    return mask_less_equal(advantage, sqrt_of(length_sq(far)) * spread<Float8>(cloud.weight()));
}

// The same for eight triangles by their corners; offers the nearest corner to the cloud.
GRAZE_INLINE std::uint32_t triangles_that_matter(const Float8 (&corner)[3][3], PointCloud& cloud) {
    const Vec3T<Float8> c = spread_vector<Float8>(cloud.centre);
    Vec3T<Float8> v[3];
    Float8 from_centre[3];
    for (int i = 0; i < 3; ++i) {
        v[i] = {corner[i][0], corner[i][1], corner[i][2]};
        from_centre[i] = length_sq(v[i] - c);
    }
    for (int i = 0; i < 3; ++i) {
        const std::uint32_t nearer =
            mask_less_equal(from_centre[i], spread<Float8>(cloud.closest_sq));
        for (std::uint32_t left = nearer; left != 0; left &= left - 1) {
            const int lane = std::countr_zero(left);
            if (from_centre[i][lane] < cloud.closest_sq) {
                cloud.closest = {v[i].x[lane], v[i].y[lane], v[i].z[lane]};
                cloud.closest_sq = from_centre[i][lane];
            }
        }
    }
    const Vec3T<Float8> q = spread_vector<Float8>(cloud.closest);
    const Float8 sag =
        max_of(length_sq(v[1] - v[0]), max_of(length_sq(v[2] - v[1]), length_sq(v[0] - v[2]))) *
        spread<Float8>(1.00001f / 3);
    std::uint32_t mask = 0;
    for (int i = 0; i < 3; ++i) {
        mask |= mask_less_equal(cloud.advantage(from_centre[i]) - sag,
                                sqrt_of(length_sq(v[i] - q)) * spread<Float8>(cloud.weight()));
    }
    return mask;
}

// Looks at one triangle for all eight points.
GRAZE_INLINE void look_at(const PacketSource& source, std::uint32_t slot, PointPacket& packet) {
    const PreparedTriangle& t = source.triangles[slot];
    if (mask_less_equal(least_distance_sq(t, packet.point), packet.limit_sq) == 0) return;
    Float8 found;
    if (t.is_sharp) {
        for (int lane = 0; lane < kLaneCount; ++lane) {
            found[lane] = distance_sq_any(
                t, {packet.point.x[lane], packet.point.y[lane], packet.point.z[lane]});
        }
    } else {
        found = distance_sq(t, packet.point);
    }
    if (mask_less_equal(found, packet.distance_sq) == 0) return;
    const auto index = static_cast<std::int32_t>(t.index);
    const Int8 better =
        (found < packet.distance_sq) | ((found == packet.distance_sq) & (packet.index > index));
    packet.distance_sq = better ? found : packet.distance_sq;
    packet.index = better ? Int8{} + index : packet.index;
    packet.slot = better ? Int8{} + static_cast<std::int32_t>(slot) : packet.slot;
    const Float8 reach = sqrt_of(packet.distance_sq) + spread<Float8>(source.slack);
    packet.limit_sq = reach * reach * spread<Float8>(1 + 0x1p-21f);
    packet.largest_limit_sq = largest_of(packet.limit_sq);
}

GRAZE_INLINE void look_at_all(const PacketSource& source, const TrianglePacket& triangles,
                              PointPacket& packet) {
    for (std::uint32_t mask = triangles_that_matter(lanes_of(triangles.corner), packet.cloud);
         mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        if (lane > 0 && triangles.index[lane] == triangles.index[0]) break;  // the rest is unused
        look_at(source, triangles.slot[lane], packet);
    }
}

// An entry of a node that a search has put off.
struct PutOff {
    std::int32_t ref;  // as WideBvhNode::child
    float gap_sq;
};

// Puts the node's entries that are near enough on the stack, the nearest on top.
GRAZE_INLINE PutOff* put_off(const WideBvhNode& node, const PointPacket& packet, PutOff* top) {
    const AabbT<Float8>& boxes = lanes_of(node.bounds);
    const Float8 gap = gap_sq(boxes, packet.box);
    PutOff* const base = top;
    for (std::uint32_t mask = mask_less_equal(gap, spread<Float8>(packet.largest_limit_sq)) &
                              boxes_that_matter(boxes, packet.cloud);
         mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        const PutOff entry{node.child[lane], gap[lane]};
        PutOff* place = top++;
        for (; place > base && place[-1].gap_sq < entry.gap_sq; --place)
            *place = place[-1];
        *place = entry;
    }
    return top;
}

}  // namespace detail

// A packet of which nothing is known yet.
GRAZE_INLINE void start(const PacketSource& source, PointPacket& packet) {
    const float infinity = std::numeric_limits<float>::infinity();
    for (int axis = 0; axis < 3; ++axis) {
        float low = packet.point[axis][0], high = low;
        for (int lane = 1; lane < kLaneCount; ++lane) {
            low = min_of(low, packet.point[axis][lane]);
            high = max_of(high, packet.point[axis][lane]);
        }
        packet.box.min[axis] = low;
        packet.box.max[axis] = high;
    }
    packet.distance_sq = spread<Float8>(infinity);
    packet.index = Int8{} + std::numeric_limits<std::int32_t>::max();
    packet.slot = Int8{};
    packet.limit_sq = spread<Float8>(infinity);
    packet.largest_limit_sq = infinity;
    const Vec3 middle = centre(packet.box);
    const Float8 away_sq = length_sq(packet.point - detail::spread_vector<Float8>(middle));
    packet.cloud = {middle, std::sqrt(largest_of(away_sq)) * (1 + 0x1p-20f), source.slack, middle,
                    infinity};
}

// Begins with a triangle that may be close.
GRAZE_INLINE void begin_with(const PacketSource& source, std::uint32_t slot, PointPacket& packet) {
    const PreparedTriangle& t = source.triangles[slot];
    for (const Vec3& corner : {t.a, t.b, t.c}) {
        const float sq = length_sq(corner - packet.cloud.centre);
        if (sq < packet.cloud.closest_sq) {
            packet.cloud.closest = corner;
            packet.cloud.closest_sq = sq;
        }
    }
    detail::look_at(source, slot, packet);
}

// Looks for closer triangles among the entries of the nodes and what is below them.
inline void search(const PacketSource& source, const WideBvhNode* nodes, int node_count,
                   PointPacket& packet) {
    detail::PutOff
        stack[kBvhMaxDepth * (kWideBvhWidth - 1) + CandidateSet::kMaxNodes * kWideBvhWidth];
    detail::PutOff* top = stack;
    for (int n = 0; n < node_count; ++n)
        top = detail::put_off(nodes[n], packet, top);
    while (top > stack) {
        const detail::PutOff entry = *--top;
        if (!(entry.gap_sq <= packet.largest_limit_sq)) continue;
        if (entry.ref < 0) {
            detail::look_at_all(source, source.tree.packets[~entry.ref], packet);
        } else {
            top = detail::put_off(source.tree.nodes[entry.ref], packet, top);
        }
    }
}

namespace detail {

// Adds the lanes in mask; false where there is no room.
inline bool append(const TrianglePacket& from, std::uint32_t mask, TriangleList& list) {
    for (; mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        if (lane > 0 && from.index[lane] == from.index[0]) break;  // the rest is unused
        if (list.count == TriangleList::kMaxPackets * kWideBvhWidth) return false;
        TrianglePacket& to = list.packets[list.count / kWideBvhWidth];
        const int place = list.count++ % kWideBvhWidth;
        for (int corner = 0; corner < 3; ++corner) {
            for (int axis = 0; axis < 3; ++axis)
                to.corner[corner][axis][place] = from.corner[corner][axis][lane];
        }
        to.index[place] = from.index[lane];
        to.slot[place] = from.slot[lane];
    }
    return true;
}

}  // namespace detail

// Lists the triangles below the nodes' entries that can be closest to a point of the cloud, whose
// closest point may improve on the way.
inline void list_triangles(const PacketSource& source, const WideBvhNode* nodes, int node_count,
                           PointCloud& cloud, TriangleList& list) {
    std::int32_t
        stack[kBvhMaxDepth * (kWideBvhWidth - 1) + CandidateSet::kMaxNodes * kWideBvhWidth];
    int top = 0;
    const auto put_off = [&](const WideBvhNode& node) {
        const AabbT<Float8>& boxes = detail::lanes_of(node.bounds);
        // Empty boxes are farther than anything.
        const std::uint32_t is_there = mask_less_equal(boxes.min.x, boxes.max.x);
        for (std::uint32_t mask = detail::boxes_that_matter(boxes, cloud) & is_there; mask != 0;
             mask &= mask - 1)
            stack[top++] = node.child[std::countr_zero(mask)];
    };
    list.count = 0;
    list.is_whole = false;
    for (int n = 0; n < node_count; ++n)
        put_off(nodes[n]);
    while (top > 0) {
        const std::int32_t ref = stack[--top];
        if (ref >= 0) {
            put_off(source.tree.nodes[ref]);
            continue;
        }
        const TrianglePacket& packet = source.tree.packets[~ref];
        const std::uint32_t mask =
            detail::triangles_that_matter(detail::lanes_of(packet.corner), cloud);
        if (!detail::append(packet, mask, list)) return;
    }
    // Unused lanes repeat the first triangle, as in the tree.
    for (int n = list.count; n % kWideBvhWidth != 0; ++n) {
        TrianglePacket& last = list.packets[n / kWideBvhWidth];
        const int lane = n % kWideBvhWidth;
        for (auto& corner : last.corner) {
            for (auto& axis : corner)
                axis[lane] = axis[0];
        }
        last.index[lane] = last.index[0];
        last.slot[lane] = last.slot[0];
    }
    list.is_whole = true;
}

// Looks at the triangles of a list that holds all that can be closest.
inline void search(const PacketSource& source, const TriangleList& list, PointPacket& packet) {
    for (int p = 0; p < list.packet_count(); ++p)
        detail::look_at_all(source, list.packets[p], packet);
}

// Gathers in `to` what of the nodes' entries is within limit_sq of the box, and opens nodes that
// are larger than the box while there is room.
inline void gather(const PacketSource& source, const WideBvhNode* nodes, int node_count,
                   const Aabb& box, float limit_sq, CandidateSet& to) {
    constexpr int kRoom = CandidateSet::kMaxNodes * kWideBvhWidth;
    const Vec3 size = extent(box);
    const float side = max_of(size.x, max_of(size.y, size.z));
    to.count = 0;
    std::int32_t stack[kRoom];  // nodes to open
    int top = 0;
    // Everything not yet looked at keeps a place, so that nothing is left out for want of room.
    int waiting = node_count * kWideBvhWidth;
    const auto take = [&](const WideBvhNode& node) {
        const Float8 gap = detail::gap_sq(detail::lanes_of(node.bounds), box);
        const std::uint32_t mask = mask_less_equal(gap, spread<Float8>(limit_sq));
        for (std::uint32_t left = mask; left != 0; left &= left - 1) {
            const int lane = std::countr_zero(left);
            const float x = node.bounds[3][lane] - node.bounds[0][lane];
            const float y = node.bounds[4][lane] - node.bounds[1][lane];
            const float z = node.bounds[5][lane] - node.bounds[2][lane];
            const bool is_large = max_of(x, max_of(y, z)) > side;
            const int kept = to.count + waiting + std::popcount(left) - 1 + top * kWideBvhWidth;
            if (node.child[lane] >= 0 && is_large && kept + kWideBvhWidth <= kRoom) {
                stack[top++] = node.child[lane];
                continue;
            }
            WideBvhNode& place = to.nodes[to.count / kWideBvhWidth];
            const int slot = to.count++ % kWideBvhWidth;
            for (int plane = 0; plane < 6; ++plane)
                place.bounds[plane][slot] = node.bounds[plane][lane];
            place.child[slot] = node.child[lane];
        }
    };
    for (int n = 0; n < node_count; ++n) {
        waiting -= kWideBvhWidth;
        take(nodes[n]);
        while (top > 0)
            take(source.tree.nodes[stack[--top]]);
    }
    // Empty boxes where the last node has room left, with a packet that is there.
    const float infinity = std::numeric_limits<float>::infinity();
    for (int entry = to.count; entry % kWideBvhWidth != 0; ++entry) {
        WideBvhNode& node = to.nodes[entry / kWideBvhWidth];
        for (int plane = 0; plane < 6; ++plane)
            node.bounds[plane][entry % kWideBvhWidth] = plane < 3 ? infinity : -infinity;
        node.child[entry % kWideBvhWidth] = ~0;
    }
}

}  // namespace graze

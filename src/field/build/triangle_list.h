// TriangleList: which triangles can be closest to a block of points, on the host. They come from
// the tree, or from the list of a block around it, and a PointCloud sorts them out, eight at a
// time.
#pragma once

#include <algorithm>
#include <bit>

#include "core/lane_target.h"
#include "field/build/mesh_source.h"
#include "field/build/point_cloud.h"
#include "geometry/bvh/wide_traverse.h"

GRAZE_LANES_BEGIN
namespace graze {
inline namespace GRAZE_LANES {

// What a search goes through: a tree on the host with prepared triangles by slot.
struct PacketSource {
    WideBvhView tree;
    const PacketSags* sags;  // by packet of the tree
    const PreparedTriangle* triangles;
    float slack;  // [m] see distance_slack()

    PacketSource(const MeshSource& source, float distance_slack)
        : tree(source.wide.view()),
          sags(source.sags.data()),
          triangles(source.prepared.data()),
          slack(distance_slack) {}
};

// The triangles that can be closest to any point of a cloud.
struct TriangleList {
    static constexpr int kCapacity = 1024;
    static constexpr int kMaxPackets = kCapacity / kLaneCount;
    // [m] By corner and axis. Entries beyond the last, up to a whole packet of eight, are infinite.
    alignas(64) float corner[3][3][kCapacity + kLaneCount];
    float sag_sq[kCapacity + kLaneCount];  // [m^2] see PreparedTriangle
    std::uint32_t slot[kCapacity + kLaneCount];
    int count = 0;
    bool is_whole = false;  // whether it holds them all, and there are some
    int packet_count() const { return (count + kLaneCount - 1) / kLaneCount; }
};

}  // namespace GRAZE_LANES

namespace detail {
inline namespace GRAZE_LANES {

// Returns a bit for each of eight boxes that may hold a triangle closest to some point of the
// cloud, empty boxes among them.
GRAZE_INLINE std::uint32_t boxes_that_matter(const AabbT<Float8>& boxes, const PointCloud& cloud) {
    const Vec3T<Float8> q = spread_vector<Float8>(cloud.closest);
    const Vec3T<Float8> far = max_of(q - boxes.min, boxes.max - q);
    const Float8 gap = distance_sq(boxes, spread_vector<Float8>(cloud.centre));
    return mask_less_equal(cloud.least_sq(gap, far), spread<Float8>(cloud.known_sq));
}

// Returns the same for eight triangles, from the squared distances of their corners to the centre.
GRAZE_INLINE std::uint32_t triangles_that_matter(const Float8 (&corner)[3][3],
                                                 const Float8 (&centre_sq)[3], Float8 sag_sq,
                                                 const PointCloud& cloud) {
    Float8 least[3];
    for (int i = 0; i < 3; ++i) {
        const Vec3T<Float8> v{corner[i][0], corner[i][1], corner[i][2]};
        least[i] = cloud.least_sq(centre_sq[i], abs_of(cloud.from_closest(v)));
    }
    return mask_less_equal(min_of(least[0], min_of(least[1], least[2])),
                           spread<Float8>(cloud.known_sq) + sag_sq);
}

// The vectors to the centre of a cloud from about the closest points of the edges of eight
// triangles, given those from their corners.
GRAZE_INLINE Vec3T<Float8> offset_from_edges(const Vec3T<Float8> (&from)[3]) {
    Vec3T<Float8> result;
    for (int i = 0; i < 3; ++i) {
        const Vec3T<Float8> edge = from[i] - from[(i + 1) % 3];
        const Vec3T<Float8> offset =
            offset_from_edge(from[i], edge, spread<Float8>(1.0f) / length_sq(edge));
        result = i == 0 ? offset : select(length_sq(offset) < length_sq(result), offset, result);
    }
    return result;
}

// Of eight triangles in mask, returns those that may be closest to some point of the cloud by their
// closest points; those that are small against the cloud all stay.
inline std::uint32_t long_triangles_that_matter(const Float8 (&corner)[3][3], Float8 sag_sq,
                                                std::uint32_t mask, const PointCloud& cloud) {
    const Float8 half_sq = spread<Float8>(length_sq(cloud.half) * (1 + 0x1p-20f));
    const std::uint32_t are_long = mask & mask_of(sag_sq > half_sq);
    if (are_long == 0) return mask;
    Vec3T<Float8> from[3];
    for (int i = 0; i < 3; ++i)
        from[i] = -cloud.from_centre(Vec3T<Float8>{corner[i][0], corner[i][1], corner[i][2]});
    const Vec3T<Float8> offset = offset_from_edges(from);
    const Float8 offset_sq = length_sq(offset);
    const Float8 least =
        min_of(dot(from[0], offset), min_of(dot(from[1], offset), dot(from[2], offset)));
    // The products are off by no more than a tenth of the slack times the offset.
    const Float8 spare = sqrt_of(offset_sq) * spread<Float8>(cloud.slack);
    const Float8 centre_sq = least + least - offset_sq * spread<Float8>(1 + 0x1p-20f) - spare;
    const Vec3T<Float8> away = spread_vector<Float8>(cloud.centre - cloud.closest) - offset;
    // What is no number stays.
    const std::uint32_t is_out =
        mask_of(cloud.least_sq(centre_sq, abs_of(away)) > spread<Float8>(cloud.known_sq) + half_sq);
    return mask & ~(are_long & is_out);
}

GRAZE_INLINE void measure_corners(const Float8 (&corner)[3][3], const PointCloud& cloud,
                                  Float8 (&centre_sq)[3]) {
    for (int i = 0; i < 3; ++i) {
        const Vec3T<Float8> v{corner[i][0], corner[i][1], corner[i][2]};
        centre_sq[i] = length_sq(cloud.from_centre(v));
    }
}

// Returns the same for a packet of the tree, and offers its corners to the cloud.
GRAZE_INLINE std::uint32_t triangles_that_matter(const PacketSource& source, std::int32_t packet,
                                                 PointCloud& cloud) {
    const TrianglePacket& triangles = source.tree.packets[packet];
    const Float8(&corner)[3][3] = lanes_of(triangles.corner);
    Float8 centre_sq[3];
    measure_corners(corner, cloud, centre_sq);
    const Float8 least_sq = min_of(centre_sq[0], min_of(centre_sq[1], centre_sq[2]));
    for (std::uint32_t left = mask_of(least_sq < spread<Float8>(cloud.closest_sq)); left != 0;
         left &= left - 1) {
        const int lane = std::countr_zero(left);
        for (int i = 0; i < 3; ++i) {
            cloud.offer({corner[i][0][lane], corner[i][1][lane], corner[i][2][lane]},
                        centre_sq[i][lane]);
        }
    }
    std::uint32_t mask =
        triangles_that_matter(corner, centre_sq, load_lanes(source.sags[packet].sag_sq), cloud);
    // Unused lanes repeat the first triangle.
    for (int lane = kWideBvhWidth - 1; lane > 0 && triangles.slot[lane] == triangles.slot[0];
         --lane)
        mask &= ~(1u << lane);
    return mask;
}

// Adds the triangles in mask. Returns false where they exceed the capacity.
GRAZE_INLINE bool append(const Float8 (&corner)[3][3], const float* sag_sq,
                         const std::uint32_t* slot, std::uint32_t mask, TriangleList& list) {
    const LaneOrder order(mask);
    const int at = list.count;
    if (at + order.count() > TriangleList::kCapacity) return false;
    for (int c = 0; c < 3; ++c) {
        for (int axis = 0; axis < 3; ++axis)
            order.write(corner[c][axis], list.corner[c][axis] + at);
    }
    order.write(sag_sq, list.sag_sq + at);
    order.write(slot, list.slot + at);
    list.count = at + order.count();
    return true;
}

inline void complete(TriangleList& list) {
    for (int lane = 0; lane < kLaneCount; ++lane) {
        for (auto& corner : list.corner) {
            for (auto& axis : corner)
                axis[list.count + lane] = std::numeric_limits<float>::infinity();
        }
        list.sag_sq[list.count + lane] = 0;
    }
    list.is_whole = list.count > 0;  // none is left where squares overflow
}

GRAZE_INLINE void load_corners(const TriangleList& list, int packet, Float8 (&corner)[3][3]) {
    for (int c = 0; c < 3; ++c) {
        for (int axis = 0; axis < 3; ++axis)
            corner[c][axis] = load_lanes(list.corner[c][axis] + packet * kLaneCount);
    }
}

}  // namespace GRAZE_LANES
}  // namespace detail

inline namespace GRAZE_LANES {

// Lists the triangles of the tree that can be closest to a point of the cloud, whose closest point
// may improve on the way.
inline void list_triangles(const PacketSource& source, PointCloud& cloud, TriangleList& list) {
    std::int32_t stack[kBvhMaxDepth * (kWideBvhWidth - 1) + kWideBvhWidth];
    int top = 0;
    const auto put_off = [&](const WideBvhNode& node) {
        const AabbT<Float8>& boxes = detail::lanes_of(node.bounds);
        // Empty boxes are farther than anything.
        const std::uint32_t is_there = mask_less_equal(boxes.min.x, boxes.max.x);
        const LaneOrder order(detail::boxes_that_matter(boxes, cloud) & is_there);
        order.write(node.child, stack + top);
        top += order.count();
    };
    list.count = 0;
    list.is_whole = false;
    put_off(source.tree.nodes[0]);
    while (top > 0) {
        const std::int32_t ref = stack[--top];
        if (ref >= 0) {
            put_off(source.tree.nodes[ref]);
            continue;
        }
        std::uint32_t mask = detail::triangles_that_matter(source, ~ref, cloud);
        const TrianglePacket& triangles = source.tree.packets[~ref];
        mask = detail::long_triangles_that_matter(
            detail::lanes_of(triangles.corner), load_lanes(source.sags[~ref].sag_sq), mask, cloud);
        if (!detail::append(detail::lanes_of(triangles.corner), source.sags[~ref].sag_sq,
                            triangles.slot, mask, list)) {
            return;
        }
    }
    detail::complete(list);
}

// Measures the squared distances of the corners of all listed triangles from the centre of a cloud,
// to which the nearest is offered. Returns the slot of its triangle.
inline std::uint32_t measure_corners(const TriangleList& list, PointCloud& cloud,
                                     Float8 (&centre_sq)[TriangleList::kMaxPackets][3]) {
    Float8 least = spread<Float8>(std::numeric_limits<float>::infinity());
    Int8 least_at{};  // the packets of the least ones
    for (int p = 0; p < list.packet_count(); ++p) {
        Float8 corner[3][3];
        detail::load_corners(list, p, corner);
        detail::measure_corners(corner, cloud, centre_sq[p]);
        const Float8 nearest = min_of(centre_sq[p][0], min_of(centre_sq[p][1], centre_sq[p][2]));
        least_at = nearest < least ? Int8{} + p : least_at;
        least = min_of(nearest, least);
    }
    const float least_sq = -largest_of(-least);
    const int lane = std::countr_zero(mask_less_equal(least, spread<Float8>(least_sq)));
    const int p = least_at[lane], n = p * kLaneCount + lane;
    // There is no branch, as it would be predicted wrongly too often.
    const int is_second = centre_sq[p][1][lane] == least_sq ? 1 : 0;
    const int is_third = centre_sq[p][2][lane] == least_sq ? 2 : 0;
    const int c = std::max(is_second, is_third);
    cloud.offer({list.corner[c][0][n], list.corner[c][1][n], list.corner[c][2][n]}, least_sq);
    return list.slot[n];
}

// Returns a bit for each of the eight triangles of a packet of the list that may be closest to some
// point of the cloud.
GRAZE_INLINE std::uint32_t triangles_that_matter(const TriangleList& list, int packet,
                                                 const Float8 (&centre_sq)[3],
                                                 const PointCloud& cloud) {
    Float8 corner[3][3];
    detail::load_corners(list, packet, corner);
    return detail::triangles_that_matter(corner, centre_sq,
                                         load_lanes(list.sag_sq + packet * kLaneCount), cloud);
}

// Lists those of another list that can be closest to a point of the cloud.
inline void list_triangles(const TriangleList& from, PointCloud& cloud, TriangleList& list) {
    Float8 centre_sq[TriangleList::kMaxPackets][3];
    measure_corners(from, cloud, centre_sq);
    list.count = 0;
    for (int p = 0; p < from.packet_count(); ++p) {
        Float8 corner[3][3];
        detail::load_corners(from, p, corner);
        const std::uint32_t mask = detail::long_triangles_that_matter(
            corner, load_lanes(from.sag_sq + p * kLaneCount),
            triangles_that_matter(from, p, centre_sq[p], cloud), cloud);
        detail::append(corner, from.sag_sq + p * kLaneCount, from.slot + p * kLaneCount, mask,
                       list);
    }
    detail::complete(list);
}

}  // namespace GRAZE_LANES
}  // namespace graze
GRAZE_LANES_END

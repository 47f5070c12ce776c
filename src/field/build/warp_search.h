// warp_search: the closest triangle of many points that are near each other, on a GPU. A warp
// searches once for its 32 points. Only .cu files include this.
//
// Boxes and triangles are sorted out 32 at a time, one a thread, for all points together
// (point_cloud.h); what is left is looked at by all threads at once, each for its own point.
//
// The answers are those of nearest_triangle.h, bit for bit, for the reasons given in
// packet_search.h.
#pragma once

#include "field/build/nearest_triangle.h"
#include "field/build/point_cloud.h"

namespace graze {

struct WarpSource {
    BvhView tree;
    const PreparedTriangle* triangles;  // by slot
    float slack;                        // [m] see distance_slack()
};

// What one thread knows of its point's closest triangle.
struct WarpNearest {
    float distance_sq;
    float limit_sq;
    std::uint32_t index;
    std::uint32_t slot;
};

constexpr unsigned kWholeWarp = 0xffffffffu;

// A warp's own memory for a search, shared by its threads.
struct WarpScratch {
    // The nodes to open. The last kBvhMaxDepth entries are for going depth first when the rest is
    // full.
    static constexpr int kStackSize = 512;
    std::int32_t stack[kStackSize];
    // The triangles to sort out: fewer than 32, and up to 64 from one step.
    std::uint32_t slots[96];
};

namespace warp_detail {

__device__ __forceinline__ float warp_max(float value) {
    for (int step = 16; step > 0; step /= 2)
        value = fmaxf(value, __shfl_xor_sync(kWholeWarp, value, step));
    return value;
}

// Offers the nearest of the threads' points of the mesh, where it is nearer than the one known.
__device__ __forceinline__ void offer(PointCloud& cloud, const Vec3& corner, float corner_sq) {
    float least = corner_sq;
    for (int step = 16; step > 0; step /= 2)
        least = fminf(least, __shfl_xor_sync(kWholeWarp, least, step));
    if (!(least < cloud.closest_sq)) return;
    const int lane = __ffs(static_cast<int>(__ballot_sync(kWholeWarp, corner_sq == least))) - 1;
    cloud.offer({__shfl_sync(kWholeWarp, corner.x, lane), __shfl_sync(kWholeWarp, corner.y, lane),
                 __shfl_sync(kWholeWarp, corner.z, lane)},
                least);
}

__device__ __forceinline__ bool may_hold_closest(const PointCloud& cloud, const Aabb& box) {
    const Vec3 far = max_of(cloud.closest - box.min, box.max - cloud.closest);
    return cloud.least_sq(distance_sq(box, cloud.centre), far) <= cloud.known_sq;
}

__device__ __forceinline__ bool may_be_closest(const PointCloud& cloud, const Vec3& corner,
                                               float corner_sq, float sag_sq) {
    const Vec3 away = cloud.from_closest(corner);
    return cloud.least_sq(corner_sq, {std::fabs(away.x), std::fabs(away.y), std::fabs(away.z)}) <=
           cloud.known_sq + sag_sq;
}

// All threads look at the same triangle, each for its point.
__device__ __forceinline__ void look_at(const WarpSource& source, std::uint32_t slot,
                                        const Vec3& point, WarpNearest& nearest) {
    PreparedTriangle t;
    load_corners(source.triangles + slot, t);
    if (!__any_sync(kWholeWarp, least_distance_sq(t, point) <= nearest.limit_sq)) return;
    load_rest(source.triangles + slot, t);
    const float found = distance_sq_any(t, point);
    if (found < nearest.distance_sq || (found == nearest.distance_sq && t.index < nearest.index)) {
        nearest.distance_sq = found;
        nearest.index = t.index;
        nearest.slot = slot;
        nearest.limit_sq = inflated_sq(found, source.slack);
    }
}

// Opens nodes from the top of the stack, one a thread, and puts their children that matter on the
// stack, or among the slots where they are triangles.
__device__ __forceinline__ void open_nodes(const WarpSource& source, const PointCloud& cloud,
                                           WarpScratch& scratch, int& top, int& pending) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int capacity = (WarpScratch::kStackSize - kBvhMaxDepth - top) / 2;
    const int count = min(min(32, top), max(1, capacity));
    top -= count;
    const std::int32_t node_index = lane < count ? scratch.stack[top + lane] : 0;
    __syncwarp();
    const BvhNode node = load_node(source.tree.nodes + node_index);
    for (int side = 0; side < 2; ++side) {
        const Aabb& box = side ? node.box[1] : node.box[0];
        const std::int32_t child = side ? node.child[1] : node.child[0];
        // The root of a single triangle has an empty second box.
        const bool matters = lane < count && box.min.x <= box.max.x && may_hold_closest(cloud, box);
        const unsigned nodes = __ballot_sync(kWholeWarp, matters && child >= 0);
        const unsigned leaves = __ballot_sync(kWholeWarp, matters && child < 0);
        const unsigned before = (1u << lane) - 1;
        if (matters && child >= 0) scratch.stack[top + __popc(nodes & before)] = child;
        if (matters && child < 0)
            scratch.slots[pending + __popc(leaves & before)] = static_cast<std::uint32_t>(~child);
        top += __popc(nodes);
        pending += __popc(leaves);
    }
    __syncwarp();
}

// Sorts out up to 32 triangles, one a thread; those that matter are looked at by all.
__device__ __forceinline__ void sort_out(const WarpSource& source, const Vec3& point,
                                         PointCloud& cloud, const WarpScratch& scratch,
                                         int& pending, WarpNearest& nearest) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int count = min(32, pending);
    pending -= count;
    const std::uint32_t slot = scratch.slots[pending + min(lane, count - 1)];
    __syncwarp();
    PreparedTriangle t;
    load_corners(source.triangles + slot, t);
    const float a = length_sq(t.a - cloud.centre), b = length_sq(t.b - cloud.centre),
                c = length_sq(t.c - cloud.centre);
    const bool a_is_nearest = a <= b && a <= c, b_is_nearer = b <= c;
    offer(cloud, a_is_nearest ? t.a : (b_is_nearer ? t.b : t.c), fminf(a, fminf(b, c)));
    const bool matters = may_be_closest(cloud, t.a, a, t.sag_sq) ||
                         may_be_closest(cloud, t.b, b, t.sag_sq) ||
                         may_be_closest(cloud, t.c, c, t.sag_sq);
    for (unsigned left = __ballot_sync(kWholeWarp, lane < count && matters); left != 0;
         left &= left - 1) {
        look_at(source, __shfl_sync(kWholeWarp, slot, __ffs(static_cast<int>(left)) - 1), point,
                nearest);
    }
}

// Finds a triangle near the centre by always taking the nearer child.
__device__ __forceinline__ std::uint32_t descend(const WarpSource& source, const Vec3& centre) {
    std::int32_t next = 0;
    while (next >= 0) {
        const BvhNode node = load_node(source.tree.nodes + next);
        const bool first = !(distance_sq(node.box[1], centre) < distance_sq(node.box[0], centre));
        next = first ? node.child[0] : node.child[1];
    }
    return static_cast<std::uint32_t>(~next);
}

}  // namespace warp_detail

// All threads of the warp call this together, each with its point. The seed is the slot of a
// triangle that may be close, each thread its own, or kNoTriangle for all.
__device__ inline WarpNearest warp_search(const WarpSource& source, const Vec3& point,
                                          std::uint32_t seed, WarpScratch& scratch) {
    using namespace warp_detail;
    const Vec3 centre =
        (Vec3{__shfl_sync(kWholeWarp, point.x, 0), __shfl_sync(kWholeWarp, point.y, 0),
              __shfl_sync(kWholeWarp, point.z, 0)} +
         Vec3{__shfl_sync(kWholeWarp, point.x, 31), __shfl_sync(kWholeWarp, point.y, 31),
              __shfl_sync(kWholeWarp, point.z, 31)}) *
        0.5f;
    const Vec3 half{warp_max(std::fabs(point.x - centre.x)),
                    warp_max(std::fabs(point.y - centre.y)),
                    warp_max(std::fabs(point.z - centre.z))};
    PointCloud cloud = PointCloud::around(centre, half * (1 + 0x1p-20f), source.slack);
    if (seed == kNoTriangle) seed = descend(source, cloud.centre);
    PreparedTriangle t;
    load_corners(source.triangles + seed, t);
    const float a = length_sq(t.a - cloud.centre), b = length_sq(t.b - cloud.centre),
                c = length_sq(t.c - cloud.centre);
    const bool a_is_nearest = a <= b && a <= c, b_is_nearer = b <= c;
    offer(cloud, a_is_nearest ? t.a : (b_is_nearer ? t.b : t.c), fminf(a, fminf(b, c)));

    WarpNearest nearest{std::numeric_limits<float>::infinity(),
                        inflated_sq(length_sq(point - cloud.closest), 2 * source.slack),
                        kNoTriangle, 0};
    int top = 1, pending = 0;
    if (threadIdx.x % 32 == 0) scratch.stack[0] = 0;
    __syncwarp();
    while (top > 0 || pending > 0) {
        if (top > 0 && pending < 32) {
            open_nodes(source, cloud, scratch, top, pending);
        } else {
            sort_out(source, point, cloud, scratch, pending, nearest);
        }
    }
    return nearest;
}

}  // namespace graze

// First hits on the device, by warps; only .cu files include this. CastRay is the same with a
// thread a ray, and its oracle.
//
// With a thread a ray, 14 of a warp's 32 threads have something to do: rays end after different
// numbers of visits, and threads that have met a triangle wait for the others. So here
// - met triangles wait for each other and are tested 32 at a time, whosever ray it is; threads go
//   on with nodes meanwhile;
// - a thread whose ray is done takes over nodes that another one has put off, with its ray.
// Counted on the host (scan of 100K triangles, rays from its vertices): 25 node steps a warp with
// 28 threads active and 7 triangle steps, against 42 with 14 and 21. What else was tried is in
// docs/lab/bvh.md.
//
// The answer does not depend on who does what when: it is the least of (t, triangle).
#pragma once

#include "core/warp.h"
#include "geometry/bvh/quantised_traverse.h"

namespace graze {

struct WarpFirstHits {
    // On an H200 64 is 2% to 8% slower for few rays, for which each of a multiprocessor's four
    // schedulers has three warps.
    static constexpr int kBlockSize = 128;
    // So many run at a time on a multiprocessor, which keeps registers at 96. For 10^6 rays 4 are
    // 10% slower, and 6 as fast; for few rays either is 3% slower.
    static constexpr int kBlocks = 5;
    // A warp's rays are runs of so many that follow each other in the list.
    static constexpr int kNeighbours = 4;

    QuantisedBvhView bvh;
    const BvhTriangle* triangles;
    const Ray* rays;
    std::int64_t count;
    RayHit* hits;
    // True where a warp's runs are far from each other, so that all warps have about as much to do;
    // else they follow each other, so that a warp's rays need the same nodes. The former is faster
    // for a launch that ends with its slowest warps.
    bool is_spread;

    // The number is rounded up to a multiple of 32: a warp's threads stay together to the end.
    GRAZE_HD std::int64_t thread_count() const { return (count + 31) / 32 * 32; }

    __device__ void operator()(std::int64_t thread_index) const {
        __shared__ Shared shared_of_warp[kBlockSize / 32];
        Shared& shared = shared_of_warp[threadIdx.x / 32];
        const unsigned lane = threadIdx.x % 32;
        const std::int64_t i = is_spread ? spread_index(thread_index / 32, lane) : thread_index;
        const bool has_ray = i < count;
        const Ray ray = has_ray ? rays[i] : Ray{{0, 0, 0}, {0, 0, 0}};
        Thread thread{QuantisedRay(ray, bvh), {0, 0, 0}, lane, stack_bottom(lane), has_ray, {}};
        // What this tree cannot do is left for the end.
        const bool is_left = !thread.slabs.is_usable();
        if (is_left) thread.has_node = false;
        thread.node = QuantisedRay::load(bvh.units);
        shared.store_ray(lane, ray);
        shared.limits[lane] = __float_as_int(ray.t_max + 0.0f);  // a zero has to be positive
        shared.best_t[lane] = 0x7fffffff;
        shared.best_index[lane] = kNoTriangle;
        shared.hit_t[lane] = shared.hit_u[lane] = shared.hit_v[lane] = 0;
        shared.hit_front[lane] = 0;
        shared.is_left[lane] = is_left;
        __syncwarp();

        // Nodes are on their way from memory while triangles are queued and tested.
        int leaf_count = 0;
        for (int enough = kEnoughLeaves; enough > 1;) {
            QuantisedTriangles lot;
            const bool has_lot = visit_node(shared, thread, lot);
            leaf_count = queue_leaves(shared, lot, has_lot, lane, leaf_count);
            enough = share_nodes(shared, thread, lane);
            while (leaf_count >= enough)
                leaf_count -= test_triangles(shared, leaf_count, lane);
        }
        __syncwarp();  // another thread may have found the hit
        if (!has_ray) return;
        hits[i] = {shared.hit_t[lane], shared.hit_u[lane], shared.hit_v[lane],
                   shared.best_index[lane], shared.hit_front[lane] != 0};
        if (shared.is_left[lane]) hits[i] = cast_in_binary_tree(bvh.tree, triangles, ray);
    }

private:
    static constexpr unsigned kAll = 0xffffffffu;
    // Fewer idle threads are not worth a round of sharing. On an H200 8 to 14 are within 3% of each
    // other.
    static constexpr int kIdleThreads = 10;
    // A ray that needs more is left for the end. Rays from the vertices of a scan of 100K triangles
    // and of a sphere of a million need up to 9.
    static constexpr int kStackSize = 12;
    // When so many threads have met triangles, they are tested: about 35 triangles on a scan. On an
    // H200 20 to 28 are within 3% of each other.
    static constexpr int kEnoughLeaves = 24;
    // One less than enough may wait, and each thread adds one.
    static constexpr int kMostLeaves = kEnoughLeaves - 1 + 32;

    struct Shared {
        QuantisedGroup stack[kStackSize + 1][32];  // by thread: no two share a bank
        float rays[10][32];                        // RayShear, t_min, t_max, 1 / length_z
        int best_t[32];                            // bits of the first hit's t
        unsigned best_index[32];                   // the least triangle at that t
        QuantisedGroup gifts[32];
        int limits[32];                               // bits of up to where boxes are of interest
        QuantisedTriangles leaves[kMostLeaves + 32];  // the last 32: of threads that have met none
        float hit_t[32], hit_u[32], hit_v[32];
        std::uint8_t hit_front[32];
        std::uint8_t is_left[32];
        std::uint8_t givers[32];

        __device__ void store_ray(unsigned k, const Ray& ray) {
            const RayShear<float> s = make_ray_shear(ray.origin, ray.direction);
            const float words[] = {
                s.origin.x, s.origin.y,       s.origin.z, __int_as_float(s.x | s.y << 4 | s.z << 8),
                s.shear_x,  s.shear_y,        s.length_z, ray.t_min,
                ray.t_max,  1.0f / s.length_z};
            for (int w = 0; w < 10; ++w)
                rays[w][k] = words[w];
        }
        __device__ RayShear<float> shear(unsigned k) const {
            const int axes = __float_as_int(rays[3][k]);
            return {{rays[0][k], rays[1][k], rays[2][k]},
                    axes & 3,
                    axes >> 4 & 3,
                    axes >> 8,
                    rays[4][k],
                    rays[5][k],
                    rays[6][k]};
        }
        __device__ float t_min(unsigned k) const { return rays[7][k]; }
        __device__ float t_max(unsigned k) const { return rays[8][k]; }
        __device__ float inverse_length_z(unsigned k) const { return rays[9][k]; }
    };
    struct Thread {
        QuantisedRay slabs;
        QuantisedGroup group;
        std::uint32_t ray;  // which of the warp's
        int stack_top;      // where the next group goes; nothing is stacked while group is empty
        bool has_node;
        LoadedNode node;  // to visit next
    };

    // The list is cut into as many sections as a warp has runs: warp k takes the k-th run of each.
    // Where the list ends early, an index may lie behind it.
    __device__ std::int64_t spread_index(std::int64_t warp, unsigned lane) const {
        const std::int64_t warp_count = (count + 31) / 32, section = lane / kNeighbours;
        return (section * warp_count + warp) * kNeighbours + lane % kNeighbours;
    }

    // The top of a thread's stack is in bytes from the first one's, which spares multiplications.
    static constexpr int kStackStep = 32 * sizeof(QuantisedGroup);
    __device__ static int stack_bottom(unsigned lane) {
        return static_cast<int>(lane * sizeof(QuantisedGroup));  // below kStackStep
    }
    __device__ static bool has_stack(const Thread& thread) {
        return thread.stack_top >= kStackStep;
    }
    __device__ static QuantisedGroup& stack_at(Shared& shared, int top) {
        return *reinterpret_cast<QuantisedGroup*>(reinterpret_cast<char*>(shared.stack) + top);
    }
    __device__ static QuantisedGroup pop(Shared& shared, Thread& thread) {
        thread.stack_top -= kStackStep;
        return stack_at(shared, thread.stack_top);
    }

    // Idle threads take over the groups of others, up to two from each: the one at hand and the one
    // put off last. Returns how many lots are worth a test from now on: 1 when no node is left. It
    // returns the number itself, for the compiler makes a flag a byte and tests that twice: 1.3%.
    __device__ int share_nodes(Shared& shared, Thread& thread, unsigned lane) const {
        const unsigned idle = __ballot_sync(kAll, !thread.has_node);
        if (__popc(idle) < kIdleThreads) return kEnoughLeaves;
        const bool can_give = !thread.group.is_empty();
        const unsigned givers = __ballot_sync(kAll, can_give);
        if (givers == 0) return idle != kAll ? kEnoughLeaves : 1;
        const unsigned before = (1u << lane) - 1;
        const bool can_give_more = has_stack(thread);
        const unsigned twice_givers = __ballot_sync(kAll, can_give_more);
        const int exchanges = min(__popc(idle), __popc(givers) + __popc(twice_givers));
        const int giver_rank = __popc(givers & before), idle_rank = __popc(idle & before);
        const int more_rank = __popc(givers) + __popc(twice_givers & before);
        // The conditions stand one by one, so that the compiler predicates and does not branch; 1%
        // of the time.
        const bool gives = can_give && giver_rank < exchanges;
        const bool gives_more = can_give_more && more_rank < exchanges;  // then also gives
        if (gives) shared.gifts[giver_rank] = thread.group;
        if (gives) shared.givers[giver_rank] = static_cast<std::uint8_t>(lane);
        if (gives) thread.group = {0, 0, 0};
        if (gives_more) shared.gifts[more_rank] = pop(shared, thread);
        if (gives_more) shared.givers[more_rank] = static_cast<std::uint8_t>(lane);
        const bool pops = gives && has_stack(thread);
        if (pops) thread.group = pop(shared, thread);
        __syncwarp();
        const bool takes = !thread.has_node && idle_rank < exchanges;
        unsigned from = lane;
        if (takes) from = shared.givers[idle_rank];
        if (takes) thread.group = shared.gifts[idle_rank];
        thread.slabs.move_by([&](auto x) { return __shfl_sync(kAll, x, from); });
        thread.ray = __shfl_sync(kAll, thread.ray, from);
        QuantisedGroup rest = thread.group;
        const std::uint32_t node = rest.take(thread.slabs);
        if (takes) thread.group = rest;
        if (takes) thread.node = QuantisedRay::load(bvh.units + node);
        thread.has_node = thread.has_node || takes;
        __syncwarp();
        return kEnoughLeaves;
    }

    // Visits the node at hand and sends for the next: the nearest below it, or of what waits.
    // Nothing branches: threads without a node do the same, to no effect, which is cheaper. Says
    // whether triangles were met: the lot. That is put together before the next node is sent for:
    // else words of both nodes would be needed at a time, and the compiler would copy the new ones,
    // for which it has to wait.
    __device__ bool visit_node(Shared& shared, Thread& thread, QuantisedTriangles& lot) const {
        const float limit = __int_as_float(shared.limits[thread.ray]) * thread.slabs.limit_scale();
        QuantisedVisit visit = thread.slabs.visit(thread.node, limit);
        if (!thread.has_node) visit.nodes = visit.triangles = 0;
        const bool pushes = visit.nodes != 0 && !thread.group.is_empty();
        if (pushes) stack_at(shared, thread.stack_top) = thread.group;
        if (pushes) thread.stack_top += kStackStep;
        if (thread.stack_top >= (kStackSize + 1) * kStackStep) {
            thread.stack_top -= kStackStep;
            shared.is_left[thread.ray] = 1;
        }
        if (visit.nodes != 0) thread.group = {visit.base, visit.nodes, visit.inner};
        thread.has_node = !thread.group.is_empty();
        lot = QuantisedTriangles(visit, thread.slabs, thread.ray);
        const std::uint32_t next = thread.group.take(thread.slabs);
        if (thread.has_node) thread.node = QuantisedRay::load(bvh.units + next);
        if (thread.group.is_empty() && has_stack(thread)) thread.group = pop(shared, thread);
        return visit.triangles != 0;
    }

    // Adds the triangles that each thread has met, as one lot; returns how many lots there are.
    // Threads that have met none store too, where nothing is read, for that takes no branch.
    __device__ static int queue_leaves(Shared& shared, const QuantisedTriangles& lot, bool has_lot,
                                       unsigned lane, int leaf_count) {
        const unsigned with_some = __ballot_sync(kAll, has_lot);
        const int index = leaf_count + __popc(with_some & ((1u << lane) - 1));
        const int unused = kMostLeaves + static_cast<int>(lane);
        shared.leaves[has_lot ? index : unused] = lot;
        return leaf_count + __popc(with_some);
    }

    // Tests a triangle a thread, of as many of the last lots as have 32 together at most; returns
    // how many lots that were. There is one at least. Nothing branches but what is rare: of 32
    // triangles some are always hit, so that all paths would be taken anyway.
    __device__ int test_triangles(Shared& shared, int leaf_count, unsigned lane) const {
        __syncwarp();
        QuantisedTriangles lot{};
        if (static_cast<int>(lane) < leaf_count)
            lot = shared.leaves[leaf_count - 1 - static_cast<int>(lane)];
        // Its triangles begin at the sum over the threads before, taken bit by bit of the counts.
        const unsigned before = (1u << lane) - 1;
        const std::uint32_t lot_size = lot.count();
        std::uint32_t begin = 0;
        for (unsigned bit = 0; bit < 4; ++bit)
            begin += __popc(__ballot_sync(kAll, (lot_size & 1u << bit) != 0) & before) << bit;
        const bool fits = lot_size != 0 && begin + lot_size <= 32;
        const int taken = __popc(__ballot_sync(kAll, fits));
        const auto tests = __shfl_sync(kAll, begin + lot_size, taken - 1);
        // The last lot that begins at this thread or before. Threads to which none is left take the
        // last lot's first triangle once more.
        const unsigned begins = or_over_warp(fits ? 1u << begin : 0u) & (before << 1 | 1);
        const unsigned from = __popc(begins) - 1;
        const std::uint32_t rank = lane < tests ? lane - (31 - __clz(static_cast<int>(begins))) : 0;
        lot.base = __shfl_sync(kAll, lot.base, from);
        lot.bits = __shfl_sync(kAll, lot.bits, from);
        const std::uint32_t unit = lot.find(rank), ray = lot.tag();
        const BvhTriangle triangle = load_triangle(bvh.units + unit);
        const RayShear<float> shear = shared.shear(ray);
        const float t_min = shared.t_min(ray), t_max = shared.t_max(ray);
        // A ray that starts in a corner meets the triangle at 0 and nowhere else, by the exact
        // path; that is spared where it only looks behind that.
        const bool starts_in_corner =
            triangle.a == shear.origin || triangle.b == shear.origin || triangle.c == shear.origin;
        const bool counts = unit != 0 && lane < tests && !(starts_in_corner && t_min > 0);
        const auto sheared = detail::shear(shear, triangle.a, triangle.b, triangle.c);
        const detail::EdgeFunctions<float> edge(sheared);
        const bool front = edge.u > 0;
        const bool is_inside = edge.are_certain && (edge.v > 0) == front && (edge.w > 0) == front;
        RayTriangleHit<float> hit =
            detail::weigh_corners(shear, sheared, is_inside ? edge.u : 1.0f,
                                  is_inside ? edge.v : 1.0f, is_inside ? edge.w : 1.0f, front);
        bool is_hit = counts && is_inside && hit.t >= t_min && hit.t <= t_max;
        if (counts && !edge.are_certain) {
            RayTriangleHit<float> exact{};
            is_hit = detail::finish_ray_triangle_exact(shear, sheared, t_min, t_max, exact);
            hit = exact;
        }
        // t is not negative: its bits have its order. Adding zero makes the two zeros equal.
        const int t = __float_as_int(hit.t + 0.0f);
        const int limit = __float_as_int(limit_behind_hit(sheared.az, sheared.bz, sheared.cz,
                                                          shared.inverse_length_z(ray), hit.t));
        if (is_hit && atomicMin(&shared.best_t[ray], t) > t) shared.best_index[ray] = kNoTriangle;
        __syncwarp();
        is_hit = is_hit && shared.best_t[ray] == t;
        if (is_hit) atomicMin(&shared.best_index[ray], triangle.index);
        __syncwarp();
        // Threads with equal t and index hold the same hit. Its own limit is enough: that admits
        // every hit that may equal it.
        is_hit = is_hit && shared.best_index[ray] == triangle.index;
        if (is_hit) shared.limits[ray] = limit;
        if (is_hit) shared.hit_t[ray] = hit.t;
        if (is_hit) shared.hit_u[ray] = hit.u;
        if (is_hit) shared.hit_v[ray] = hit.v;
        if (is_hit) shared.hit_front[ray] = hit.front;
        __syncwarp();
        return taken;
    }

    // This is no member, which would put all members into memory, for every thread.
    __device__ __noinline__ static RayHit cast_in_binary_tree(BvhView tree,
                                                              const BvhTriangle* triangles,
                                                              Ray ray) {
        FirstHit query(ray, triangles);
        traverse(tree, query);
        return query.hit();
    }
};

}  // namespace graze

// First hits on the device, by warps; only .cu files include this. CastRay is the same with a
// thread a ray, and its oracle.
//
// With a thread a ray, 14 of a warp's 32 threads have something to do: rays end after different
// numbers of visits, and threads that have met a triangle wait for the others. So here
// - triangles go to a queue of the warp and are tested 32 at a time, whosever ray it is; threads
//   go on with nodes meanwhile;
// - a thread whose ray is done takes over nodes that another one has put off, with its ray.
// Counted on the host (scan of 100K triangles, rays from its vertices): 24 node steps a warp with
// 26 threads active and 7 triangle steps, against 42 with 14 and 21. What else was tried is in
// docs/benchmarks.md.
//
// The answer does not depend on who does what when: it is the least of (t, triangle).
#pragma once

#include "geometry/quantised_traverse.h"

namespace graze {

struct WarpFirstHits {
    // On an H200 64 is as fast, 256 8% slower.
    static constexpr int kBlockSize = 128;
    // At a time on a multiprocessor: what keeps registers at 96. For 10^6 rays 4 are 6% slower, and
    // 6 25%; for few rays it does not matter.
    static constexpr int kBlocks = 5;

    QuantisedBvhView bvh;
    const BvhTriangle* triangles;
    const Ray* rays;
    std::int64_t count;
    RayHit* hits;

    // The least multiple of 32: a warp's threads stay together to the end.
    GRAZE_HD std::int64_t thread_count() const { return (count + 31) / 32 * 32; }

    __device__ void operator()(std::int64_t i) const {
        __shared__ Shared shared_of_warp[kBlockSize / 32];
        Shared& shared = shared_of_warp[threadIdx.x / 32];
        const unsigned lane = threadIdx.x % 32;
        const bool has_ray = i < count;
        const Ray ray = has_ray ? rays[i] : Ray{{0, 0, 0}, {0, 0, 0}};
        Thread thread{QuantisedRay(ray, bvh), {0, 0, 0}, lane, 0, has_ray, {}};
        // What this tree cannot do is left for the end.
        const bool is_left = !thread.slabs.is_usable();
        if (is_left) thread.has_node = false;
        if (thread.has_node) thread.node = thread.slabs.load(bvh.units);
        shared.store_ray(lane, ray);
        shared.limits[lane] = __float_as_int(ray.t_max + 0.0f);  // a zero has to be positive
        shared.best_t[lane] = 0x7fffffff;
        shared.best_index[lane] = kNoTriangle;
        shared.is_left[lane] = is_left;
        if (has_ray) hits[i] = RayHit{};
        __syncwarp();

        // Nodes are on their way from memory while triangles are queued and tested.
        int leaf_count = 0, queue_size = 0;
        for (bool has_nodes = true; has_nodes;) {
            const QuantisedVisit visit = visit_node(shared, thread, lane);
            leaf_count = queue_leaves(shared, thread, visit, lane, leaf_count);
            has_nodes = share_nodes(shared, thread, lane);
            while (leaf_count >= 32 || (leaf_count + queue_size > 0 && !has_nodes)) {
                const int batch = min(leaf_count, 32);
                leaf_count -= batch;
                queue_size = queue_triangles(shared, leaf_count, batch, lane, queue_size);
                while (queue_size >= 32 || (queue_size > 0 && !has_nodes && leaf_count == 0)) {
                    const int tests = min(queue_size, 32);
                    queue_size -= tests;
                    test_triangles(shared, queue_size, tests, lane, i - lane);
                }
            }
        }
        __syncwarp();  // another thread may have said so
        if (has_ray && shared.is_left[lane]) hits[i] = cast_in_binary_tree(ray);
    }

private:
    static constexpr unsigned kAll = 0xffffffffu;
    // Fewer idle threads are not worth a round of sharing. On an H200 5 to 16 are within 3% of each
    // other.
    static constexpr int kIdleThreads = 12;
    // A ray that needs more is left for the end. Rays from the vertices of a scan of 100K triangles
    // and of a sphere of a million need up to 9.
    static constexpr int kStackSize = 12;
    // 31 that wait, and all children of 32 nodes.
    static constexpr int kQueueSize = 31 + 32 * 8;

    struct alignas(8) Candidate {
        std::uint32_t unit;  // of the triangle; 0 for none
        std::uint32_t ray;   // which of the warp's
    };
    struct Shared {
        QuantisedGroup stack[kStackSize + 1][32];  // by thread: no two share a bank
        float rays[10][32];                        // RayShear, t_min, t_max, 1 / length_z
        int best_t[32];                            // bits of the first hit's t
        unsigned best_index[32];                   // the least triangle at that t
        QuantisedGroup gifts[32];
        int limits[32];                      // bits of up to where boxes are of interest
        QuantisedTriangles leaves[31 + 32];  // 31 that wait, and one for each thread
        Candidate queue[kQueueSize];
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
        int stacked;        // groups on its stack; none while group is empty
        bool has_node;
        LoadedNode node;  // to visit next
    };

    // Idle threads take over the groups of others. False when there is nothing left.
    __device__ bool share_nodes(Shared& shared, Thread& thread, unsigned lane) const {
        const unsigned idle = __ballot_sync(kAll, !thread.has_node);
        if (__popc(idle) < kIdleThreads) return true;
        const bool can_give = !thread.group.is_empty();
        const unsigned givers = __ballot_sync(kAll, can_give);
        if (givers == 0) return idle != kAll;
        const unsigned before = (1u << lane) - 1;
        const int exchanges = min(__popc(idle), __popc(givers));
        const int giver_rank = __popc(givers & before), idle_rank = __popc(idle & before);
        // One by one, so that the compiler predicates and does not branch; 1% of the time.
        const bool gives = can_give && giver_rank < exchanges;
        const bool pops = gives && thread.stacked > 0;
        if (gives) shared.gifts[giver_rank] = thread.group;
        if (gives) shared.givers[giver_rank] = static_cast<std::uint8_t>(lane);
        if (gives) thread.group = {0, 0, 0};
        if (pops) thread.group = shared.stack[--thread.stacked][lane];
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
        if (takes) thread.node = thread.slabs.load(bvh.units + node);
        thread.has_node = thread.has_node || takes;
        __syncwarp();
        return true;
    }

    // Visits the node at hand and sends for the next: the nearest below it, or of what waits.
    // Nothing branches: threads without a node do the same, to no effect, which is cheaper.
    __device__ QuantisedVisit visit_node(Shared& shared, Thread& thread, unsigned lane) const {
        const float limit = __int_as_float(shared.limits[thread.ray]) * thread.slabs.limit_scale();
        QuantisedVisit visit = thread.slabs.visit(thread.node, limit);
        if (!thread.has_node) visit.nodes = visit.triangles = 0;
        const bool pushes = visit.nodes != 0 && !thread.group.is_empty();
        if (pushes) shared.stack[thread.stacked++][lane] = thread.group;
        if (thread.stacked > kStackSize) {
            thread.stacked = kStackSize;
            shared.is_left[thread.ray] = 1;
        }
        if (visit.nodes != 0) thread.group = {visit.base, visit.nodes, visit.inner};
        thread.has_node = !thread.group.is_empty();
        const std::uint32_t next = thread.group.take(thread.slabs);
        if (thread.has_node) thread.node = thread.slabs.load(bvh.units + next);
        if (thread.group.is_empty() && thread.stacked > 0) {
            thread.group = shared.stack[--thread.stacked][lane];
        }
        return visit;
    }

    // Adds the triangles that each thread has met, still together; returns how many lots there are.
    __device__ static int queue_leaves(Shared& shared, const Thread& thread,
                                       const QuantisedVisit& visit, unsigned lane, int leaf_count) {
        const unsigned with_some = __ballot_sync(kAll, visit.triangles != 0);
        const QuantisedTriangles lot(visit, thread.slabs, thread.ray);
        const int place = leaf_count + __popc(with_some & ((1u << lane) - 1));
        if (visit.triangles != 0) shared.leaves[place] = lot;
        return leaf_count + __popc(with_some);
    }

    // Lists the triangles of some lots one by one; returns the queue's new size.
    __device__ static int queue_triangles(Shared& shared, int first, int count, unsigned lane,
                                          int queue_size) {
        __syncwarp();
        QuantisedTriangles met{};
        if (static_cast<int>(lane) < count) met = shared.leaves[first + static_cast<int>(lane)];
        __syncwarp();  // others may write there next
        // A sum over the threads before, bit by bit of the counts.
        const unsigned before = (1u << lane) - 1;
        const std::uint32_t found = met.count();
        int place = queue_size;
        for (unsigned bit = 0; bit < 4; ++bit) {
            const unsigned set = __ballot_sync(kAll, found >> bit & 1);
            place += __popc(set & before) << bit;
            queue_size += __popc(set) << bit;
        }
        for (; met.count() > 0; ++place) {
            const std::uint32_t unit = met.take();
            shared.queue[place] = {unit, met.tag()};
        }
        return queue_size;
    }

    // Tests a triangle a thread. Nothing branches but what is rare: of 32 triangles some are always
    // hit, so that all paths would be taken anyway.
    __device__ void test_triangles(Shared& shared, int first, int tests, unsigned lane,
                                   std::int64_t first_ray) const {
        __syncwarp();
        auto [unit, ray] = shared.queue[first + static_cast<int>(lane)];
        if (static_cast<int>(lane) >= tests) unit = ray = 0;
        const BvhTriangle triangle = load_triangle(bvh.units + unit);
        const RayShear<float> shear = shared.shear(ray);
        const float t_min = shared.t_min(ray), t_max = shared.t_max(ray);
        // A ray that starts in a corner meets the triangle at 0 and nowhere else, by the exact
        // path; that is spared where it only looks behind that.
        const bool starts_in_corner =
            triangle.a == shear.origin || triangle.b == shear.origin || triangle.c == shear.origin;
        const bool counts = unit != 0 && !(starts_in_corner && t_min > 0);
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
        const int limit =
            __float_as_int(limit_behind_hit(shear, shared.inverse_length_z(ray), hit.t, triangle));
        if (is_hit) {
            if (atomicMin(&shared.best_t[ray], t) > t) shared.best_index[ray] = kNoTriangle;
            atomicMin(&shared.limits[ray], limit);
        }
        __syncwarp();
        is_hit = is_hit && shared.best_t[ray] == t;
        if (is_hit) atomicMin(&shared.best_index[ray], triangle.index);
        __syncwarp();
        // Threads with equal t and index hold the same hit.
        if (is_hit && shared.best_index[ray] == triangle.index) {
            hits[first_ray + ray] = {hit.t, hit.u, hit.v, triangle.index, hit.front};
        }
        __syncwarp();
    }

    __device__ __noinline__ RayHit cast_in_binary_tree(Ray ray) const {
        FirstHit query(ray, triangles);
        traverse(bvh.tree, query);
        return query.hit();
    }
};

}  // namespace graze

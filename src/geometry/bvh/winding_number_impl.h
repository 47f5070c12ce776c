// Moments are summed from the leaves up: the second child to arrive at a node adds both, in the
// order of the sides, so that the sums do not depend on which was second.
#pragma once

#include "core/atomics.h"
#include "geometry/bvh/winding_number.h"
#include "parallel/fill.h"

namespace graze {
namespace winding_detail {

GRAZE_INLINE float reach_of(const Aabb& box, const Vec3& centre) {
    return length(max_of(box.max - centre, centre - box.min));
}

// The first moment of a plane triangle around its own centre is zero.
GRAZE_INLINE WindingMoment moment_of(const BvhTriangle& t, const Aabb& box) {
    const Vec3 normal = cross(t.b - t.a, t.c - t.a) * 0.5f;
    const Vec3 centre = (t.a + t.b + t.c) * (1.0f / 3.0f);
    const float sides = length(t.b - t.a) * length(t.c - t.a);
    return {centre, length(normal), normal, reach_of(box, centre), {}, sides, 0};
}

// Adds the first moment of a child, taken around another centre.
GRAZE_INLINE void add_first_moment(WindingMoment& sum, const WindingMoment& child) {
    const Vec3 d = child.centre - sum.centre, n = child.normal;
    sum.first[0] += child.first[0] + d.x * n.x;
    sum.first[1] += child.first[1] + d.y * n.y;
    sum.first[2] += child.first[2] + d.z * n.z;
    sum.first[3] += child.first[3] + d.x * n.y + d.y * n.x;
    sum.first[4] += child.first[4] + d.y * n.z + d.z * n.y;
    sum.first[5] += child.first[5] + d.z * n.x + d.x * n.z;
}

GRAZE_INLINE WindingMoment sum_of(const WindingMoment& a, const WindingMoment& b, const Aabb& box) {
    const float area = a.area + b.area;
    // Clusters without area do not change the normal, but need a finite centre.
    const Vec3 mid = area > 0 ? (a.centre * a.area + b.centre * b.area) / area : centre(box);
    WindingMoment sum{mid, area, a.normal + b.normal, reach_of(box, mid), {}, a.sides + b.sides, 0};
    add_first_moment(sum, a);
    add_first_moment(sum, b);
    return sum;
}

struct SumMoments {
    TriangleBvhView bvh;
    WindingMoment* moments;
    std::uint32_t* arrivals;
    GRAZE_HD void operator()(std::int64_t slot) const {
        std::int32_t from = ~static_cast<std::int32_t>(slot);
        std::int32_t at = bvh.tree.leaf_parents[slot];
        const int leaf_side = bvh.tree.nodes[at].child[0] == from ? 0 : 1;
        moments[2 * at + leaf_side] =
            moment_of(bvh.triangles[slot], bvh.tree.nodes[at].box[leaf_side]);
        if (bvh.tree.primitive_count == 1) return;
        while (atomic_fetch_add(arrivals + at, 1u) == 1) {
            const WindingMoment a = load_coherent(moments + 2 * at),
                                b = load_coherent(moments + 2 * at + 1);
            from = at;
            at = bvh.tree.nodes[at].parent;
            if (at < 0) return;
            const int side = bvh.tree.nodes[at].child[0] == from ? 0 : 1;
            moments[2 * at + side] = sum_of(a, b, bvh.tree.nodes[at].box[side]);
        }
    }
};

}  // namespace winding_detail

template <class Executor>
void build_winding_tree(Executor& executor, const TriangleBvh& bvh, WindingTree& winding) {
    using namespace winding_detail;
    const std::int64_t node_count = bvh.tree.nodes.size();
    winding.moments.resize(2 * node_count);
    winding.arrivals.resize(node_count);
    executor.for_each("winding: clear arrivals", node_count,
                      Fill<std::uint32_t>{winding.arrivals.data(), 0});
    executor.for_each("winding: sum moments", bvh.tree.primitives.size(),
                      SumMoments{bvh.view(), winding.moments.data(), winding.arrivals.data()});
}

}  // namespace graze

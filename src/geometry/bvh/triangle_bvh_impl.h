// A TriangleBvh is a Bvh over the boxes of the triangles; their corners are gathered in the order
// of its slots.
#pragma once

#include "geometry/bvh/bvh_build_impl.h"
#include "geometry/bvh/triangle_bvh.h"

namespace graze {
namespace bvh_detail {

struct BoxTriangle {
    const Vec3* positions;
    const Triangle* triangles;
    Aabb* boxes;
    GRAZE_HD void operator()(std::int64_t i) const {
        const Triangle t = triangles[i];
        boxes[i] = box_of(positions[t[0]], positions[t[1]], positions[t[2]]);
    }
};

struct GatherTriangle {
    const Vec3* positions;
    const Triangle* triangles;
    const std::uint32_t* primitives;
    BvhTriangle* out;
    GRAZE_HD void operator()(std::int64_t slot) const {
        const std::uint32_t index = primitives[slot];
        const Triangle t = triangles[index];
        out[slot] = {positions[t[0]], positions[t[1]], positions[t[2]], index, {0, 0}};
    }
};

template <class Executor>
void box_triangles(Executor& executor, const Vec3* positions, const Triangle* triangles,
                   TriangleBvh& bvh) {
    executor.for_each("triangle bvh: box triangles", bvh.boxes.size(),
                      BoxTriangle{positions, triangles, bvh.boxes.data()});
}

template <class Executor>
void gather_triangles(Executor& executor, const Vec3* positions, const Triangle* triangles,
                      TriangleBvh& bvh) {
    bvh.triangles.resize(bvh.boxes.size());
    executor.for_each(
        "triangle bvh: gather triangles", bvh.boxes.size(),
        GatherTriangle{positions, triangles, bvh.tree.primitives.data(), bvh.triangles.data()});
}

}  // namespace bvh_detail

template <class Executor>
void build_triangle_bvh(Executor& executor, const Vec3* positions, const Triangle* triangles,
                        std::int64_t count, BvhQuality quality, TriangleBvh& bvh) {
    bvh.boxes.resize(count);
    bvh_detail::box_triangles(executor, positions, triangles, bvh);
    build_bvh(executor, bvh.boxes.data(), count, quality, bvh.tree, bvh.workspace);
    bvh_detail::gather_triangles(executor, positions, triangles, bvh);
}

template <class Executor>
void refit_triangle_bvh(Executor& executor, const Vec3* positions, const Triangle* triangles,
                        TriangleBvh& bvh) {
    bvh_detail::box_triangles(executor, positions, triangles, bvh);
    refit_bvh(executor, bvh.boxes.data(), bvh.tree, bvh.workspace);
    bvh_detail::gather_triangles(executor, positions, triangles, bvh);
}

}  // namespace graze

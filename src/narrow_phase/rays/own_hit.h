// Where a ray of a vertex meets its vertex's own body. A rigid shape knows that beforehand
// (RayVertex); of one that deforms it is asked when a ray has met another body, and only as far as
// that, which most of the time is not far.
#pragma once

#include "narrow_phase/rays/shape_rays.h"

namespace graze {

// The first hit of a ray that begins at a vertex, on one side of the triangles and on none that
// touches the vertex.
class OwnHit : public RayQuery<OwnHit> {
public:
    // triangles: by index, of vertices. vertex: one of these.
    GRAZE_INLINE OwnHit(const Ray& ray, const TriangleBvhView& tree, const Triangle* triangles,
                        std::uint32_t vertex, bool is_front)
        : RayQuery(ray, tree.triangles),
          triangles_by_index_(triangles),
          vertex_(vertex),
          is_front_(is_front) {}

    GRAZE_INLINE void found(const RayHit& hit, const BvhTriangle& triangle) {
        const Triangle& t = triangles_by_index_[hit.triangle];
        const bool touches = t[0] == vertex_ || t[1] == vertex_ || t[2] == vertex_;
        if (touches || hit.front != is_front_) return;
        reach_ = min_of(reach_, hit.t);
        lower_limit(hit.t, triangle);
    }
    // Infinite where there is none.
    GRAZE_INLINE float reach() const { return reach_; }

private:
    const Triangle* triangles_by_index_;
    std::uint32_t vertex_;
    bool is_front_;
    float reach_ = std::numeric_limits<float>::infinity();
};

// A vertex with the reach that a ray of this depth needs: inner_reach where depth is 0 or more,
// outer_reach below. It is exact up to most [m, in the shape's frame], and else only known to be
// more. Of a shape that does not deform, the vertex is as it is.
template <class Caster>
GRAZE_INLINE RayVertex with_own_reach(const ShapeRays& shape, std::int64_t index, float depth,
                                      float most) {
    RayVertex vertex = shape.vertices[index];
    if (!shape.deforms()) return vertex;
    const bool is_inward = depth >= 0;
    // More than what rounding takes away from most.
    const Ray ray{vertex.position, is_inward ? -vertex.normal : vertex.normal, 0, most * 1.0001f};
    OwnHit query(ray, shape.tree, shape.own_triangles, shape.vertex_index[index], !is_inward);
    Caster::cast(shape, ray, query);
    (is_inward ? vertex.inner_reach : vertex.outer_reach) = query.reach();
    return vertex;
}

}  // namespace graze

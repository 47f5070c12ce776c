// One ray of a vertex against the other body: the standard cast, which finds what it meets first,
// and the iterative one, which begins at a triangle and walks to its neighbours.
//
// Depth is a signed number along the ray that goes against the vertex's normal, in units of the
// other body's frame: from 0 on, the ray meets that body from inside, so that the vertex is inside;
// below 0, the ray in the opposite direction, of that length, meets it from outside, so that the
// vertex is in front of it. Either way the triangle faces along the first ray.
#pragma once

#include "geometry/topology.h"
#include "graze/detector.h"
#include "narrow_phase/rays/shape_rays.h"

namespace graze {

// What is known of a ray. In the state of a step: where the next step begins.
struct RayOutcome {
    static constexpr std::uint32_t kIsNone = 0xffffffffu;     // no triangle is met
    static constexpr std::uint32_t kIsUnknown = 0xfffffffeu;  // it is to be cast

    float depth;         // as above; 0 where no triangle is met
    std::uint32_t bits;  // the triangle that is met, or one of the above
    // [m] world: until the pair has moved so far from its base pose, the vertex has passed no
    // surface of the other body.
    float clear;

    GRAZE_INLINE static RayOutcome none() { return {0, kIsNone, 0}; }
    GRAZE_INLINE static RayOutcome hit(float depth, std::uint32_t triangle) {
        return {depth, triangle, 0};
    }
    GRAZE_INLINE static RayOutcome unknown() { return {0, kIsUnknown, 0}; }
    GRAZE_INLINE RayOutcome with_clear(float distance) const { return {depth, bits, distance}; }

    GRAZE_INLINE bool is_met() const { return bits < kIsUnknown; }
    GRAZE_INLINE bool is_unknown() const { return bits == kIsUnknown; }
    GRAZE_INLINE std::uint32_t triangle() const { return bits; }
};

// A vertex seen from the other body's frame.
struct VertexRay {
    Vec3 origin;                     // [m]
    Vec3 direction;                  // unit but for rounding, against the vertex's normal
    float inner_reach, outer_reach;  // [m] as in RayVertex; the latter is look_ahead at most
    float look_ahead;                // [m] how far beyond a ray's end what it meets is of interest
};

// The first hit. Of hits at the same parameter the one on the wanted side comes first, then that on
// the triangle of the lower index, so that the tree does not show.
class FirstVertexHit : public RayQuery<FirstVertexHit> {
public:
    GRAZE_INLINE FirstVertexHit(const Ray& ray, const BvhTriangle* triangles, bool wants_front)
        : RayQuery(ray, triangles), wants_front_(wants_front) {}

    GRAZE_INLINE void found(const RayHit& hit, const BvhTriangle& triangle) {
        if (hit_.triangle == kNoTriangle || hit.t < hit_.t || comes_first(hit)) hit_ = hit;
        lower_limit(hit.t, triangle);
    }
    // The triangle where the first hit is on the wanted side, else kNoTriangle.
    GRAZE_INLINE std::uint32_t triangle() const {
        return hit_.triangle != kNoTriangle && hit_.front == wants_front_ ? hit_.triangle
                                                                          : kNoTriangle;
    }
    GRAZE_INLINE float t() const { return hit_.t; }

private:
    GRAZE_INLINE bool comes_first(const RayHit& hit) const {
        if (hit.t != hit_.t) return false;
        if (hit.front != hit_.front) return hit.front == wants_front_;
        return hit.triangle < hit_.triangle;
    }

    bool wants_front_;
    RayHit hit_{};
};

// The ways to find the first hit that both machines have: cast(shape, ray, query) asks all
// triangles that the ray may meet, look_near(shape, query) those that may be near.
struct CastAtEveryTriangle {
    template <class Query>
    GRAZE_INLINE static void cast(const ShapeRays& shape, const Ray&, Query& query) {
        for (std::int64_t slot = 0; slot < shape.tree.tree.primitive_count; ++slot)
            query.visit(static_cast<std::uint32_t>(slot));
    }
    template <class Query>
    GRAZE_INLINE static void look_near(const ShapeRays& shape, Query& query) {
        traverse(shape.tree.tree, query);
    }
};
struct CastWithoutStack {
    template <class Query>
    GRAZE_INLINE static void cast(const ShapeRays& shape, const Ray&, Query& query) {
        traverse_stackless(shape.tree.tree, query);
    }
    template <class Query>
    GRAZE_INLINE static void look_near(const ShapeRays& shape, Query& query) {
        traverse(shape.tree.tree, query);
    }
};

// inner_reach: [m] how far the ray against the normal is of interest.
template <class Caster>
GRAZE_INLINE RayOutcome cast_vertex_ray(const ShapeRays& shape, const VertexRay& vertex,
                                        float inner_reach) {
    const Ray inward{vertex.origin, vertex.direction, 0, inner_reach};
    FirstVertexHit inner(inward, shape.tree.triangles, false);
    Caster::cast(shape, inward, inner);
    if (inner.triangle() != kNoTriangle) return RayOutcome::hit(inner.t(), inner.triangle());
    if (vertex.outer_reach > 0) {
        const Ray outward{vertex.origin, -vertex.direction, 0, vertex.outer_reach};
        FirstVertexHit outer(outward, shape.tree.triangles, true);
        Caster::cast(shape, outward, outer);
        if (outer.triangle() != kNoTriangle) return RayOutcome::hit(-outer.t(), outer.triangle());
    }
    return RayOutcome::none();
}
// As far as it counts.
template <class Caster>
GRAZE_INLINE RayOutcome cast_vertex_ray(const ShapeRays& shape, const VertexRay& vertex) {
    return cast_vertex_ray<Caster>(shape, vertex, vertex.inner_reach + vertex.look_ahead);
}

// [m] How far a vertex is from the other body's surface, at most `limit`.
template <class Caster>
GRAZE_INLINE float clearance(const ShapeRays& shape, const Vec3& vertex, float limit) {
    ClosestPoint query(vertex, shape.tree.triangles, limit * limit);
    Caster::look_near(shape, query);
    return query.is_found() ? std::sqrt(query.closest().distance_sq) : limit;
}

namespace rays_detail {

GRAZE_INLINE WalkTriangle load_walk_triangle(const WalkTriangle* source) {
#if GRAZE_ON_DEVICE
    const auto* words = reinterpret_cast<const float4*>(source);
    const float4 a = __ldg(words), b = __ldg(words + 1), c = __ldg(words + 2);
    return {{{a.x, a.y, a.z}, {a.w, b.x, b.y}, {b.z, b.w, c.x}},
            {__float_as_uint(c.y), __float_as_uint(c.z), __float_as_uint(c.w)}};
#else
    return *source;
#endif
}

// The squared distance of the origin from the segment from (px, py) to (qx, qy).
GRAZE_INLINE float distance_sq_segment(float px, float py, float qx, float qy) {
    const float ex = qx - px, ey = qy - py;
    const float length_sq = ex * ex + ey * ey;
    const float along = -(px * ex + py * ey);
    const float t = length_sq > 0 ? clamp(along / length_sq, 0.0f, 1.0f) : 0.0f;
    const float x = px + ex * t, y = py + ey * t;
    return x * x + y * y;
}

// The neighbour over the side that is closest to the line, of those that the line lies beyond;
// kNoIndex where none leads on: out of the mesh, or back to where the walk came from. A side that
// the line does not lie beyond can be as close, at a common corner, but leads the long way around.
GRAZE_INLINE std::uint32_t next_triangle(const WalkTriangle& triangle, const RayShear<float>& line,
                                         std::uint32_t previous) {
    const auto s =
        detail::shear(line, triangle.corners[0], triangle.corners[1], triangle.corners[2]);
    const detail::EdgeFunctions<float> edge(s);
    const float area = edge.u + edge.v + edge.w;
    const float beyond[3] = {edge.w * area, edge.u * area, edge.v * area};
    const float distances[3] = {distance_sq_segment(s.ax, s.ay, s.bx, s.by),
                                distance_sq_segment(s.bx, s.by, s.cx, s.cy),
                                distance_sq_segment(s.cx, s.cy, s.ax, s.ay)};
    std::uint32_t closest = kNoIndex;
    float least = std::numeric_limits<float>::infinity();
    for (int k = 0; k < 3; ++k) {
        const std::uint32_t next = triangle.neighbours[k];
        // Seen edge-on, a triangle has no inside.
        if (beyond[k] > 0 || next == previous || next == kNoIndex || !(distances[k] < least))
            continue;
        least = distances[k];
        closest = next;
    }
    return closest;
}

}  // namespace rays_detail

// Follows the line of a vertex's rays from a triangle on, over at most max_iterations triangles.
// Nothing is met where the walk does not arrive, or arrives at a triangle that faces the other way:
// then nothing is known.
GRAZE_INLINE RayOutcome walk_to_hit(const ShapeRays& shape, const VertexRay& vertex,
                                    std::uint32_t start, int max_iterations) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const RayShear<float> line = make_ray_shear(vertex.origin, vertex.direction);
    std::uint32_t previous = kNoIndex, at = start;
    for (int i = 0; i < max_iterations && at != kNoIndex; ++i) {
        const WalkTriangle triangle = rays_detail::load_walk_triangle(shape.triangles + at);
        RayTriangleHit<float> hit;
        if (intersect_ray_triangle(line, triangle.corners[0], triangle.corners[1],
                                   triangle.corners[2], -kInfinity, kInfinity, hit)) {
            return hit.front ? RayOutcome::none() : RayOutcome::hit(hit.t, at);
        }
        const std::uint32_t next = rays_detail::next_triangle(triangle, line, previous);
        previous = at;
        at = next;
    }
    return RayOutcome::none();
}

}  // namespace graze

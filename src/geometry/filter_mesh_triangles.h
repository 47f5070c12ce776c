// A quick verdict on two triangles of a mesh: do they meet elsewhere than where the mesh joins
// them? Apart and meeting are certain; the few that are doubtful are for
// intersect_mesh_triangles(), whose rule this is. Double arithmetic only: on a GPU the exact
// expansions would keep their registers and stack from the many that need neither.
//
// What it looks for, in the order in which most pairs of real meshes end:
//   a shared vertex   a plane through it that has the rest of the triangles on its two sides. In a
//                     surface most pairs with a common vertex look away from each other, so that
//                     the difference of their directions will do;
//   a shared edge     the opposite corners are no plane's, or on both sides of the edge as seen
//                     along an axis; likewise for a shared vertex where all may lie in one plane;
//   else, or then     a triangle on one side of the other's plane, the corners apart that it
//                     shares. Where both have corners on both sides, the order along the common
//                     line (intersect_triangle_triangle.h).
#pragma once

#include "geometry/intersect_mesh_triangles.h"

namespace graze {

enum class MeetVerdict : std::uint8_t { apart, meeting, doubtful };

namespace detail {

// Which corners of triangle t the other one names, too: bit i stands for corner i.
GRAZE_INLINE unsigned shared_corners(const Triangle& t, const Triangle& other) {
    unsigned mask = 0;
    for (int i = 0; i < 3; ++i) {
        const bool is_shared = t[i] == other[0] || t[i] == other[1] || t[i] == other[2];
        mask |= (is_shared ? 1u : 0u) << i;
    }
    return mask;
}

// The same triangle, beginning with the corner of a mask that has one bit.
GRAZE_INLINE Triangle begun_at(const Triangle& t, unsigned corner) {
    if (corner == 1) return t;
    return corner == 2 ? Triangle{{t[1], t[2], t[0]}} : Triangle{{t[2], t[0], t[1]}};
}

GRAZE_INLINE bool has_one_bit(unsigned mask) {
    return mask == 1 || mask == 2 || mask == 4;
}

// The heights of three points above the plane through c0, c1, c2, times twice the area of that
// triangle; each is off by at most bound.
//
// estimate_volume() is off by at most 8u (1 + 16u) of a sum S of products. With P, Q and R the
// largest components of the three differences S is at most 6 P Q R; this takes that, once for all
// three points, with 50u for 48u. The bound is several times as large, but rounding rarely matters.
struct HeightsAbovePlane {
    double h0, h1, h2, bound;

    GRAZE_INLINE int side(double height) const {
        return height > bound ? 1 : (-height > bound ? -1 : kUnsureSign);
    }
    GRAZE_INLINE bool are_on_one_side() const {
        return (h0 > bound && h1 > bound && h2 > bound) ||
               (-h0 > bound && -h1 > bound && -h2 > bound);
    }
    GRAZE_INLINE bool are_sure() const {
        return std::fabs(h0) > bound && std::fabs(h1) > bound && std::fabs(h2) > bound;
    }
};

GRAZE_INLINE HeightsAbovePlane heights_above(const Vec3d (&c)[3], const Vec3d (&points)[3]) {
    const Vec3d p = c[1] - c[0], q = c[2] - c[0];
    const Vec3d normal = cross(p, q);
    const Vec3d r0 = points[0] - c[0], r1 = points[1] - c[0], r2 = points[2] - c[0];
    const double reach =
        max_of(max_of(largest_component(r0), largest_component(r1)), largest_component(r2));
    return {dot(normal, r0), dot(normal, r1), dot(normal, r2),
            0x1.9p-48 * (largest_component(p) * largest_component(q) * reach)};
}

// orient2d as seen along the axis.
GRAZE_INLINE int side_along(int axis, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const int x = (axis + 1) % 3, y = (axis + 2) % 3;
    return orient2d_filtered(a[x], a[y], b[x], b[y], c[x], c[y]);
}

// The axis along which triangle a b c is seen best.
GRAZE_INLINE int best_axis(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d normal = cross(b - a, c - a);
    const double x = std::fabs(normal.x), y = std::fabs(normal.y), z = std::fabs(normal.z);
    return x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
}

// True where the line v p, seen along the axis, has q on one side, r and s on the other: triangles
// v p q and v r s, in whatever planes, then have only v in common.
GRAZE_INLINE bool is_separating(int axis, const Vec3d& v, const Vec3d& p, const Vec3d& q,
                                const Vec3d& r, const Vec3d& s) {
    const int side = side_along(axis, v, p, q);
    return side * side_along(axis, v, p, r) == -1 && side * side_along(axis, v, p, s) == -1;
}

// Decides about triangles v p q and v r s of one vertex that may lie in one plane.
GRAZE_NOINLINE inline MeetVerdict filter_flat_vertex(const Vec3d& v, const Vec3d& p, const Vec3d& q,
                                                     const Vec3d& r, const Vec3d& s) {
    const int axis = best_axis(v, p, q);
    const bool is_separated =
        is_separating(axis, v, p, q, r, s) || is_separating(axis, v, q, p, r, s) ||
        is_separating(axis, v, r, s, p, q) || is_separating(axis, v, s, r, p, q);
    return is_separated ? MeetVerdict::apart : MeetVerdict::doubtful;
}

// Decides about triangles v p q and v r s of one vertex.
GRAZE_INLINE MeetVerdict filter_around_vertex(const Vec3d& v, const Vec3d& p, const Vec3d& q,
                                              const Vec3d& r, const Vec3d& s) {
    const Vec3d vp = p - v, vq = q - v, vr = r - v, vs = s - v;
    // Any direction that passes the test is right, however it was rounded.
    const Vec3d direction = (vp + vq) - (vr + vs);
    // A difference, a product and two sums round: four times u of no more than three products.
    const double reach = max_of(max_of(largest_component(vp), largest_component(vq)),
                                max_of(largest_component(vr), largest_component(vs)));
    const double bound = 0x1.ap-50 * (largest_component(direction) * reach);
    if (dot(vp, direction) > bound && dot(vq, direction) > bound && -dot(vr, direction) > bound &&
        -dot(vs, direction) > bound)
        return MeetVerdict::apart;
    const int r_side = orient3d_filtered(v, p, q, r), s_side = orient3d_filtered(v, p, q, s);
    if (r_side * s_side == 1) return MeetVerdict::apart;
    const int p_side = orient3d_filtered(v, r, s, p), q_side = orient3d_filtered(v, r, s, q);
    if (p_side * q_side == 1) return MeetVerdict::apart;
    // See meet_beyond_vertex().
    if (r_side * s_side == -1 && p_side * q_side == -1)
        return p_side != r_side ? MeetVerdict::meeting : MeetVerdict::apart;
    return filter_flat_vertex(v, p, q, r, s);
}

// Decides about triangles u v p and u v q of one edge.
GRAZE_INLINE MeetVerdict filter_around_edge(const Vec3d& u, const Vec3d& v, const Vec3d& p,
                                            const Vec3d& q) {
    const int side = orient3d_filtered(u, v, p, q);
    if (side == 1 || side == -1) return MeetVerdict::apart;
    // Where p and q are on both sides of the edge as seen along some axis, the triangles have only
    // the edge in common, whether one plane holds them or not.
    const int axis = best_axis(u, v, p);
    if (side_along(axis, u, v, p) * side_along(axis, u, v, q) == -1) return MeetVerdict::apart;
    return MeetVerdict::doubtful;
}

// True where an edge of a, seen along the axis, has its opposite corner on one side and all of b on
// the other.
GRAZE_INLINE bool has_separating_edge(int axis, const Vec3d (&a)[3], const Vec3d (&b)[3]) {
    for (int i = 0; i < 3; ++i) {
        const Vec3d &p = a[i], &q = a[(i + 1) % 3];
        const int side = side_along(axis, p, q, a[(i + 2) % 3]);
        if (side * side_along(axis, p, q, b[0]) == -1 &&
            side * side_along(axis, p, q, b[1]) == -1 && side * side_along(axis, p, q, b[2]) == -1)
            return true;
    }
    return false;
}

GRAZE_NOINLINE inline MeetVerdict filter_flat_unconnected(const Vec3d (&a)[3],
                                                          const Vec3d (&b)[3]) {
    const int axis = best_axis(a[0], a[1], a[2]);
    return has_separating_edge(axis, a, b) || has_separating_edge(axis, b, a)
               ? MeetVerdict::apart
               : MeetVerdict::doubtful;
}

// Decides about triangles without a common vertex.
GRAZE_INLINE MeetVerdict filter_unconnected(Vec3d (&a)[3], Vec3d (&b)[3]) {
    const HeightsAbovePlane of_b = heights_above(a, b);
    if (of_b.are_on_one_side()) return MeetVerdict::apart;
    const HeightsAbovePlane of_a = heights_above(b, a);
    if (of_a.are_on_one_side()) return MeetVerdict::apart;
    if (!of_a.are_sure() || !of_b.are_sure()) return filter_flat_unconnected(a, b);
    arrange_crossing(a, b, of_a.side(of_a.h0), of_a.side(of_a.h1), of_a.side(of_a.h2),
                     of_b.side(of_b.h0), of_b.side(of_b.h1), of_b.side(of_b.h2));
    const int start = orient3d_filtered(a[0], a[1], b[0], b[1]);
    if (start == 1) return MeetVerdict::apart;
    const int end = orient3d_filtered(a[0], a[2], b[0], b[2]);
    if (end == -1) return MeetVerdict::apart;
    return start == kUnsureSign || end == kUnsureSign ? MeetVerdict::doubtful
                                                      : MeetVerdict::meeting;
}

// The exact test is kept out of the code that is quick.
template <class T>
GRAZE_NOINLINE bool intersect_mesh_triangles_exactly(const Vec3T<T>* positions, const Triangle& a,
                                                     const Triangle& b) {
    return intersect_mesh_triangles(positions, a, b);
}

}  // namespace detail

template <class T>
GRAZE_HD MeetVerdict filter_mesh_triangles(const Vec3T<T>* positions, Triangle a, Triangle b) {
    using detail::widen;
    const unsigned shared_a = detail::shared_corners(a, b), shared_b = detail::shared_corners(b, a);
    if (shared_a == 0) {
        Vec3d corners_a[3] = {widen(positions[a[0]]), widen(positions[a[1]]),
                              widen(positions[a[2]])};
        Vec3d corners_b[3] = {widen(positions[b[0]]), widen(positions[b[1]]),
                              widen(positions[b[2]])};
        return detail::filter_unconnected(corners_a, corners_b);
    }
    if (detail::has_one_bit(shared_a) && detail::has_one_bit(shared_b)) {
        a = detail::begun_at(a, shared_a);
        b = detail::begun_at(b, shared_b);
        return detail::filter_around_vertex(widen(positions[a[0]]), widen(positions[a[1]]),
                                            widen(positions[a[2]]), widen(positions[b[1]]),
                                            widen(positions[b[2]]));
    }
    const unsigned own_a = 7u ^ shared_a, own_b = 7u ^ shared_b;
    if (detail::has_one_bit(own_a) && detail::has_one_bit(own_b)) {
        a = detail::begun_at(a, own_a);
        b = detail::begun_at(b, own_b);
        return detail::filter_around_edge(widen(positions[a[1]]), widen(positions[a[2]]),
                                          widen(positions[a[0]]), widen(positions[b[0]]));
    }
    // All three are shared, or a triangle names a vertex twice.
    return MeetVerdict::doubtful;
}

// The answer of intersect_mesh_triangles(), which comes faster where most pairs are apart.
template <class T>
GRAZE_INLINE bool meet_mesh_triangles(const Vec3T<T>* positions, const Triangle& a,
                                      const Triangle& b) {
    const MeetVerdict verdict = filter_mesh_triangles(positions, a, b);
    if (verdict != MeetVerdict::doubtful) return verdict == MeetVerdict::meeting;
    return detail::intersect_mesh_triangles_exactly(positions, a, b);
}

}  // namespace graze

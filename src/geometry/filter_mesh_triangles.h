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
//                     along an axis;
//   else, or then     a triangle on one side of the other's plane, the corners apart that it
//                     shares. Where both have corners on both sides, the order along the common
//                     line (intersect_triangle_triangle.h).
#pragma once

#include "geometry/intersect_mesh_triangles.h"

namespace graze {

enum class MeetVerdict : std::uint8_t { apart, meeting, doubtful };

namespace detail {

// Which corners of triangle t the other one names, too: bit i for corner i.
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

// Is difference . direction above zero for certain? difference was rounded once; together with the
// product and two sums that makes four roundings, as in orient2d.
GRAZE_INLINE bool is_ahead(const Vec3d& difference, const Vec3d& direction) {
    constexpr double kBound = 0x1p-51 * (1 + 0x1p-50);
    const double x = difference.x * direction.x, y = difference.y * direction.y,
                 z = difference.z * direction.z;
    return x + y + z > kBound * (std::fabs(x) + std::fabs(y) + std::fabs(z));
}

// Triangles v p q and v r s of one vertex.
GRAZE_INLINE MeetVerdict filter_around_vertex(const Vec3d& v, const Vec3d& p, const Vec3d& q,
                                              const Vec3d& r, const Vec3d& s) {
    const Vec3d vp = p - v, vq = q - v, vr = r - v, vs = s - v;
    // Any direction is right that passes the test, however it was rounded.
    const Vec3d direction = (vp + vq) - (vr + vs);
    if (is_ahead(vp, direction) && is_ahead(vq, direction) && is_ahead(vr, -direction) &&
        is_ahead(vs, -direction))
        return MeetVerdict::apart;
    const int r_side = orient3d_filtered(v, p, q, r), s_side = orient3d_filtered(v, p, q, s);
    if (r_side * s_side == 1) return MeetVerdict::apart;
    const int p_side = orient3d_filtered(v, r, s, p), q_side = orient3d_filtered(v, r, s, q);
    if (p_side * q_side == 1) return MeetVerdict::apart;
    // See meet_beyond_vertex().
    if (r_side * s_side == -1 && p_side * q_side == -1)
        return p_side != r_side ? MeetVerdict::meeting : MeetVerdict::apart;
    return MeetVerdict::doubtful;
}

// orient2d as seen along the axis.
GRAZE_INLINE int side_along(int axis, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const int x = (axis + 1) % 3, y = (axis + 2) % 3;
    return orient2d_filtered(a[x], a[y], b[x], b[y], c[x], c[y]);
}

// Triangles u v p and u v q of one edge.
GRAZE_INLINE MeetVerdict filter_around_edge(const Vec3d& u, const Vec3d& v, const Vec3d& p,
                                            const Vec3d& q) {
    const int side = orient3d_filtered(u, v, p, q);
    if (side == 1 || side == -1) return MeetVerdict::apart;
    // On both sides of the edge as seen along some axis: then, whether one plane holds them or not,
    // they have only the edge in common.
    const Vec3d normal = cross(v - u, p - u);
    const double x = std::fabs(normal.x), y = std::fabs(normal.y), z = std::fabs(normal.z);
    const int axis = x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
    if (side_along(axis, u, v, p) * side_along(axis, u, v, q) == -1) return MeetVerdict::apart;
    return MeetVerdict::doubtful;
}

GRAZE_INLINE bool are_equal_and_sure(int a, int b, int c) {
    return a * b == 1 && b * c == 1;
}
// Each +1 or -1.
GRAZE_INLINE bool are_sure(int a, int b, int c) {
    return a * b * c == 1 || a * b * c == -1;
}

// Triangles without a common vertex.
GRAZE_INLINE MeetVerdict filter_unconnected(Vec3d (&a)[3], Vec3d (&b)[3]) {
    const int b0 = orient3d_filtered(a[0], a[1], a[2], b[0]);
    const int b1 = orient3d_filtered(a[0], a[1], a[2], b[1]);
    const int b2 = orient3d_filtered(a[0], a[1], a[2], b[2]);
    if (are_equal_and_sure(b0, b1, b2)) return MeetVerdict::apart;
    const int a0 = orient3d_filtered(b[0], b[1], b[2], a[0]);
    const int a1 = orient3d_filtered(b[0], b[1], b[2], a[1]);
    const int a2 = orient3d_filtered(b[0], b[1], b[2], a[2]);
    if (are_equal_and_sure(a0, a1, a2)) return MeetVerdict::apart;
    if (!are_sure(a0, a1, a2) || !are_sure(b0, b1, b2)) return MeetVerdict::doubtful;
    arrange_crossing(a, b, a0, a1, a2, b0, b1, b2);
    const int start = orient3d_filtered(a[0], a[1], b[0], b[1]);
    const int end = orient3d_filtered(a[0], a[2], b[0], b[2]);
    if (start == 1 || end == -1) return MeetVerdict::apart;
    return start == kUnsureSign || end == kUnsureSign ? MeetVerdict::doubtful
                                                      : MeetVerdict::meeting;
}

// Out of the way of what is quick.
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
    // Three, or a triangle that names a vertex twice.
    return MeetVerdict::doubtful;
}

// As intersect_mesh_triangles(), faster where most pairs are apart.
template <class T>
GRAZE_INLINE bool meet_mesh_triangles(const Vec3T<T>* positions, const Triangle& a,
                                      const Triangle& b) {
    const MeetVerdict verdict = filter_mesh_triangles(positions, a, b);
    if (verdict != MeetVerdict::doubtful) return verdict == MeetVerdict::meeting;
    return detail::intersect_mesh_triangles_exactly(positions, a, b);
}

}  // namespace graze

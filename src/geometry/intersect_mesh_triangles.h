// Do two triangles of one mesh meet anywhere else than where the mesh joins them? Exact for float
// and double (domain: predicates.h).
//
// One rule on point sets: the closed triangles' intersection is larger than the convex hull of the
// vertices that both name (nothing, a vertex, an edge). It agrees with CGAL's
// Polygon_mesh_processing::self_intersections() on all faces with area:
//   no vertex shared     any common point counts, touching too;
//   one vertex shared    the opposite edge of one meets the other triangle;
//   an edge shared       the triangles are coplanar and on the same side of it: folded;
//   all three shared     always: a duplicate, whatever its winding.
// Where we differ: CGAL pairs a collapsed face (corners on one line) with itself and tests it
// against no other. Here such a face is the segment or point that its corners span, the same rule
// decides it against all others, and are_collinear() finds it.
#pragma once

#include "geometry/intersect_triangle_triangle.h"
#include "graze/mesh.h"

namespace graze {

namespace detail {

// True where b and c lie in the same direction as seen from a; neither does where it coincides with
// a.
template <class T>
GRAZE_HD bool is_same_direction(const Vec3T<T>& a, const Vec3T<T>& b, const Vec3T<T>& c) {
    return a != b && a != c && is_before(a, b) == is_before(a, c) && are_collinear(a, b, c);
}

// Does the segment v x meet triangle v r s, which has not collapsed, elsewhere than in v?
template <class T>
GRAZE_HD bool spoke_meets_beyond_vertex(const Vec3T<T>& v, const Vec3T<T>& x, const Vec3T<T>& r,
                                        const Vec3T<T>& s) {
    return v != x &&
           (intersect_segment_triangle(x, x, v, r, s) || intersect_segment_segment(v, x, r, s));
}

// One of the triangles v p q and v r s, or both, has collapsed. It is the two spokes v p and v q.
template <class T>
GRAZE_NOINLINE bool meet_beyond_vertex_collapsed(const Vec3T<T>& v, const Vec3T<T>& p,
                                                 const Vec3T<T>& q, const Vec3T<T>& r,
                                                 const Vec3T<T>& s, bool a_collapsed,
                                                 bool b_collapsed) {
    if (a_collapsed && b_collapsed)
        return is_same_direction(v, p, r) || is_same_direction(v, p, s) ||
               is_same_direction(v, q, r) || is_same_direction(v, q, s);
    if (a_collapsed)
        return spoke_meets_beyond_vertex(v, p, r, s) || spoke_meets_beyond_vertex(v, q, r, s);
    return spoke_meets_beyond_vertex(v, r, p, q) || spoke_meets_beyond_vertex(v, s, p, q);
}

// Do triangles v p q and v r s have more than v in common?
template <class T>
GRAZE_HD bool meet_beyond_vertex(const Vec3T<T>& v, const Vec3T<T>& p, const Vec3T<T>& q,
                                 const Vec3T<T>& r, const Vec3T<T>& s) {
    const int r_side = orient3d(v, p, q, r), s_side = orient3d(v, p, q, s);
    if (r_side * s_side > 0) return false;
    const int p_side = orient3d(v, r, s, p), q_side = orient3d(v, r, s, q);
    if (p_side * q_side > 0) return false;
    // Each has a corner on either side of the other's plane: along the line that the planes share
    // one leaves v towards p_side * (a's normal x b's), the other towards -r_side * that.
    if (r_side * s_side < 0 && p_side * q_side < 0) return p_side != r_side;
    const bool a_collapsed = r_side == 0 && s_side == 0 && are_collinear(v, p, q);
    const bool b_collapsed = p_side == 0 && q_side == 0 && are_collinear(v, r, s);
    if (a_collapsed || b_collapsed)
        return meet_beyond_vertex_collapsed(v, p, q, r, s, a_collapsed, b_collapsed);
    // The common points form a set that is star-shaped around v; from any of them, walking away
    // from v leaves one of the triangles through the edge opposite v.
    return intersect_segment_triangle(p, q, v, r, s) || intersect_segment_triangle(r, s, v, p, q);
}

// Do triangles u v p and u v q have more than the edge u v in common?
template <class T>
GRAZE_HD bool meet_beyond_edge(const Vec3T<T>& u, const Vec3T<T>& v, const Vec3T<T>& p,
                               const Vec3T<T>& q) {
    if (orient3d(u, v, p, q) != 0) return false;
    const int axis = projection_axis(u, v, p);
    if (axis < 3) return orient2d_along(axis, u, v, p) == orient2d_along(axis, u, v, q);
    if (!are_collinear(u, v, q)) return false;  // it has only the edge on the line of u, v, p
    if (u == v) return is_same_direction(u, p, q);
    // Two segments that both contain u v: do both reach beyond it, and past the same end?
    if (is_between(u, v, p) || is_between(u, v, q)) return false;
    return is_between(v, p, u) == is_between(v, q, u);
}

// Moves the corners that both triangles name to the front, in the same order; returns their count.
GRAZE_HD inline int bring_shared_corners_first(Triangle& a, Triangle& b) {
    int shared = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = shared; j < 3; ++j) {
            if (a.v[i] != b.v[j]) continue;
            const std::uint32_t vertex = a.v[i], old_a = a.v[shared], old_b = b.v[shared];
            a.v[i] = old_a;
            a.v[shared] = vertex;
            b.v[j] = old_b;
            b.v[shared] = vertex;
            ++shared;
            break;
        }
    }
    return shared;
}

// Triangles of copies of a mesh, and those along a seam whose vertices are doubled, have a corner
// in common that they do not share by index: they meet there, which takes no exact arithmetic to
// see.
template <class T>
GRAZE_HD bool have_a_corner_in_common(const Vec3T<T>* positions, const Triangle& a,
                                      const Triangle& b) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (positions[a[i]] == positions[b[j]]) return true;
    return false;
}

}  // namespace detail

// True where triangles a and b of a mesh meet elsewhere than in the vertices and the edge that they
// share by index. Symmetric; the winding does not matter.
template <class T>
GRAZE_HD bool intersect_mesh_triangles(const Vec3T<T>* positions, Triangle a, Triangle b) {
    const int shared = detail::bring_shared_corners_first(a, b);
    if (shared == 3) return true;
    if (shared == 0 && detail::have_a_corner_in_common(positions, a, b)) return true;
    const Vec3T<T>&a0 = positions[a[0]], &a1 = positions[a[1]], &a2 = positions[a[2]];
    const Vec3T<T>&b0 = positions[b[0]], &b1 = positions[b[1]], &b2 = positions[b[2]];
    if (shared == 2) return detail::meet_beyond_edge(a0, a1, a2, b2);
    if (shared == 1) return detail::meet_beyond_vertex(a0, a1, a2, b1, b2);
    return intersect_triangle_triangle(a0, a1, a2, b0, b1, b2);
}

}  // namespace graze

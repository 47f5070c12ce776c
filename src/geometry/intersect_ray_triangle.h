// Watertight ray-triangle intersection: no ray slips between triangles that share an edge or a
// vertex, however it is aimed.
//
// Idea: Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection" (2013). The ray's origin
// moves to zero and a shear turns its direction into the z axis; the ray then hits a triangle iff
// the origin of the plane lies in the triangle's projection, by three edge functions, differences
// of two products. Shared vertices give the same projected points in every triangle. The sign of an
// edge function is exact for these points: rounding is monotone, so a computed difference other
// than zero has the right sign, and a zero is evaluated again without error. Signs that are exact
// cannot contradict each other, hence no gap. Where we differ: the same holds for double rays (the
// second evaluation compares the rounding errors of the products); products beyond the range of
// float are caught and evaluated in double too; the quotient by the direction's z comes last, so
// directions of any length work.
//
// Which hits: t in [t_min, t_max], ends included, on the face, its edges and corners, from either
// side. Never hit: a collapsed triangle, and one seen exactly edge-on (the projection has no area);
// on a closed surface its neighbours take the ray. A ray with direction zero hits nothing.
// Origin and corners must be apart by less than the largest number of T; for double rays, by
// nothing or 2^-400 to 2^400 along each axis after the shear, so that products do not underflow.
#pragma once

#include <cmath>
#include <limits>

#include "graze/vec3.h"

namespace graze {

// A ray, origin + t * direction, prepared for many triangles.
template <class T>
struct RayShear {
    Vec3T<T> origin;
    int x, y, z;         // axes, permuted: z is the direction's largest, x and y keep the winding
    T shear_x, shear_y;  // direction[x] / direction[z], direction[y] / direction[z]
    T length_z;          // direction[z]; NaN for a ray without direction
};

template <class T>
GRAZE_INLINE RayShear<T> make_ray_shear(const Vec3T<T>& origin, const Vec3T<T>& direction) {
    const T dx = std::fabs(direction.x), dy = std::fabs(direction.y), dz = std::fabs(direction.z);
    const int z = dx > dy ? (dx > dz ? 0 : 2) : (dy > dz ? 1 : 2);
    const T length_z = direction[z];
    // A look down the negative axis mirrors the picture; swapping x and y mirrors it back.
    const int next = z == 2 ? 0 : z + 1, last = z == 0 ? 2 : z - 1;
    const int x = length_z < T(0) ? last : next, y = length_z < T(0) ? next : last;
    if (length_z == T(0)) {
        const T nan = std::numeric_limits<T>::quiet_NaN();
        return {origin, x, y, z, nan, nan, nan};
    }
    return {origin, x, y, z, direction[x] / length_z, direction[y] / length_z, length_z};
}

template <class T>
struct RayTriangleHit {
    T t;         // along the ray, in units of its direction
    T u, v;      // the point is (1 - u - v) a + u b + v c
    bool front;  // a, b, c run counter-clockwise seen from the ray's origin
};

namespace detail {

// a * b - c * d with an exact sign, for two products whose rounded difference is zero or not
// finite.
GRAZE_INLINE double exact_edge_function(float a, float b, float c, float d) {
    return double(a) * double(b) - double(c) * double(d);  // both products are exact
}
GRAZE_INLINE double exact_edge_function(double a, double b, double c, double d) {
    const double ab = a * b, cd = c * d;
    return ab != cd ? ab - cd : std::fma(a, b, -ab) - std::fma(c, d, -cd);
}

// The corners seen along the ray, its origin at zero.
template <class T>
struct ShearedTriangle {
    T ax, ay, az, bx, by, bz, cx, cy, cz;
};

template <class T>
GRAZE_INLINE ShearedTriangle<T> shear(const RayShear<T>& ray, const Vec3T<T>& a, const Vec3T<T>& b,
                                      const Vec3T<T>& c) {
    const Vec3T<T> pa = a - ray.origin, pb = b - ray.origin, pc = c - ray.origin;
    const T az = pa[ray.z], bz = pb[ray.z], cz = pc[ray.z];
    return {pa[ray.x] - ray.shear_x * az, pa[ray.y] - ray.shear_y * az, az,
            pb[ray.x] - ray.shear_x * bz, pb[ray.y] - ray.shear_y * bz, bz,
            pc[ray.x] - ray.shear_x * cz, pc[ray.y] - ray.shear_y * cz, cz};
}

// Turns edge functions u, v, w, which are weights of a, b, c but for their sum, into a hit.
template <class T, class Real>
GRAZE_INLINE RayTriangleHit<T> weigh_corners(const RayShear<T>& ray, const ShearedTriangle<T>& s,
                                             Real u, Real v, Real w, bool front) {
    const Real scale = Real(1) / (u + v + w);
    const Real weight_b = v * scale, weight_c = w * scale;
    const Real depth = u * scale * Real(s.az) + weight_b * Real(s.bz) + weight_c * Real(s.cz);
    return {T(depth / Real(ray.length_z)), T(weight_b), T(weight_c), front};
}

template <class T, class Real>
GRAZE_INLINE bool finish_ray_triangle(const RayShear<T>& ray, const ShearedTriangle<T>& s, Real u,
                                      Real v, Real w, T t_min, T t_max, RayTriangleHit<T>& hit) {
    const bool front = u >= Real(0) && v >= Real(0) && w >= Real(0);
    const bool back = u <= Real(0) && v <= Real(0) && w <= Real(0);
    if (front == back) return false;  // mixed signs or NaN; or all zero: seen edge-on
    const RayTriangleHit<T> found = weigh_corners(ray, s, u, v, w, front);
    if (!(found.t >= t_min && found.t <= t_max)) return false;
    hit = found;
    return true;
}

// This is the rare path, kept out of the usual one. Arguments go by value: a reference would tie
// the caller's ray to memory on the device.
template <class T>
GRAZE_NOINLINE bool finish_ray_triangle_exact(RayShear<T> ray, ShearedTriangle<T> s, T t_min,
                                              T t_max, RayTriangleHit<T>& hit) {
    return finish_ray_triangle(ray, s, exact_edge_function(s.cx, s.by, s.cy, s.bx),
                               exact_edge_function(s.ax, s.cy, s.ay, s.cx),
                               exact_edge_function(s.bx, s.ay, s.by, s.ax), t_min, t_max, hit);
}

// The edge functions, which are the weights of the corners but for their sum.
template <class T>
struct EdgeFunctions {
    T u, v, w;
    bool are_certain;  // else to be evaluated without error, in double for float rays

    GRAZE_INLINE explicit EdgeFunctions(const ShearedTriangle<T>& s)
        : u(s.cx * s.by - s.cy * s.bx), v(s.ax * s.cy - s.ay * s.cx), w(s.bx * s.ay - s.by * s.ax) {
        // What is too small to divide by, too large or NaN is left to double, which has the range.
        const T size = std::fabs(u) + std::fabs(v) + std::fabs(w);
        are_certain = u != T(0) && v != T(0) && w != T(0) && size >= T(0x1p-100) &&
                      size <= std::numeric_limits<T>::max();
    }
};

}  // namespace detail

// True, and hit filled, where the ray meets triangle a b c with t in [t_min, t_max].
template <class T>
GRAZE_INLINE bool intersect_ray_triangle(const RayShear<T>& ray, const Vec3T<T>& a,
                                         const Vec3T<T>& b, const Vec3T<T>& c, T t_min, T t_max,
                                         RayTriangleHit<T>& hit) {
    const detail::ShearedTriangle<T> s = detail::shear(ray, a, b, c);
    const detail::EdgeFunctions<T> edge(s);
    if (!edge.are_certain) {
        RayTriangleHit<T> exact;
        const bool is_hit = detail::finish_ray_triangle_exact(ray, s, t_min, t_max, exact);
        if (is_hit) hit = exact;
        return is_hit;
    }
    return detail::finish_ray_triangle(ray, s, edge.u, edge.v, edge.w, t_min, t_max, hit);
}

}  // namespace graze

// The point of a triangle that is closest to a given point, and the feature it lies on: the inner
// loop of distance fields, hence fast, yet right for every triangle, needles and collapsed ones
// included.
//
// Idea: the Voronoi regions of Ericson, "Real-Time Collision Detection" (2005), section 5.1.5: the
// corners first, by dot products along the edges; then the face or the edge whose outer side the
// query sees. Where we differ: Ericson takes the areas that tell face from edge out of those dot
// products, and the cancellation grows with the square of the triangle's aspect ratio; here they
// come from the normal, which loses only the ratio itself. And where the angle at the first corner
// is below 3.6 degrees or above 176.4, a careful path answers: in double, from the corner between
// the two shortest edges, with all candidates compared, so that a wrong region cannot do harm.
//
// Bound, with epsilon that of T and R the largest distance from the query to a corner:
//   float:  |distance - exact| <= 16 epsilon R for every triangle, needle or not. Since the answer
//           is a point of the triangle, most of that error is tangential and enters squared:
//           where the query is no nearer than R / 10, the error is below 4 epsilon R.
//   double: 16 epsilon R where the height is above 1/8 of the longest edge; for flatter ones the
//           error grows as 1/flatness, and never beyond 2e-8 R.
// Differences of coordinates should be zero or of magnitude 1e-17 to 1e18 (double: 1e-70 to 1e70).
#pragma once

#include <cstdint>
#include <limits>

#include "graze/vec3.h"

namespace graze {

// Edge i joins corner i and corner (i + 1) % 3.
enum class TriangleFeature : std::uint8_t { vertex0, vertex1, vertex2, edge0, edge1, edge2, face };

template <class T>
struct ClosestPointTriangle {
    Vec3T<T> point;        // rounded to T; exactly the corner where feature is a vertex
    Vec3T<T> barycentric;  // weights of the corners, none negative, sum 1 up to rounding
    T distance_sq;         // from the unrounded point, so more accurate than |point - query|^2
    TriangleFeature feature;
};

namespace detail {

// A candidate for the closest point.
template <class T>
struct TriangleFoot {
    T distance_sq;
    T t;       // along the edge; unused for the face
    int edge;  // 0, 1, 2
};

// The closest point of edge i, given the offsets from the query to its two ends.
template <class T>
GRAZE_INLINE TriangleFoot<T> foot_on_edge(int i, const Vec3T<T>& to_start, const Vec3T<T>& to_end,
                                          const Vec3T<T>& edge) {
    const T edge_sq = length_sq(edge);
    const T t = edge_sq > T(0) ? clamp(-dot(to_start, edge) / edge_sq, T(0), T(1)) : T(0);
    const Vec3T<T> offset = t == T(1) ? to_end : to_start + edge * t;
    return {length_sq(offset), t, i};
}

template <class T>
GRAZE_INLINE TriangleFoot<T> nearer(const TriangleFoot<T>& a, const TriangleFoot<T>& b) {
    return b.distance_sq < a.distance_sq ? b : a;
}

template <class T>
GRAZE_INLINE ClosestPointTriangle<T> answer_on_edge(const Vec3T<T>& a, const Vec3T<T>& b,
                                                    const Vec3T<T>& c,
                                                    const TriangleFoot<T>& foot) {
    const int i = foot.edge, j = i == 2 ? 0 : i + 1;
    const Vec3T<T> start = i == 0 ? a : (i == 1 ? b : c);
    const Vec3T<T> end = i == 0 ? b : (i == 1 ? c : a);
    const bool at_start = foot.t == T(0), at_end = foot.t == T(1);
    const Vec3T<T> point = at_end ? end : start + (end - start) * foot.t;
    const T s = T(1) - foot.t;
    const Vec3T<T> weights{i == 0 ? s : (i == 2 ? foot.t : T(0)),
                           i == 1 ? s : (i == 0 ? foot.t : T(0)),
                           i == 2 ? s : (i == 1 ? foot.t : T(0))};
    return {point, weights, foot.distance_sq, TriangleFeature(at_start ? i : (at_end ? j : 3 + i))};
}

// The corner between the two shortest edges: the one opposite the longest.
template <class T>
GRAZE_INLINE int best_conditioned_corner(T ab_sq, T bc_sq, T ca_sq) {
    if (bc_sq >= ab_sq && bc_sq >= ca_sq) return 0;
    return ca_sq >= ab_sq ? 1 : 2;
}

// Compares all three edges, and the face where the query projects into it, by distance.
GRAZE_NOINLINE inline ClosestPointTriangle<double> closest_point_triangle_careful(
    const Vec3d& query, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d corners[3] = {a, b, c};
    const Vec3d to[3] = {a - query, b - query, c - query};
    const Vec3d edges[3] = {b - a, c - b, a - c};
    TriangleFoot<double> best = foot_on_edge(0, to[0], to[1], edges[0]);
    best = nearer(best, foot_on_edge(1, to[1], to[2], edges[1]));
    best = nearer(best, foot_on_edge(2, to[2], to[0], edges[2]));

    const int i =
        best_conditioned_corner(length_sq(edges[0]), length_sq(edges[1]), length_sq(edges[2]));
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const Vec3d normal = cross(edges[i], -edges[k]);
    const double normal_sq = length_sq(normal);
    const Vec3d turned = cross(normal, to[i]);
    const double weight_k = dot(edges[i], turned);
    const double weight_j = dot(edges[k], turned);
    const double weight_i = normal_sq - weight_j - weight_k;
    if (normal_sq > 0 && weight_i >= 0 && weight_j >= 0 && weight_k >= 0) {
        Vec3d weights;
        weights[j] = weight_j / normal_sq;
        weights[k] = weight_k / normal_sq;
        weights[i] = weight_i / normal_sq;
        const Vec3d step = edges[i] * weights[j] - edges[k] * weights[k];
        const double distance_sq = length_sq(to[i] + step);
        if (distance_sq < best.distance_sq)
            return {corners[i] + step, weights, distance_sq, TriangleFeature::face};
    }
    return answer_on_edge(a, b, c, best);
}

// True where the angle at a is large enough, and squares neither under- nor overflow, for weights
// in T.
template <class T>
GRAZE_INLINE bool is_ordinary(T ab_sq, T ac_sq, T normal_sq) {
    constexpr T kMinSineSq = T(1) / T(256);  // 3.6 degrees; the bound above rests on it
    constexpr T kMinNormalSq = sizeof(T) == 4 ? T(1e-30) : T(1e-200);
    constexpr T kMaxNormalSq = sizeof(T) == 4 ? T(1e20) : T(1e200);
    return normal_sq > kMinSineSq * ab_sq * ac_sq && normal_sq > kMinNormalSq &&
           normal_sq < kMaxNormalSq;
}

template <class T>
GRAZE_INLINE ClosestPointTriangle<T> answer_in_double(const Vec3T<T>& query, const Vec3T<T>& a,
                                                      const Vec3T<T>& b, const Vec3T<T>& c) {
    const ClosestPointTriangle<double> result =
        closest_point_triangle_careful(static_cast<Vec3d>(query), static_cast<Vec3d>(a),
                                       static_cast<Vec3d>(b), static_cast<Vec3d>(c));
    return {static_cast<Vec3T<T>>(result.point), static_cast<Vec3T<T>>(result.barycentric),
            T(result.distance_sq), result.feature};
}

}  // namespace detail

template <class T>
GRAZE_INLINE ClosestPointTriangle<T> closest_point_triangle(const Vec3T<T>& query,
                                                            const Vec3T<T>& a, const Vec3T<T>& b,
                                                            const Vec3T<T>& c) {
    constexpr T zero(0), one(1);
    // How far the query lies along the edges, seen from each corner.
    const Vec3T<T> ab = b - a, ac = c - a;
    const Vec3T<T> from_a = query - a, from_b = query - b, from_c = query - c;
    const T a_ab = dot(from_a, ab), a_ac = dot(from_a, ac);
    const T b_ab = dot(from_b, ab), b_ac = dot(from_b, ac);
    const T c_ab = dot(from_c, ab), c_ac = dot(from_c, ac);
    if (a_ab <= zero && a_ac <= zero)
        return {a, {one, zero, zero}, length_sq(from_a), TriangleFeature::vertex0};
    if (b_ab >= zero && b_ac <= b_ab)
        return {b, {zero, one, zero}, length_sq(from_b), TriangleFeature::vertex1};
    if (c_ac >= zero && c_ab <= c_ac)
        return {c, {zero, zero, one}, length_sq(from_c), TriangleFeature::vertex2};

    const Vec3T<T> normal = cross(ab, ac);
    const T normal_sq = length_sq(normal);
    if (!detail::is_ordinary(length_sq(ab), length_sq(ac), normal_sq))
        return detail::answer_in_double(query, a, b, c);

    // Weights times normal_sq. A corner's weight is negative where the query sees the outer side of
    // the edge opposite to it.
    const Vec3T<T> turned = cross(from_a, normal);
    const T weight_c = dot(ab, turned);
    const T weight_b = -dot(ac, turned);
    const T weight_a = normal_sq - weight_b - weight_c;
    if (weight_a >= zero && weight_b >= zero && weight_c >= zero) {
        const T scale = one / normal_sq;
        const T v = weight_b * scale, w = weight_c * scale;
        const Vec3T<T> step = ab * v + ac * w;
        return {
            a + step, {weight_a * scale, v, w}, length_sq(from_a - step), TriangleFeature::face};
    }
    if (weight_c < zero && a_ab >= zero && b_ab < zero) {
        const T t = a_ab / (a_ab - b_ab);
        const Vec3T<T> step = ab * t;
        return {a + step, {one - t, t, zero}, length_sq(from_a - step), TriangleFeature::edge0};
    }
    if (weight_b < zero && a_ac >= zero && c_ac < zero) {
        const T t = a_ac / (a_ac - c_ac);
        const Vec3T<T> step = ac * t;
        return {a + step, {one - t, zero, t}, length_sq(from_a - step), TriangleFeature::edge2};
    }
    const T b_bc = b_ac - b_ab, c_cb = c_ab - c_ac;
    if (weight_a < zero && b_bc >= zero && c_cb > zero) {
        const T t = b_bc / (b_bc + c_cb);
        const Vec3T<T> step = (c - b) * t;
        return {b + step, {zero, one - t, t}, length_sq(from_b - step), TriangleFeature::edge1};
    }
    return detail::answer_in_double(query, a, b, c);  // rounding left no region to be in
}

}  // namespace graze

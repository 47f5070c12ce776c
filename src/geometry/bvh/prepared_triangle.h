// PreparedTriangle: a triangle with all that its distance to a point needs worked out once, for
// fields, where each triangle is tested against many points. The test has no branch, so that eight
// lanes of the host and a warp of the device run it alike, and its operations are the same
// everywhere, so that its bits are.
//
// The distance is the least of those to the three edges, and of that to the plane where the point
// projects into the triangle. A point of an edge is always one of the triangle, so a wrong answer
// to "does it project inside" can only matter within rounding of an edge; only at needle tips does
// that reach far, so needles (and triangles without area) take the careful path of
// closest_point_triangle.h.
//
// Bound: |distance - exact| <= 128 epsilon R, with epsilon that of float and R the distance from
// the point to the farthest corner; where the triangle is no needle and the point no nearer than
// R / 10, 8 epsilon R.
#pragma once

#include "core/spread.h"
#include "geometry/bvh/bvh_queries.h"

namespace graze {

struct alignas(16) PreparedTriangle {
    Vec3 a, b, c;
    // [m^2] No point of the triangle is nearer to a query, squared, than the nearest corner less
    // this. For x = sum w_i c_i with weights of sum 1, |p - x|^2 = sum w_i |p - c_i|^2 - sum w_i
    // |x - c_i|^2, and the last sum is that of w_i w_j |c_i - c_j|^2 over the three edges. It is
    // largest at the circumcentre, where it is the radius squared, or, where that lies outside, in
    // the middle of the longest edge: at most a third of that edge squared.
    float sag_sq;
    std::uint32_t index;     // the caller's
    std::uint32_t is_sharp;  // 1: ask closest_point_triangle instead
    // 1 / |edge|^2 of ab, bc, ca; 0 for an edge without length.
    float inverse_sq[3];
    Vec3 normal;  // unit
    // The weight of b at a point is dot(weight_b, point - a), likewise for c.
    Vec3 weight_b, weight_c;
    // [m] How far b is from the edge ca, c from ab and a from bc; 0 where is_sharp, the last also
    // where it is more than 8 times one of the others: see least_line_distance_sq().
    float altitude[3];
};
static_assert(sizeof(PreparedTriangle) == 112);

GRAZE_HD inline PreparedTriangle prepare(const Vec3& a, const Vec3& b, const Vec3& c,
                                         std::uint32_t index) {
    // Sines below 1/64, 0.9 degrees: there false insides reach 64 times as far as rounding.
    constexpr double kMinSineSq = 1.0 / 4096;
    const Vec3d ab = static_cast<Vec3d>(b) - static_cast<Vec3d>(a);
    const Vec3d ac = static_cast<Vec3d>(c) - static_cast<Vec3d>(a);
    const Vec3d bc = static_cast<Vec3d>(c) - static_cast<Vec3d>(b);
    const double ab_sq = length_sq(ab), bc_sq = length_sq(bc), ca_sq = length_sq(ac);
    const Vec3d normal = cross(ab, ac);
    const double normal_sq = length_sq(normal);
    // The smallest angle is between the two longest edges.
    const double shortest = min_of(ab_sq, min_of(bc_sq, ca_sq));
    const double two_longest = shortest > 0 ? ab_sq * bc_sq * ca_sq / shortest : 0.0;
    PreparedTriangle result{};
    result.a = a;
    result.b = b;
    result.c = c;
    result.inverse_sq[0] = ab_sq > 0 ? static_cast<float>(1 / ab_sq) : 0.0f;
    result.inverse_sq[1] = bc_sq > 0 ? static_cast<float>(1 / bc_sq) : 0.0f;
    result.inverse_sq[2] = ca_sq > 0 ? static_cast<float>(1 / ca_sq) : 0.0f;
    result.index = index;
    // Squares in float must neither vanish nor overflow.
    const bool is_ordinary = normal_sq > kMinSineSq * two_longest && shortest > 1e-30 &&
                             two_longest < 1e60 && normal_sq > 0;
    result.is_sharp = is_ordinary ? 0 : 1;
    // The sag is rounded up, by enough for the rounding of what it is compared with.
    const double longest = max_of(ab_sq, max_of(bc_sq, ca_sq));
    double sag_sq = longest / 3;
    if (2 * longest >= ab_sq + bc_sq + ca_sq) {
        sag_sq = longest / 4;
    } else if (is_ordinary) {
        sag_sq = ab_sq * bc_sq * ca_sq / (4 * normal_sq);
    }
    result.sag_sq = static_cast<float>(sag_sq * (1 + 1e-6));
    if (normal_sq > 0) {
        result.normal = static_cast<Vec3>(normal / std::sqrt(normal_sq));
        result.weight_b = static_cast<Vec3>(cross(ac, normal) / normal_sq);
        result.weight_c = static_cast<Vec3>(cross(normal, ab) / normal_sq);
        if (is_ordinary) {
            result.altitude[0] = static_cast<float>(std::sqrt(normal_sq / ca_sq));
            result.altitude[1] = static_cast<float>(std::sqrt(normal_sq / ab_sq));
            if (max_of(ab_sq, ca_sq) <= 64 * bc_sq)
                result.altitude[2] = static_cast<float>(std::sqrt(normal_sq / bc_sq));
        }
    }
    return result;
}

// Reads the first half in 16-byte loads put together in registers, which the device's compiler does
// not find by itself; the rest is left as it is.
GRAZE_INLINE void load_corners(const PreparedTriangle* source, PreparedTriangle& t) {
#if GRAZE_ON_DEVICE
    const auto* words = reinterpret_cast<const float4*>(source);
    const float4 p = __ldg(words), q = __ldg(words + 1), r = __ldg(words + 2);
    t.a = {p.x, p.y, p.z};
    t.b = {p.w, q.x, q.y};
    t.c = {q.z, q.w, r.x};
    t.sag_sq = r.y;
    t.index = __float_as_uint(r.z);
    t.is_sharp = __float_as_uint(r.w);
#else
    t = *source;
#endif
}
// Reads the second half.
GRAZE_INLINE void load_rest(const PreparedTriangle* source, PreparedTriangle& t) {
#if GRAZE_ON_DEVICE
    const auto* words = reinterpret_cast<const float4*>(source);
    const float4 p = __ldg(words + 3), q = __ldg(words + 4), r = __ldg(words + 5);
    t.inverse_sq[0] = p.x;
    t.inverse_sq[1] = p.y;
    t.inverse_sq[2] = p.z;
    t.normal = {p.w, q.x, q.y};
    t.weight_b = {q.z, q.w, r.x};
    t.weight_c = {r.y, r.z, r.w};
#else
    t = *source;
#endif
}
GRAZE_INLINE PreparedTriangle load_triangle(const PreparedTriangle* source) {
    PreparedTriangle t;
    load_corners(source, t);
    load_rest(source, t);
    return t;
}

namespace detail {

// The vector from the closest point of an edge to the query, given the one from the edge's start.
template <class S>
GRAZE_INLINE Vec3T<S> offset_from_edge(const Vec3T<S>& from_start, const Vec3T<S>& edge,
                                       const S& inverse_sq) {
    const S t =
        min_of(max_of(dot(from_start, edge) * inverse_sq, spread<S>(0.0f)), spread<S>(1.0f));
    return from_start - edge * t;
}

template <class S>
GRAZE_INLINE Vec3T<S> spread_vector(const Vec3& v) {
    return {spread<S>(v.x), spread<S>(v.y), spread<S>(v.z)};
}

}  // namespace detail

// A lower bound of the squared distance, for a fifth of the work. For triangles small against their
// distance it is nearly the distance itself, where a box around them says little.
template <class S>
GRAZE_INLINE S least_distance_sq(const PreparedTriangle& t, const Vec3T<S>& point) {
    const S a = length_sq(point - detail::spread_vector<S>(t.a));
    const S b = length_sq(point - detail::spread_vector<S>(t.b));
    const S c = length_sq(point - detail::spread_vector<S>(t.c));
    return min_of(a, min_of(b, c)) * spread<S>(1 - 0x1p-20f) - spread<S>(t.sag_sq);
}

// Another lower bound, for a triangle that is not sharp, from the distances to its plane and, in
// it, to the lines through the edges: it is the distance itself but for points closest to a corner.
// Rounding may make it exceed the distance by 128 epsilon R: 6 epsilon R in the height, 7 in the
// first two lines, and in the third up to 8 times the weights' 5 each and 37 more.
template <class S>
GRAZE_INLINE S least_line_distance_sq(const PreparedTriangle& t, const Vec3T<S>& point) {
    const Vec3T<S> from_a = point - detail::spread_vector<S>(t.a);
    const S height = dot(detail::spread_vector<S>(t.normal), from_a);
    const S b = dot(detail::spread_vector<S>(t.weight_b), from_a);
    const S c = dot(detail::spread_vector<S>(t.weight_c), from_a);
    const S a = spread<S>(1.0f) - b - c;
    const S beyond = min_of(min_of(b * spread<S>(t.altitude[0]), c * spread<S>(t.altitude[1])),
                            min_of(a * spread<S>(t.altitude[2]), spread<S>(0.0f)));
    return height * height + beyond * beyond;
}

// The squared distance of points from a triangle that is not sharp.
template <class S>
GRAZE_INLINE S distance_sq(const PreparedTriangle& t, const Vec3T<S>& point) {
    const Vec3T<S> from_a = point - detail::spread_vector<S>(t.a);
    const Vec3T<S> from_b = point - detail::spread_vector<S>(t.b);
    const Vec3T<S> from_c = point - detail::spread_vector<S>(t.c);
    const S ab = length_sq(detail::offset_from_edge(from_a, detail::spread_vector<S>(t.b - t.a),
                                                    spread<S>(t.inverse_sq[0])));
    const S bc = length_sq(detail::offset_from_edge(from_b, detail::spread_vector<S>(t.c - t.b),
                                                    spread<S>(t.inverse_sq[1])));
    const S ca = length_sq(detail::offset_from_edge(from_c, detail::spread_vector<S>(t.a - t.c),
                                                    spread<S>(t.inverse_sq[2])));
    const S height = dot(detail::spread_vector<S>(t.normal), from_a);
    const S b = dot(detail::spread_vector<S>(t.weight_b), from_a);
    const S c = dot(detail::spread_vector<S>(t.weight_c), from_a);
    const S edges = min_of(ab, min_of(bc, ca));
    const S zero = spread<S>(0.0f);
    const auto inside = (b >= zero) & (c >= zero) & (b + c <= spread<S>(1.0f));
    return inside ? min_of(height * height, edges) : edges;
}

// The same for one point and any triangle.
GRAZE_INLINE float distance_sq_any(const PreparedTriangle& t, const Vec3& point) {
    if (t.is_sharp) return detail::answer_in_double(point, t.a, t.b, t.c).distance_sq;
    return distance_sq<float>(t, point);
}

// The gradient of the signed distance at a point whose closest triangle this is: away from the
// closest point outside, towards it inside. Where the distance is mostly rounding, it is the
// normal, whatever the rounded side of the plane. It has the accuracy of the distance.
GRAZE_HD inline Vec3 gradient_at(const PreparedTriangle& t, const Vec3& point, bool is_inside) {
    const Vec3 from_a = point - t.a, from_b = point - t.b, from_c = point - t.c;
    const float reach = max_of(max_of(length_sq(from_a), length_sq(from_b)), length_sq(from_c));
    const float least = reach * 0x1p-34f;
    if (t.is_sharp) {
        const Vec3 offset = point - detail::answer_in_double(point, t.a, t.b, t.c).point;
        if (!(length_sq(offset) > least)) return t.normal;
        return offset / (is_inside ? -length(offset) : length(offset));
    }
    const float height = dot(t.normal, from_a);
    const float b = dot(t.weight_b, from_a), c = dot(t.weight_c, from_a);
    if (b >= 0 && c >= 0 && b + c <= 1) {
        const bool is_opposite = height * height > least && (height < 0) != is_inside;
        return is_opposite ? -t.normal : t.normal;
    }
    const Vec3 ab = detail::offset_from_edge(from_a, t.b - t.a, t.inverse_sq[0]);
    const Vec3 bc = detail::offset_from_edge(from_b, t.c - t.b, t.inverse_sq[1]);
    const Vec3 ca = detail::offset_from_edge(from_c, t.a - t.c, t.inverse_sq[2]);
    Vec3 offset = length_sq(bc) < length_sq(ab) ? bc : ab;
    if (length_sq(ca) < length_sq(offset)) offset = ca;
    if (!(length_sq(offset) > least)) return t.normal;
    return offset / (is_inside ? -length(offset) : length(offset));
}

}  // namespace graze

// The common points of two triangles, exactly and in the most obvious way: triangle b is written as
// an intersection of half-spaces, and the polygon a is clipped by one after the other. The oracle
// shares no logic with the library: it has no case for coplanar, touching or collapsed triangles,
// and no predicate.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "tests/oracle/rational.h"

namespace graze::oracle {

// The set of all x with dot(normal, x - point) >= 0.
struct HalfSpace {
    RationalVec3 normal, point;
};

using ConvexPolygon = std::vector<RationalVec3>;  // its corners in order; also a segment, a point

inline std::vector<HalfSpace> half_spaces_of_segment(const RationalVec3& p, const RationalVec3& q) {
    const RationalVec3 d = q - p, minus_d = p - q;
    std::vector<HalfSpace> result{{d, p}, {minus_d, q}};
    // The planes through the line have normals that span what is perpendicular to d, which is all
    // of space for a point.
    const std::array<RationalVec3, 3> axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (const RationalVec3& axis : axes) {
        const RationalVec3 normal = is_zero(d) ? axis : cross(d, axis);
        result.push_back({normal, p});
        result.push_back({normal * Rational(-1), p});
    }
    return result;
}

inline std::vector<HalfSpace> half_spaces_of_triangle(const std::array<RationalVec3, 3>& b) {
    const RationalVec3 normal = cross(b[1] - b[0], b[2] - b[0]);
    if (is_zero(normal)) {  // a collapsed triangle is its longest edge
        const auto length_sq = [&](int i) {
            const RationalVec3 edge = b[(i + 1) % 3] - b[i];
            return dot(edge, edge);
        };
        int longest = 0;
        for (int i = 1; i < 3; ++i)
            if (length_sq(i) > length_sq(longest)) longest = i;
        return half_spaces_of_segment(b[longest], b[(longest + 1) % 3]);
    }
    std::vector<HalfSpace> result{{normal, b[0]}, {normal * Rational(-1), b[0]}};
    for (int i = 0; i < 3; ++i)
        result.push_back({cross(normal, b[(i + 1) % 3] - b[i]), b[i]});
    return result;
}

inline ConvexPolygon clip(const ConvexPolygon& polygon, const HalfSpace& half_space) {
    const auto height = [&](const RationalVec3& p) {
        return dot(half_space.normal, p - half_space.point);
    };
    ConvexPolygon result;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const RationalVec3& p = polygon[i];
        const RationalVec3& q = polygon[(i + 1) % polygon.size()];
        const Rational hp = height(p), hq = height(q);
        if (sgn(hp) >= 0) result.push_back(p);
        if (sgn(hp) * sgn(hq) < 0) result.push_back(p + (q - p) * Rational(hp / (hp - hq)));
    }
    return result;
}

// Returns the corners of the common points' convex hull, some perhaps twice; none where there are
// no common points.
inline ConvexPolygon common_points(const std::array<RationalVec3, 3>& a,
                                   const std::array<RationalVec3, 3>& b) {
    ConvexPolygon polygon(a.begin(), a.end());
    for (const HalfSpace& half_space : half_spaces_of_triangle(b))
        if (!polygon.empty()) polygon = clip(polygon, half_space);
    return polygon;
}

// True where p is a point of the segment u v.
inline bool is_on_segment(const RationalVec3& u, const RationalVec3& v, const RationalVec3& p) {
    const std::vector<HalfSpace> segment = half_spaces_of_segment(u, v);
    return std::all_of(segment.begin(), segment.end(),
                       [&](const HalfSpace& h) { return dot(h.normal, p - h.point) >= 0; });
}

}  // namespace graze::oracle

// The first time at which a vertex and a face, or two edges, that move straight are within
// a distance of each other, and their distance at an instant. Both are exact, for rational
// coordinates and a distance whose square is rational.
//
// The closest points of two features are corners, or feet of perpendiculars on edges or on the
// face, or the feet of the common perpendicular of the edges. Each of these ways is a formula of
// signs of polynomials in time. The times at which the features are within the distance are a
// closed set. Its first time is 0, or one at which the distance is reached: a root of the
// polynomial of the way in which the closest points lie then, or, where that distance is reached
// all along, a time at which that way begins.
#pragma once

#include "tests/oracle/exact_impact.h"

namespace graze::oracle {

// One way in which closest points can lie. It is there where all of `inside` are not negative and
// `scale` is positive; the square of the distance is numerator / scale then.
struct ClosestWay {
    Polynomial numerator, scale;
    std::vector<Polynomial> inside;

    template <class Time>
    bool is_there(const Time& t) const {
        return sign_at(scale, t) > 0 &&
               std::all_of(inside.begin(), inside.end(),
                           [&](const Polynomial& p) { return sign_at(p, t) >= 0; });
    }
};
using ClosestWays = std::vector<ClosestWay>;

inline ClosestWay way_of_points(const PolynomialVec3& p, const PolynomialVec3& q) {
    return {dot(p - q, p - q), {Rational(1)}, {}};
}
inline ClosestWay way_of_point_and_edge(const PolynomialVec3& p, const PolynomialVec3& u,
                                        const PolynomialVec3& v) {
    const PolynomialVec3 edge = v - u, moment = cross(p - u, edge);
    return {dot(moment, moment), dot(edge, edge), {dot(p - u, edge), dot(v - p, edge)}};
}

// The points are as in exact_impact.h.
inline ClosestWays closest_ways_vertex_face(const MovingPoints& p) {
    const PolynomialVec3 normal = cross(p[2] - p[1], p[3] - p[1]);
    const Polynomial volume = dot(normal, p[0] - p[1]);
    ClosestWay above{volume * volume, dot(normal, normal), {}};
    ClosestWays ways;
    for (std::size_t i = 1; i <= 3; ++i) {
        const PolynomialVec3 &u = p[i], &v = p[i % 3 + 1];
        ways.push_back(way_of_points(p[0], u));
        ways.push_back(way_of_point_and_edge(p[0], u, v));
        above.inside.push_back(dot(normal, cross(u - p[0], v - p[0])));
    }
    ways.push_back(above);
    return ways;
}
inline ClosestWays closest_ways_edge_edge(const MovingPoints& p) {
    const PolynomialVec3 a = p[1] - p[0], b = p[3] - p[2], c = p[0] - p[2];
    ClosestWays ways;
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t k = 2; k < 4; ++k)
            ways.push_back(way_of_points(p[i], p[k]));
        ways.push_back(way_of_point_and_edge(p[i], p[2], p[3]));
        ways.push_back(way_of_point_and_edge(p[2 + i], p[0], p[1]));
    }
    // The common perpendicular stands at c + s a and t b; s and t are multiplied by |a x b|^2.
    const PolynomialVec3 normal = cross(a, b);
    const Polynomial scale = dot(normal, normal), volume = dot(normal, c);
    const Polynomial s = dot(a, b) * dot(b, c) - dot(a, c) * dot(b, b);
    const Polynomial t = dot(a, a) * dot(b, c) - dot(a, b) * dot(a, c);
    ways.push_back({volume * volume, scale, {s, scale - s, t, scale - t}});
    return ways;
}

inline Rational value_at(const Polynomial& p, const Rational& x) {
    Rational value = 0;
    for (std::size_t i = p.size(); i-- > 0;)
        value = value * x + p[i];
    return value;
}

inline Rational distance_sq_at(const ClosestWays& ways, const Rational& t) {
    std::optional<Rational> least;
    for (const ClosestWay& way : ways) {
        if (!way.is_there(t)) continue;
        const Rational distance_sq = value_at(way.numerator, t) / value_at(way.scale, t);
        if (!least || distance_sq < *least) least = distance_sq;
    }
    return *least;  // two points are always a way
}

// The first time in [0, 1] at which the distance is at most the root of separation_sq.
inline std::optional<TimeBounds> first_within(const ClosestWays& ways,
                                              const Rational& separation_sq,
                                              const Rational& width) {
    if (distance_sq_at(ways, Rational(0)) <= separation_sq)
        return TimeBounds{Rational(0), Rational(0)};
    std::optional<TimeBounds> first;
    const auto look_at_roots = [&](const Polynomial& p, const ClosestWay& way) {
        for (AlgebraicNumber& t : roots_in_step(p)) {
            t.narrow_to(Rational(0x1p-30));  // so that few polynomials have a root close by
            if (!way.is_there(t)) continue;
            t.narrow_to(width);
            if (t.low < 0) t.low = 0;
            if (!first) first = {t.low, t.high};
            if (t.low < first->low) first->low = t.low;
            if (t.high < first->high) first->high = t.high;
        }
    };
    for (const ClosestWay& way : ways) {
        const Polynomial beyond = way.numerator - way.scale * Polynomial{separation_sq};
        if (!beyond.empty()) {
            look_at_roots(beyond, way);
            continue;
        }
        for (const Polynomial& p : way.inside)
            if (!p.empty()) look_at_roots(p, way);
        if (!way.scale.empty()) look_at_roots(way.scale, way);
    }
    return first;
}

}  // namespace graze::oracle

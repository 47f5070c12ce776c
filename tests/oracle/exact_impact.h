// The first time at which a vertex and a face, or two edges, that move straight share a point. It
// is exact, for rational coordinates, and has no special case for anything degenerate.
//
// Whether they share a point at a time t is a formula of signs of polynomials in t. The times at
// which they do are a closed set, so the first is 0 or a time at which a sign changes, which is
// a root of one of the polynomials. Where the four points do not stay in one plane, the roots of
// the polynomial of their coplanarity suffice. So the formula is evaluated at all roots, as
// algebraic numbers.
#pragma once

#include <array>
#include <optional>

#include "tests/oracle/polynomial.h"

namespace graze::oracle {

struct PolynomialVec3 {
    Polynomial x, y, z;
};
inline PolynomialVec3 operator-(const PolynomialVec3& a, const PolynomialVec3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Polynomial dot(const PolynomialVec3& a, const PolynomialVec3& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline PolynomialVec3 cross(const PolynomialVec3& a, const PolynomialVec3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

using RationalPoints = std::array<RationalVec3, 4>;
using MovingPoints = std::array<PolynomialVec3, 4>;

inline MovingPoints moving_points(const RationalPoints& at_t0, const RationalPoints& at_t1) {
    const auto line = [](const Rational& from, const Rational& to) {
        return trimmed({from, Rational(to - from)});
    };
    MovingPoints result;
    for (std::size_t i = 0; i < 4; ++i)
        result[i] = {line(at_t0[i].x, at_t1[i].x), line(at_t0[i].y, at_t1[i].y),
                     line(at_t0[i].z, at_t1[i].z)};
    return result;
}

// The condition that the point p lies on the segment u v, which may be a point: all of `zero`
// vanish and `between` is not positive.
struct OnSegment {
    PolynomialVec3 zero;
    Polynomial between;

    OnSegment(const PolynomialVec3& p, const PolynomialVec3& u, const PolynomialVec3& v)
        : zero(cross(u - p, v - p)), between(dot(u - p, v - p)) {}

    bool holds(const AlgebraicNumber& t) const {
        return sign_at(zero.x, t) == 0 && sign_at(zero.y, t) == 0 && sign_at(zero.z, t) == 0 &&
               sign_at(between, t) <= 0;
    }
    void add_to(std::vector<Polynomial>& all) const {
        all.insert(all.end(), {zero.x, zero.y, zero.z, between});
    }
};

// The condition that two features share a point at a time at which `volume` vanishes: a corner of
// one lies on a side of the other, or all of `crossing` are positive.
struct ContactFormula {
    Polynomial volume;
    std::vector<OnSegment> touching;
    std::vector<Polynomial> crossing;  // all positive: the vertex is inside, or the edges cross

    bool holds(const AlgebraicNumber& t) const {
        if (sign_at(volume, t) != 0) return false;
        for (const OnSegment& condition : touching)
            if (condition.holds(t)) return true;
        return std::all_of(crossing.begin(), crossing.end(),
                           [&](const Polynomial& p) { return sign_at(p, t) > 0; });
    }
    std::vector<Polynomial> polynomials() const {
        if (!volume.empty()) return {volume};
        std::vector<Polynomial> all = crossing;
        for (const OnSegment& condition : touching)
            condition.add_to(all);
        return all;
    }
};

// The vertex comes first, then the face. They meet where the vertex is on one of the face's sides,
// or is to the same side of all three, seen along the normal.
inline ContactFormula contact_vertex_face(const MovingPoints& p) {
    const PolynomialVec3 normal = cross(p[2] - p[1], p[3] - p[1]);
    ContactFormula formula{dot(normal, p[0] - p[1]), {}, {}};
    for (std::size_t i = 1; i <= 3; ++i) {
        const PolynomialVec3 &u = p[i], &v = p[i % 3 + 1];
        formula.touching.emplace_back(p[0], u, v);
        formula.crossing.push_back(dot(normal, cross(u - p[0], v - p[0])));
    }
    return formula;
}

// The ends of one edge come first, then those of the other. They meet where an end is on the other
// edge, or where the ends of each are on different sides of the other.
inline ContactFormula contact_edge_edge(const MovingPoints& p) {
    const PolynomialVec3 a = p[1] - p[0], b = p[3] - p[2];
    ContactFormula formula{dot(cross(a, b), p[2] - p[0]), {}, {}};
    for (std::size_t i = 0; i < 2; ++i) {
        formula.touching.emplace_back(p[i], p[2], p[3]);
        formula.touching.emplace_back(p[2 + i], p[0], p[1]);
    }
    formula.crossing.push_back(dot(cross(a, p[2] - p[0]), cross(p[3] - p[0], a)));
    formula.crossing.push_back(dot(cross(b, p[0] - p[2]), cross(p[1] - p[2], b)));
    return formula;
}

// The exact first time lies in [low, high].
struct TimeBounds {
    Rational low, high;
};

inline std::optional<TimeBounds> first_contact(const ContactFormula& formula,
                                               const Rational& width) {
    std::vector<AlgebraicNumber> times{{{0, 1}, Rational(-1), Rational(0)}};
    for (const Polynomial& p : formula.polynomials())
        if (!p.empty())
            for (AlgebraicNumber& root : roots_in_step(p))
                times.push_back(root);
    std::optional<TimeBounds> first;
    for (AlgebraicNumber& t : times) {
        t.narrow_to(Rational(0x1p-30));  // so that few polynomials have a root close by
        if (!formula.holds(t)) continue;
        t.narrow_to(width);
        if (t.low < 0) t.low = 0;
        if (!first) first = {t.low, t.high};
        if (t.low < first->low) first->low = t.low;
        if (t.high < first->high) first->high = t.high;
    }
    return first;
}

}  // namespace graze::oracle

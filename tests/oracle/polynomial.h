// Polynomials with rational coefficients, their real roots as isolated algebraic numbers, and the
// exact sign of one polynomial at a root of another. The code is slow and short and uses nothing
// but Sturm's theorem.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/oracle/rational.h"

namespace graze::oracle {

// The coefficients from the constant up; the last is not zero, and the polynomial zero has none.
using Polynomial = std::vector<Rational>;

inline Polynomial trimmed(Polynomial p) {
    while (!p.empty() && sgn(p.back()) == 0)
        p.pop_back();
    return p;
}

inline Polynomial operator+(const Polynomial& p, const Polynomial& q) {
    Polynomial result(std::max(p.size(), q.size()));
    for (std::size_t i = 0; i < p.size(); ++i)
        result[i] += p[i];
    for (std::size_t i = 0; i < q.size(); ++i)
        result[i] += q[i];
    return trimmed(std::move(result));
}
inline Polynomial operator-(const Polynomial& p, const Polynomial& q) {
    Polynomial minus_q = q;
    for (Rational& coefficient : minus_q)
        coefficient = -coefficient;
    return p + minus_q;
}
inline Polynomial operator*(const Polynomial& p, const Polynomial& q) {
    if (p.empty() || q.empty()) return {};
    Polynomial result(p.size() + q.size() - 1);
    for (std::size_t i = 0; i < p.size(); ++i)
        for (std::size_t j = 0; j < q.size(); ++j)
            result[i + j] += p[i] * q[j];
    return trimmed(std::move(result));
}

struct Division {
    Polynomial quotient, remainder;
};
inline Division divide(Polynomial p, const Polynomial& q) {
    Polynomial quotient(p.size() >= q.size() ? p.size() - q.size() + 1 : 0);
    while (p.size() >= q.size()) {
        const std::size_t shift = p.size() - q.size();
        const Rational factor = p.back() / q.back();
        quotient[shift] = factor;
        for (std::size_t i = 0; i < q.size(); ++i)
            p[i + shift] -= factor * q[i];
        p = trimmed(std::move(p));
        if (p.empty()) break;
    }
    return {trimmed(std::move(quotient)), p};
}

// Returns a positive multiple with integer coefficients that have no common factor, which keeps
// numbers short.
inline Polynomial primitive(Polynomial p) {
    mpz_class denominator = 1, numerator = 0;
    for (const Rational& coefficient : p)
        denominator = lcm(denominator, mpz_class(coefficient.get_den()));
    for (Rational& coefficient : p) {
        coefficient *= denominator;
        numerator = gcd(numerator, mpz_class(coefficient.get_num()));
    }
    for (Rational& coefficient : p)
        coefficient /= numerator;
    return p;
}

// Returns a greatest common divisor.
inline Polynomial common_divisor(Polynomial p, Polynomial q) {
    while (!q.empty()) {
        Polynomial remainder = primitive(divide(p, q).remainder);
        p = std::move(q);
        q = std::move(remainder);
    }
    return p;
}

inline Polynomial derivative(const Polynomial& p) {
    Polynomial result;
    for (std::size_t i = 1; i < p.size(); ++i)
        result.push_back(p[i] * Rational(static_cast<long>(i)));
    return result;
}

// Returns a polynomial with the same roots, each of them simple.
inline Polynomial square_free(const Polynomial& p) {
    return p.size() <= 2 ? p : primitive(divide(p, common_divisor(p, derivative(p))).quotient);
}

inline int sign_at(const Polynomial& p, const Rational& x) {
    Rational value = 0;
    for (std::size_t i = p.size(); i-- > 0;)
        value = value * x + p[i];
    return sgn(value);
}

// Counts roots by Sturm's theorem.
class SturmChain {
public:
    // p is square-free and not zero.
    explicit SturmChain(const Polynomial& p) : chain_{primitive(p), primitive(derivative(p))} {
        while (!chain_.back().empty())
            chain_.push_back(
                primitive(Polynomial{} -
                          divide(chain_[chain_.size() - 2], chain_[chain_.size() - 1]).remainder));
    }
    // The number of roots in the half-open interval (low, high].
    int count_roots(const Rational& low, const Rational& high) const {
        return count_sign_changes(low) - count_sign_changes(high);
    }

private:
    int count_sign_changes(const Rational& x) const {
        int count = 0, last = 0;
        for (const Polynomial& q : chain_) {
            const int sign = sign_at(q, x);
            count += sign * last < 0;
            if (sign != 0) last = sign;
        }
        return count;
    }
    std::vector<Polynomial> chain_;
};

// The one root of a square-free polynomial in (low, high].
struct AlgebraicNumber {
    Polynomial polynomial;
    Rational low, high;

    void halve() {
        const Rational middle = (low + high) / 2;
        const int at_middle = sign_at(polynomial, middle), at_high = sign_at(polynomial, high);
        const bool is_above = at_high == 0 || at_middle * at_high < 0;
        (is_above && at_middle != 0 ? low : high) = middle;
    }
    void narrow_to(const Rational& width) {
        while (high - low > width)
            halve();
    }
};

// The sign of p at x.
inline int sign_at(const Polynomial& p, AlgebraicNumber x) {
    if (p.empty()) return 0;
    const Polynomial common = common_divisor(x.polynomial, p);
    if (common.size() > 1 && SturmChain(common).count_roots(x.low, x.high) > 0) return 0;
    const SturmChain roots_of_p(square_free(p));
    while (roots_of_p.count_roots(x.low, x.high) > 0)
        x.halve();
    return sign_at(p, x.high);
}

// Returns all roots in [0, 1] of p, which is not zero.
inline std::vector<AlgebraicNumber> roots_in_step(const Polynomial& p) {
    const Polynomial once = square_free(p);
    const SturmChain chain(once);
    std::vector<AlgebraicNumber> result;
    if (sign_at(once, Rational(0)) == 0) result.push_back({{0, 1}, Rational(-1), Rational(0)});
    std::vector<AlgebraicNumber> waiting{{once, Rational(0), Rational(1)}};
    while (!waiting.empty()) {
        const AlgebraicNumber interval = waiting.back();
        waiting.pop_back();
        const int count = chain.count_roots(interval.low, interval.high);
        if (count == 1) result.push_back(interval);
        if (count <= 1) continue;
        const Rational middle = (interval.low + interval.high) / 2;
        waiting.push_back({once, interval.low, middle});
        waiting.push_back({once, middle, interval.high});
    }
    return result;
}

}  // namespace graze::oracle

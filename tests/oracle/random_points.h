// RandomPoints draws points that are hard on geometric code: on a small grid, where exact
// degeneracies are common, a few ulps beside it, where near ones are, and over all magnitudes.
#pragma once

#include <cmath>
#include <limits>
#include <random>

#include "graze/vec3.h"

namespace graze::oracle {

template <class T>
class RandomPoints {
public:
    explicit RandomPoints(unsigned seed) : engine_(seed) {}

    int integer(int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(engine_);
    }
    T uniform(T low, T high) { return std::uniform_real_distribution<T>(low, high)(engine_); }

    // The coordinates are in {-reach, ..., reach}.
    Vec3T<T> on_grid(int reach) {
        return {T(integer(-reach, reach)), T(integer(-reach, reach)), T(integer(-reach, reach))};
    }
    Vec3T<T> in_box(T reach) {
        return {uniform(-reach, reach), uniform(-reach, reach), uniform(-reach, reach)};
    }
    // Each coordinate has an exponent of its own in [low, high], or is zero now and then.
    Vec3T<T> over_exponents(int low, int high) {
        return {over_exponents_one(low, high), over_exponents_one(low, high),
                over_exponents_one(low, high)};
    }
    // Moves each coordinate by at most `steps` ulps. Beside zero an ulp is the smallest float, or
    // 2^-300 for double, which the exact predicates still promise to handle.
    Vec3T<T> nudged(const Vec3T<T>& p, int steps) {
        return {nudged_one(p.x, steps), nudged_one(p.y, steps), nudged_one(p.z, steps)};
    }

private:
    T over_exponents_one(int low, int high) {
        if (integer(0, 7) == 0) return T(0);
        return std::ldexp(uniform(T(0.5), T(1)), integer(low, high)) * T(integer(0, 1) * 2 - 1);
    }
    T nudged_one(T x, int steps) {
        const int count = integer(-steps, steps);
        if constexpr (sizeof(T) == 8) {
            if (x == T(0)) return T(count) * T(0x1p-300);
        }
        const T target =
            count < 0 ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
        for (int i = 0; i < std::abs(count); ++i)
            x = std::nextafter(x, target);
        return x;
    }

    std::mt19937_64 engine_;
};

}  // namespace graze::oracle

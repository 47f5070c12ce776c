// RandomNumbers: the same on every machine and with every standard library. The language fixes the
// engine and the seeding, but not the distributions, so these are made here of sums, products and
// square roots alone.
#pragma once

#include <cstdint>
#include <random>

#include "graze/quat.h"

namespace graze {

class RandomNumbers {
public:
    // The streams of one seed have nothing to do with one another.
    RandomNumbers(std::uint32_t seed, std::uint32_t stream) : engine_(start(seed, stream)) {}

    // A number in [0, 1), of 32 bits.
    double fraction() { return static_cast<double>(engine_()) * 0x1p-32; }
    double between(double low, double high) { return low + (high - low) * fraction(); }
    // A whole number in [0, count).
    std::size_t below(std::size_t count) {
        return static_cast<std::size_t>(fraction() * static_cast<double>(count));
    }
    // A point in the unit disk of the x-y plane.
    Vec3d in_disk() {
        for (;;) {
            const double x = between(-1, 1);
            const double y = between(-1, 1);
            if (x * x + y * y <= 1) return {x, y, 0};
        }
    }
    // A rotation, all alike: the direction of a point in the unit ball of four dimensions.
    Quatd rotation() {
        for (;;) {
            Quatd q{};
            q.w = between(-1, 1);
            q.x = between(-1, 1);
            q.y = between(-1, 1);
            q.z = between(-1, 1);
            const double norm_sq = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
            if (norm_sq <= 1 && norm_sq > 1e-6) return normalized(q);
        }
    }

private:
    static std::mt19937 start(std::uint32_t seed, std::uint32_t stream) {
        std::seed_seq sequence{seed, stream};
        return std::mt19937(sequence);
    }

    std::mt19937 engine_;
};

}  // namespace graze

// make_fan and may_be_cut_across: how a loop of vertices becomes triangles.
#pragma once

#include <limits>

#include "graze/mesh.h"

namespace graze {

// Writes a fan from the vertex with the shortest diagonals, count - 2 triangles. Returns the end of
// out.
inline Triangle* make_fan(const Vec3* positions, const std::uint32_t* vertices, int count,
                          Triangle* out) {
    const auto position = [&](int n) { return static_cast<Vec3d>(positions[vertices[n % count]]); };
    int best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int from = 0; from < count && count > 3; ++from) {
        double sum = 0;
        for (int m = 2; m < count - 1; ++m)
            sum += length_sq(position(from) - position(from + m));
        if (sum < least) {
            least = sum;
            best = from;
        }
    }
    for (int m = 1; m < count - 1; ++m) {
        *out++ = {{vertices[best], vertices[(best + m) % count], vertices[(best + m + 1) % count]}};
    }
    return out;
}

// Whether a quadrilateral p, a, q, b can be cut from p to q: whether the triangles p a q and q b p
// face in the direction in which p a b and q b a together do.
inline bool may_be_cut_across(const Vec3* positions, std::uint32_t p, std::uint32_t a,
                              std::uint32_t q, std::uint32_t b) {
    const auto normal = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
        const auto origin = static_cast<Vec3d>(positions[x]);
        return cross(static_cast<Vec3d>(positions[y]) - origin,
                     static_cast<Vec3d>(positions[z]) - origin);
    };
    const Vec3d together = normal(p, a, b) + normal(q, b, a);
    return dot(normal(p, a, q), together) > 0 && dot(normal(q, b, p), together) > 0;
}

}  // namespace graze

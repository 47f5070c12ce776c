// Ray and RayHit: a half-line or a piece of one, and where it meets a triangle.
#pragma once

#include <cstdint>
#include <limits>

#include "graze/vec3.h"

namespace graze {

// In place of a triangle's index: there is none.
inline constexpr std::uint32_t kNoTriangle = 0xffffffffu;

struct Ray {
    Vec3 origin;     // [m]
    Vec3 direction;  // any length; parameters are in units of it
    float t_min = 0;
    float t_max = std::numeric_limits<float>::infinity();
};

struct RayHit {
    float t;
    float u, v;  // the point is (1 - u - v) a + u b + v c
    std::uint32_t triangle = kNoTriangle;
    bool front;  // the ray met the side from which a, b, c run counter-clockwise
};

}  // namespace graze

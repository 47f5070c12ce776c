// Moments: the integrals of 1, x and x x^T over a solid, which add up over its parts.
#pragma once

#include "graze/mass_properties.h"

namespace graze {

struct Moments {
    double volume = 0;
    Vec3d first{0, 0, 0};
    Vec3d squares{0, 0, 0};   // of xx, yy, zz
    Vec3d products{0, 0, 0};  // of yz, zx, xy

    Moments& operator+=(const Moments& o) {
        volume += o.volume;
        first += o.first;
        squares += o.squares;
        products += o.products;
        return *this;
    }
};

// The moments of the tetrahedron of the origin and a, b, c, negative where these run clockwise seen
// from beyond.
inline Moments moments_of_tetrahedron(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const double determinant = dot(a, cross(b, c));
    const Vec3d sum = a + b + c;
    // Over a simplex the mean of x_i x_j is the sum of both over the corners, times 1/20, where
    // every corner counts twice if it is the same in both.
    const auto product = [&](int i, int j) {
        return sum[i] * sum[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j];
    };
    return {determinant / 6, sum * (determinant / 24),
            Vec3d{product(0, 0), product(1, 1), product(2, 2)} * (determinant / 120),
            Vec3d{product(1, 2), product(2, 0), product(0, 1)} * (determinant / 120)};
}

inline Moments moments_of_box(const Vec3d& low, const Vec3d& high) {
    const Vec3d size = high - low, middle = (low + high) * 0.5;
    const double volume = size.x * size.y * size.z;
    return {volume, middle * volume, (scale(middle, middle) + scale(size, size) / 12.0) * volume,
            Vec3d{middle.y * middle.z, middle.z * middle.x, middle.x * middle.y} * volume};
}

// The moments are in a frame with its origin at `origin`, in units of `unit` [m].
inline MassProperties to_mass_properties(const Moments& moments, const Vec3d& origin,
                                         double unit = 1) {
    MassProperties result;
    if (moments.volume == 0) return result;
    const Vec3d centre = moments.first / moments.volume;
    const Vec3d squares = moments.squares - scale(centre, moments.first);
    const Vec3d products =
        moments.products -
        Vec3d{centre.y * moments.first.z, centre.z * moments.first.x, centre.x * moments.first.y};
    const double trace = squares.x + squares.y + squares.z;
    const Mat3d inertia{{{trace - squares.x, -products.z, -products.y},
                         {-products.z, trace - squares.y, -products.x},
                         {-products.y, -products.x, trace - squares.z}}};
    const double volume_unit = unit * unit * unit;
    result.volume = moments.volume * volume_unit;
    result.centre = origin + centre * unit;
    result.inertia = inertia * (volume_unit * unit * unit);
    return result;
}

}  // namespace graze

// LinePolynomial: the value of a sampled field along a straight path through one cell, less the
// level, as a polynomial in Bernstein form on [0, 1].
//
// A trilinear blend along a line is a cubic. Restricted to the box between entry and exit, the
// blend has eight corner values F(i, j, k), and its coefficients are F(000), the mean of F(100),
// F(010) and F(001), the mean of F(011), F(101) and F(110), and F(111). Order 1 adds for each axis
// u (1 - u) times the bilinear blend of the differences of slopes (FieldCell), which makes it a
// quartic. The polynomial lies between the least and the largest coefficient, so that there is no
// crossing where all have one sign.
#pragma once

#include "field/sampled/sampled_field.h"

namespace graze {

// The degree is 3 for order 0, and 4 for order 1. T is a float, or eight of them (lanes.h).
template <int kDegree, class T = float>
struct LinePolynomial {
    T c[kDegree + 1];
};

// A cell's eight corners by rows: values less the level, and slopes for order 1.
template <class T = float>
struct CellRows {
    T value[8];  // x fastest
};
template <class T = float>
struct CellSlopes {
    T slope[3][8];
};

// The position in a cell, 0 to 1 along each axis, where a path enters it and where it leaves.
template <class T = float>
struct CellPath {
    T in[3], out[3];
};

template <class T>
GRAZE_INLINE LinePolynomial<3, T> blend_along(const CellRows<T>& cell, const CellPath<T>& path) {
    T x[8], y[8];
    for (int r = 0; r < 4; ++r) {
        const T slope = cell.value[2 * r + 1] - cell.value[2 * r];
        x[r] = cell.value[2 * r] + slope * path.in[0];
        x[4 + r] = cell.value[2 * r] + slope * path.out[0];
    }
    // x[4 i + 2 k + j]: i by x, j and k the corner along y and z.
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 2; ++k) {
            const T low = x[4 * i + 2 * k];
            const T slope = x[4 * i + 2 * k + 1] - low;
            y[4 * i + k] = low + slope * path.in[1];
            y[4 * i + 2 + k] = low + slope * path.out[1];
        }
    }
    // y[4 i + 2 j + k]: i by x, j by y, k the corner along z.
    T z[8];
    for (int r = 0; r < 4; ++r) {
        const T slope = y[2 * r + 1] - y[2 * r];
        z[2 * r] = y[2 * r] + slope * path.in[2];
        z[2 * r + 1] = y[2 * r] + slope * path.out[2];
    }
    constexpr float kThird = 1.0f / 3;
    return {{z[0], (z[1] + z[2] + z[4]) * kThird, (z[3] + z[5] + z[6]) * kThird, z[7]}};
}

// Adds u (1 - u) times the bilinear blend of d[4], whose fast axis is b, along axis a.
template <class T>
GRAZE_INLINE void add_bend(LinePolynomial<4, T>& sum, const T (&d)[4], const CellPath<T>& path,
                           int a, int b, int c) {
    const T in = path.in[a], out = path.out[a];
    const T g0 = in * (1 - in), g2 = out * (1 - out);
    const T g1 = 0.5f * (in * (1 - out) + out * (1 - in));
    const T rise[2] = {d[1] - d[0], d[3] - d[2]};
    const T low_in = d[0] + rise[0] * path.in[b], low_out = d[0] + rise[0] * path.out[b];
    const T high_in = d[2] + rise[1] * path.in[b], high_out = d[2] + rise[1] * path.out[b];
    const T in_rise = high_in - low_in, out_rise = high_out - low_out;
    const T h0 = low_in + in_rise * path.in[c];
    const T h2 = low_out + out_rise * path.out[c];
    const T h1 = 0.5f * ((low_in + in_rise * path.out[c]) + (low_out + out_rise * path.in[c]));
    sum.c[0] += g0 * h0;
    sum.c[1] += 0.5f * (g0 * h1 + g1 * h0);
    sum.c[2] += (1.0f / 6) * (g0 * h2 + 4 * (g1 * h1) + g2 * h0);
    sum.c[3] += 0.5f * (g1 * h2 + g2 * h1);
    sum.c[4] += g2 * h2;
}

template <class T>
GRAZE_INLINE LinePolynomial<4, T> blend_along(const CellRows<T>& cell, const CellSlopes<T>& slopes,
                                              const CellPath<T>& path) {
    const LinePolynomial<3, T> cubic = blend_along(cell, path);
    LinePolynomial<4, T> sum{{cubic.c[0], 0.25f * (cubic.c[0] + 3 * cubic.c[1]),
                              0.5f * (cubic.c[1] + cubic.c[2]),
                              0.25f * (3 * cubic.c[2] + cubic.c[3]), cubic.c[3]}};
    const auto& s = slopes.slope;
    const T dx[4] = {s[0][0] - s[0][1], s[0][2] - s[0][3], s[0][4] - s[0][5], s[0][6] - s[0][7]};
    const T dy[4] = {s[1][0] - s[1][2], s[1][1] - s[1][3], s[1][4] - s[1][6], s[1][5] - s[1][7]};
    const T dz[4] = {s[2][0] - s[2][4], s[2][1] - s[2][5], s[2][2] - s[2][6], s[2][3] - s[2][7]};
    add_bend(sum, dx, path, 0, 1, 2);
    add_bend(sum, dy, path, 1, 0, 2);
    add_bend(sum, dz, path, 2, 0, 1);
    return sum;
}

template <int kDegree>
GRAZE_INLINE float value_at(const LinePolynomial<kDegree>& p, float s) {
    float c[kDegree + 1];
    for (int i = 0; i <= kDegree; ++i)
        c[i] = p.c[i];
    for (int n = kDegree; n > 0; --n) {
        for (int i = 0; i < n; ++i)
            c[i] = c[i] + (c[i + 1] - c[i]) * s;
    }
    return c[0];
}

// The polynomial on [low, high] alone, by de Casteljau's splits.
template <int kDegree>
GRAZE_INLINE LinePolynomial<kDegree> part_of(LinePolynomial<kDegree> p, float low, float high) {
    for (int n = kDegree; n > 0; --n) {  // keeps [0, high]
        for (int i = kDegree; i > kDegree - n; --i)
            p.c[i] = p.c[i - 1] + (p.c[i] - p.c[i - 1]) * high;
    }
    const float s = low / high;
    for (int n = kDegree; n > 0; --n) {  // keeps [low, high] of it
        for (int i = 0; i < n; ++i)
            p.c[i] = p.c[i] + (p.c[i + 1] - p.c[i]) * s;
    }
    return p;
}

}  // namespace graze

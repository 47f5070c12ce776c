// integrate_cell: the moments of the part of a cell where the interpolated distance is negative.
//
// The cell is cut into lines along the axis that the surface crosses most steeply. On a line the
// distance is a quadratic function, so the negative part of it and its moments are exact; across
// the lines Gauss' rule sums them up. As the lines are within 55 degrees of the surface's normal,
// the part of a line that is inside changes gently from one to the next, and few lines do.
#pragma once

#include "field/sampled/field_cell.h"
#include "geometry/moments.h"

namespace graze {

// The integrals of 1, s and s^2 over the part of [0, 1] where the function is negative.
struct LineMoments {
    double m0 = 0, m1 = 0, m2 = 0;

    void add(double from, double to) {
        m0 += to - from;
        m1 += (to * to - from * from) / 2;
        m2 += (to * to * to - from * from * from) / 3;
    }
};

inline LineMoments integrate_line(const Quadratic& f) {
    // These roots do not lose digits where c2 is small; where there is none they are no numbers.
    const double discriminant = f.c1 * f.c1 - 4 * f.c2 * f.c0;
    double cut[4] = {0, 1, 1, 1};
    int cut_count = 1;
    if (discriminant > 0) {
        const double root = std::sqrt(discriminant);
        const double q = -0.5 * (f.c1 + (f.c1 < 0 ? -root : root));
        double first = q / f.c2, second = f.c0 / q;
        if (first > second) std::swap(first, second);
        for (const double s : {first, second}) {
            if (s > 0 && s < 1) cut[cut_count++] = s;
        }
    }
    LineMoments result;
    for (int i = 0; i < cut_count; ++i) {
        const double from = cut[i], to = i + 1 < cut_count ? cut[i + 1] : 1;
        if (f((from + to) / 2) < 0) result.add(from, to);
    }
    return result;
}

// The moments are in the cell's frame.
inline Moments integrate_cell(const FieldCell& cell) {
    constexpr int kLines = 3;
    constexpr double kPosition[kLines] = {0.1127016653792583, 0.5, 0.8872983346207417};
    constexpr double kWeight[kLines] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    const int a = cell.steepest_axis(), b = (a + 1) % 3, c = (a + 2) % 3;
    Moments result;
    for (int i = 0; i < kLines; ++i) {
        for (int j = 0; j < kLines; ++j) {
            const double p = kPosition[i], q = kPosition[j], weight = kWeight[i] * kWeight[j];
            const LineMoments line = integrate_line(cell.along(a, p, q));
            result.volume += weight * line.m0;
            result.first[a] += weight * line.m1;
            result.first[b] += weight * line.m0 * p;
            result.first[c] += weight * line.m0 * q;
            result.squares[a] += weight * line.m2;
            result.squares[b] += weight * line.m0 * p * p;
            result.squares[c] += weight * line.m0 * q * q;
            result.products[a] += weight * line.m0 * p * q;  // the product of the other two axes
            result.products[b] += weight * line.m1 * q;
            result.products[c] += weight * line.m1 * p;
        }
    }
    return result;
}

}  // namespace graze

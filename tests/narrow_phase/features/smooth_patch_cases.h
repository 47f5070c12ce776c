// Moving surfaces for tests of patches: smooth ones, nearly smooth ones and rough ones.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "tests/detection/deforming_cases.h"

namespace graze {

// Makes size * size squares, each cut in two; all triangles have the same orientation.
inline std::vector<Triangle> sheet_triangles(int size) {
    std::vector<Triangle> triangles;
    const auto vertex = [&](int i, int j) {
        return static_cast<std::uint32_t>(i * (size + 1) + j);
    };
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
            triangles.push_back({{vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1)}});
            triangles.push_back({{vertex(i, j), vertex(i + 1, j + 1), vertex(i, j + 1)}});
        }
    }
    return triangles;
}

// position(i, j, end) is that of corner i, j of the sheet at that end of the step.
template <class Position>
DeformingCase<double> moving_sheet(std::string name, int size, const Position& position) {
    DeformingCase<double> result;
    result.name = std::move(name);
    result.topology.triangles = sheet_triangles(size);
    result.topology.vertex_count = (size + 1) * (size + 1);
    for (int i = 0; i <= size; ++i) {
        for (int j = 0; j <= size; ++j) {
            result.t0.push_back(position(i, j, 0));
            result.t1.push_back(position(i, j, 1));
        }
    }
    return result;
}

// The sheet has waves of some height and noise, and turns as a whole.
inline DeformingCase<double> wavy_sheet(unsigned seed, int size) {
    oracle::RandomPoints<double> random(seed);
    const double height = random.uniform(0, 3), noise = random.uniform(0, 0.6);
    const double turn = random.uniform(-2, 2), phase = random.uniform(0, 6);
    return moving_sheet("wavy " + std::to_string(seed), size, [&](int i, int j, int end) {
        const double z = height * std::sin(0.7 * i + phase) * std::cos(0.5 * j + end);
        const Vec3d p = Vec3d{double(i), double(j), z} + random.in_box(noise);
        const double c = std::cos(turn * end), s = std::sin(turn * end);
        return Vec3d{c * p.x - s * p.z, p.y + end, s * p.x + c * p.z};
    });
}

// The sheet is rolled up by one angle at t0 and by another at t1. Each turn is a little within the
// last one, or, in a quarter of the cases, on it.
inline DeformingCase<double> rolled_sheet(unsigned seed, int size) {
    oracle::RandomPoints<double> random(seed);
    const double angles[2] = {random.uniform(0.1, 9), random.uniform(0.1, 9)};
    const double shrink = random.integer(0, 3) == 0 ? 0 : random.uniform(0, 0.1);
    return moving_sheet("rolled " + std::to_string(seed), size, [&](int i, int j, int end) {
        const double angle = angles[end] * i / size;
        const double radius = size / angles[end] * (1 - shrink * angle);
        return Vec3d{radius * std::cos(angle), double(j), radius * std::sin(angle)};
    });
}

// The corners are on a small grid, so that much lies in one plane, touches or has collapsed.
inline DeformingCase<double> crumpled_sheet(unsigned seed, int size, int motion) {
    oracle::RandomPoints<double> random(seed);
    return moving_sheet("crumpled " + std::to_string(seed), size, [&](int i, int j, int end) {
        Vec3d p{2.0 * i, 2.0 * j, double(random.integer(0, 1))};
        p.x += random.integer(0, 3) == 0 ? random.integer(-1, 1) : 0;
        p.y += random.integer(0, 3) == 0 ? random.integer(-1, 1) : 0;
        return end == 0 ? p : p + random.on_grid(motion);
    });
}

// A strip of squares is bent to a ring in its own plane, and its end may reach or pass its
// beginning. All normals are alike, so only the contour shows that.
inline DeformingCase<double> open_ring(std::string name, int length, double angle_t0,
                                       double angle_t1) {
    DeformingCase<double> result;
    result.name = std::move(name);
    const auto vertex = [](int i, int side) { return static_cast<std::uint32_t>(2 * i + side); };
    for (int i = 0; i <= length; ++i) {
        for (int side = 0; side < 2; ++side) {
            const double radius = 1 + side;
            const auto at = [&](double angle) {
                return Vec3d{radius * std::cos(angle * i / length),
                             radius * std::sin(angle * i / length), 0};
            };
            result.t0.push_back(at(angle_t0));
            result.t1.push_back(at(angle_t1));
        }
        if (i == length) break;
        result.topology.triangles.push_back({{vertex(i, 0), vertex(i, 1), vertex(i + 1, 1)}});
        result.topology.triangles.push_back({{vertex(i, 0), vertex(i + 1, 1), vertex(i + 1, 0)}});
    }
    result.topology.vertex_count = static_cast<std::int64_t>(result.t0.size());
    return result;
}

// Triangles go around a centre `turns` times, in a slight spiral, so that turns do not coincide.
// A closed fan ends where it begins.
inline DeformingCase<double> fan(std::string name, int count, double turns, bool is_closed) {
    DeformingCase<double> result;
    result.name = std::move(name);
    result.t0.push_back({0, 0, 0});
    constexpr double kTurn = 6.283185307179586;
    const int rim = is_closed ? count : count + 1;
    for (int i = 0; i < rim; ++i) {
        const double angle = kTurn * turns * i / count;
        const double radius = is_closed ? 1 + 0.1 * std::cos(angle / turns) : 1 + 0.05 * i;
        result.t0.push_back({radius * std::cos(angle), radius * std::sin(angle),
                             is_closed ? 0.1 * std::sin(angle / turns) : 0.01 * i});
    }
    for (int i = 0; i < count; ++i) {
        result.topology.triangles.push_back({{0, static_cast<std::uint32_t>(1 + i),
                                              static_cast<std::uint32_t>(1 + (i + 1) % rim)}});
    }
    result.t1 = result.t0;
    result.topology.vertex_count = static_cast<std::int64_t>(result.t0.size());
    return result;
}

// A band with half a twist, which has no consistent orientation.
inline DeformingCase<double> moebius_band(int length) {
    DeformingCase<double> result;
    result.name = "Moebius band";
    constexpr double kTurn = 6.283185307179586;
    const auto vertex = [&](int i, int side) {
        return static_cast<std::uint32_t>(i == length ? 1 - side : 2 * i + side);
    };
    for (int i = 0; i < length; ++i) {
        const double angle = kTurn * i / length;
        for (int side = 0; side < 2; ++side) {
            const double out = (side - 0.5) * std::cos(angle / 2);
            result.t0.push_back({(2 + out) * std::cos(angle), (2 + out) * std::sin(angle),
                                 (side - 0.5) * std::sin(angle / 2)});
        }
        result.topology.triangles.push_back({{vertex(i, 0), vertex(i, 1), vertex(i + 1, 1)}});
        result.topology.triangles.push_back({{vertex(i, 0), vertex(i + 1, 1), vertex(i + 1, 0)}});
    }
    result.t1 = result.t0;
    result.topology.vertex_count = static_cast<std::int64_t>(result.t0.size());
    return result;
}

// All of the above, for properties that hold always.
inline std::vector<DeformingCase<double>> patch_cases(int count) {
    std::vector<DeformingCase<double>> cases;
    for (int i = 0; i < count; ++i) {
        const auto seed = static_cast<unsigned>(i);
        cases.push_back(wavy_sheet(seed, 3 + i % 9));
        cases.push_back(rolled_sheet(seed, 4 + i % 9));
        cases.push_back(crumpled_sheet(seed, 2 + i % 3, i % 2));
        const double end = 6.283185307179586 * (0.8 + 0.02 * (i % 20));
        cases.push_back(open_ring("ring " + std::to_string(i), 14, end, end + 0.4 - 0.1 * (i % 9)));
    }
    cases.push_back(fan("fan, once around", 9, 1, true));
    cases.push_back(fan("fan, twice around", 17, 2, true));
    cases.push_back(fan("spiral fan", 19, 2.2, false));
    cases.push_back(fan("open fan", 9, 0.9, false));
    cases.push_back(moebius_band(12));
    return cases;
}

}  // namespace graze

// Fields and segments that are hard on a search: random samples, faces, edges and corners of cells,
// paths that begin inside, stay in place, or never meet the box.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "field/field_program.h"
#include "graze/segment_search.h"
#include "parallel/cpu_executor.h"
#include "tests/field/field_cases.h"
#include "tests/oracle/random_points.h"

namespace graze {

struct SegmentCase {
    std::string name;
    Field field;
    FieldGrid grid;             // what segments are drawn around
    std::vector<float> levels;  // [m]
};

inline Field with_tree(std::shared_ptr<SampledField> samples) {
    CpuExecutor executor;
    build_min_max_tree(executor, *samples);
    return make_sampled_field(std::move(samples));
}

// Independent random samples, whose cells are crossed any number of times.
inline Field random_samples(const FieldGrid& grid, FieldOrder order, unsigned seed) {
    oracle::RandomPoints<float> random(seed);
    return with_tree(oracle::fill_dense(grid, order, false, [&](const Vec3d&) {
        const Vec3 gradient = random.in_box(1);
        return oracle::Truth{double(random.uniform(-1, 1)), static_cast<Vec3d>(gradient)};
    }));
}

// A linear function a thousand times as steep as a distance, with a jump, as of a file that holds
// something else. The grid has one cell more than a multiple of four.
inline Field steep_samples(const FieldGrid& grid, FieldOrder order) {
    return with_tree(oracle::fill_dense(grid, order, false, [](const Vec3d& p) {
        const Vec3d slope{300, 700, -650};
        return oracle::Truth{dot(slope, p) + (p.x > 0.9 ? 400.0 : 0.0), slope};
    }));
}

// A ball with bumps, a true distance field but for the bumps.
inline Field bumpy_ball(const FieldGrid& grid, FieldOrder order, bool is_sparse,
                        bool is_surface_inside, float band) {
    const auto ball = [](const Vec3d& p) {
        const double norm = length(p);
        const Vec3d out = norm > 0 ? p / norm : Vec3d{0, 0, 1};
        return oracle::Truth{norm - 0.6 + 0.02 * std::sin(9 * p.x) * std::sin(7 * p.y), out};
    };
    return with_tree(is_sparse ? oracle::fill_sparse(grid, order, is_surface_inside, band, ball)
                               : oracle::fill_dense(grid, order, is_surface_inside, ball));
}

inline std::vector<SegmentCase> segment_cases() {
    const FieldGrid small{{-1, -0.75f, -0.5f}, 0.25f, {8, 6, 5}};
    const FieldGrid cube{{-1, -1, -1}, 0.0625f, {32, 32, 32}};
    std::vector<SegmentCase> cases;
    for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
        const std::string of_order = order == FieldOrder::zero ? " order 0" : " order 1";
        cases.push_back({"random" + of_order, random_samples(small, order, 5), small, {0, 0.3f}});
        cases.push_back({"dense ball" + of_order,
                         bumpy_ball(cube, order, false, true, 0),
                         cube,
                         {0, 0.1f, -0.2f, 0.5f}});
        cases.push_back({"sparse ball" + of_order,
                         bumpy_ball(cube, order, true, true, 0.05f),
                         cube,
                         {0, 0.04f, -0.04f, 0.3f, -0.4f}});
        cases.push_back({"dense ball that leaves the box" + of_order,
                         bumpy_ball({{-1, -1, -1}, 0.0625f, {24, 32, 32}}, order, false, false, 0),
                         cube,
                         {0, 0.1f}});
        cases.push_back(
            {"sparse ball that leaves the box" + of_order,
             bumpy_ball({{-1, -1, -1}, 0.0625f, {24, 32, 32}}, order, true, false, 0.05f),
             cube,
             {0, 0.3f}});
    }
    return cases;
}

// Those in which positions and values round by more than the oracle's tolerances.
inline std::vector<SegmentCase> steep_segment_cases() {
    const FieldGrid grid{{-1, -1, -1}, 0.11f, {17, 9, 13}};
    return {{"steep order 0", steep_samples(grid, FieldOrder::zero), grid, {0, 50}},
            {"steep order 1", steep_samples(grid, FieldOrder::one), grid, {0, 50}}};
}

// Segments around a grid; many lie on its planes, edges and samples.
inline std::vector<Segment> segments_around(const FieldGrid& grid, int count, unsigned seed) {
    oracle::RandomPoints<float> random(seed);
    const auto anywhere = [&](float reach) {
        Vec3 p{};
        for (int axis = 0; axis < 3; ++axis) {
            const float size = grid.spacing * static_cast<float>(grid.cells[axis]);
            p[axis] = grid.origin[axis] + size * random.uniform(-reach, 1 + reach);
        }
        return p;
    };
    const auto on_sample = [&] {
        return grid.position(random.integer(0, grid.cells[0]), random.integer(0, grid.cells[1]),
                             random.integer(0, grid.cells[2]));
    };
    std::vector<Segment> segments;
    for (int i = 0; i < count; ++i) {
        Segment s{anywhere(0), anywhere(0)};
        switch (i % 8) {
            case 0:
                s = {on_sample(), on_sample()};
                break;
            case 1: {  // within a plane or along an edge of cells
                s.from = on_sample();
                for (int axis = 0; axis < 3; ++axis) {
                    if (random.integer(0, 1) == 0) s.to[axis] = s.from[axis];
                }
                break;
            }
            case 2:
                s = {anywhere(1), anywhere(1)};
                break;
            case 3:  // through the box from side to side
                s = {anywhere(0.5f), anywhere(0.5f)};
                s.from[i % 3] = grid.origin[i % 3] - 1;
                s.to[i % 3] = grid.box().max[i % 3] + 1;
                break;
            case 4:
                s.to = s.from;
                break;
            case 5:  // short
                s.to = s.from + random.in_box(grid.spacing);
                break;
            default:
                break;
        }
        segments.push_back(s);
    }
    return segments;
}

}  // namespace graze

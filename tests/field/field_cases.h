// Fields of every kind, moved, scaled and combined, for tests on both machines.
#pragma once

#include <string>
#include <vector>

#include "graze/field.h"
#include "tests/oracle/fill_samples.h"
#include "tests/oracle/random_points.h"

namespace graze {

struct FieldCase {
    std::string name;
    Field field;
};

inline Transform random_transform(oracle::RandomPoints<float>& random) {
    return {random.in_box(1), Quat::from_axis_angle(random.in_box(1), random.uniform(-3, 3)),
            std::exp(random.uniform(-1, 1))};
}

// Hills with slopes up to about 1, and one cliff.
inline HeightMap sample_height_map() {
    HeightMap map{{-1, -1.5f, 0.25f}, 0.25f, {9, 13}, {}};
    for (int j = 0; j < map.size[1]; ++j)
        for (int i = 0; i < map.size[0]; ++i)
            map.heights.push_back(0.4f * static_cast<float>(i * j % 5) / 5 +
                                  0.1f * static_cast<float>(i) + (j == 7 && i > 4 ? 0.6f : 0.0f));
    return map;
}

// Samples of a ball around the origin.
inline Field sample_ball(FieldOrder order, bool is_sparse) {
    const FieldGrid grid{{-1, -1, -1}, 0.125f, {16, 16, 16}};
    const auto ball = [](const Vec3d& p) {
        const double norm = length(p);
        return oracle::Truth{norm - 0.7, norm > 0 ? p / norm : Vec3d{0, 0, 1}};
    };
    return make_sampled_field(is_sparse ? oracle::fill_sparse(grid, order, true, 0.05f, ball)
                                        : oracle::fill_dense(grid, order, true, ball));
}

// One field of each kind.
inline std::vector<FieldCase> field_leaves() {
    return {{"plane", Field::plane({1, 2, -3}, 0.5f)},
            {"sphere", Field::sphere({0.5f, -0.25f, 0.125f}, 0.75f)},
            {"box", Field::box({0.5f, 1, 0.75f})},
            {"rounded box", Field::rounded_box({1, 0.5f, 0.75f}, 0.25f)},
            {"capsule", Field::capsule({-0.5f, 0, 0.3f}, {0.7f, 0.2f, -0.4f}, 0.3f)},
            {"cylinder", Field::cylinder(0.5f, 1)},
            {"cone", Field::cone(0.75f, 1.5f)},
            {"torus", Field::torus(1, 0.25f)},
            {"torus across its axis", Field::torus(0.5f, 0.75f)},
            {"height map", Field::height_map(sample_height_map())},
            {"dense order 0", sample_ball(FieldOrder::zero, false)},
            {"dense order 1", sample_ball(FieldOrder::one, false)},
            {"sparse order 0", sample_ball(FieldOrder::zero, true)},
            {"sparse order 1", sample_ball(FieldOrder::one, true)}};
}

// Leaves combined at random, in trees of every form.
inline Field random_combination(oracle::RandomPoints<float>& random,
                                const std::vector<FieldCase>& leaves, int leaf_count) {
    if (leaf_count == 1) {
        const int last = static_cast<int>(leaves.size()) - 1;
        const Field& leaf = leaves[static_cast<std::size_t>(random.integer(0, last))].field;
        return random.integer(0, 2) == 0 ? leaf : leaf.transformed(random_transform(random));
    }
    const int left = random.integer(1, leaf_count - 1);
    const Field a = random_combination(random, leaves, left);
    const Field b = random_combination(random, leaves, leaf_count - left);
    const int operation = random.integer(0, 2);
    const Field both = operation == 0   ? unite(a, b)
                       : operation == 1 ? intersect(a, b)
                                        : subtract(a, b);
    return random.integer(0, 3) == 0 ? both.transformed(random_transform(random)) : both;
}

inline std::vector<FieldCase> field_cases() {
    std::vector<FieldCase> cases = field_leaves();
    const std::vector<FieldCase> leaves = cases;
    oracle::RandomPoints<float> random(17);
    for (const FieldCase& leaf : leaves)
        cases.push_back({"moved " + leaf.name, leaf.field.transformed(random_transform(random))});
    for (int i = 0; i < 20; ++i) {
        cases.push_back({"combination " + std::to_string(i),
                         random_combination(random, leaves, random.integer(2, 24))});
    }
    return cases;
}

// Points near and far, often on planes of symmetry.
inline std::vector<Vec3> field_points(int count) {
    oracle::RandomPoints<float> random(18);
    std::vector<Vec3> points;
    for (int i = 0; i < count; ++i) {
        const float reach = std::ldexp(1.0f, random.integer(-3, 4));
        points.push_back(i % 3 == 0 ? random.on_grid(8) * 0.25f : random.in_box(reach));
    }
    return points;
}

}  // namespace graze

#include "graze/mass_properties.h"

#include "graze/build_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <random>

#include "field/mass/integrate_cell.h"
#include "field/mass/mass_properties_sampled.h"
#include "graze/error.h"
#include "graze/mesh_io.h"
#include "tests/needs_data.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/mesh_distance.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr VoxelRule kRules[] = {VoxelRule::whole, VoxelRule::partial};

MassProperties solid_sphere(const Vec3d& centre, double r) {
    const double volume = 4 * kPi / 3 * r * r * r, moment = 0.4 * volume * r * r;
    return {volume, centre, Mat3d::diagonal({moment, moment, moment})};
}
MassProperties solid_box(const Vec3d& centre, const Vec3d& half) {
    const double volume = 8 * half.x * half.y * half.z;
    const Vec3d sq = scale(half, half);
    return {volume, centre,
            Mat3d::diagonal(Vec3d{sq.y + sq.z, sq.z + sq.x, sq.x + sq.y} * (volume / 3))};
}
// A torus around the z axis.
MassProperties solid_torus(double ring, double tube) {
    const double volume = 2 * kPi * kPi * ring * tube * tube;
    const double across = volume * (4 * ring * ring + 5 * tube * tube) / 8;
    return {
        volume, {}, Mat3d::diagonal({across, across, volume * (ring * ring + 0.75 * tube * tube)})};
}
// The properties of two solids together, by Steiner's theorem.
MassProperties join(const MassProperties& a, const MassProperties& b) {
    MassProperties result;
    result.volume = a.volume + b.volume;
    result.centre = (a.centre * a.volume + b.centre * b.volume) / result.volume;
    for (const MassProperties& solid : {a, b}) {
        const Vec3d d = solid.centre - result.centre;
        result.inertia = result.inertia + solid.inertia +
                         (Mat3d::identity() * length_sq(d) - outer(d, d)) * solid.volume;
    }
    return result;
}

double norm(const Mat3d& m) {
    return std::sqrt(length_sq(m.columns[0]) + length_sq(m.columns[1]) + length_sq(m.columns[2]));
}

// The errors relative to the volume, to its cube root and to the inertia.
struct Errors {
    double volume, centre, inertia;
    double worst() const { return std::max({volume, centre, inertia}); }
};
Errors compare(const MassProperties& found, const MassProperties& expected) {
    return {std::fabs(found.volume / expected.volume - 1),
            length(found.centre - expected.centre) / std::cbrt(std::fabs(expected.volume)),
            norm(found.inertia - expected.inertia) / norm(expected.inertia)};
}
bool same_bits(const MassProperties& a, const MassProperties& b) {
    return a.volume == b.volume && a.centre == b.centre && norm(a.inertia - b.inertia) == 0;
}

Mesh transformed(Mesh mesh, const Mat3& m, const Vec3& by) {
    for (Vec3& p : mesh.positions)
        p = m * p + by;
    return mesh;
}

TEST(MassPropertiesOfMesh, AreThoseOfAKnownSolid) {
    EXPECT_LT(compare(mass_properties(sample::cube()), solid_box({}, {1, 1, 1})).worst(), 1e-15);
    const Mesh brick =
        transformed(sample::cube(21), Mat3::diagonal({0.5f, 2, 0.25f}), {100, -2000, 3});
    EXPECT_LT(compare(mass_properties(brick), solid_box({100, -2000, 3}, {0.5, 2, 0.25})).worst(),
              1e-14);
    // The unit tetrahedron has second moments of 1/60 and products of 1/120 about its corner.
    const MassProperties corner = mass_properties(sample::tetrahedron());
    const Vec3d centre{0.25, 0.25, 0.25};
    const double square = 1.0 / 60 - 1.0 / 96, product = 1.0 / 120 - 1.0 / 96;
    Mat3d inertia = Mat3d::diagonal(Vec3d{1, 1, 1} * (2 * square));
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column)
            if (row != column) inertia(row, column) = -product;
    }
    EXPECT_LT(compare(corner, {1.0 / 6, centre, inertia}).worst(), 1e-14);
    // A fine torus is right up to its facets.
    EXPECT_LT(compare(mass_properties(sample::torus(700, 400)), solid_torus(2, 1)).worst(), 2e-4);
}

TEST(MassPropertiesOfMesh, FollowMotionScaleAndOrientation) {
    const Mesh mesh = sample::torus(24, 11);
    const MassProperties original = mass_properties(mesh);
    const Quat rotation = Quat::from_axis_angle({1, 2, 3}, 0.7f);
    const Mat3 m = to_matrix(rotation) * 3.0f;
    const MassProperties found = mass_properties(transformed(mesh, m, {10, -20, 5}));
    const auto turn = Mat3d{{static_cast<Vec3d>(m.columns[0]), static_cast<Vec3d>(m.columns[1]),
                             static_cast<Vec3d>(m.columns[2])}} *
                      (1 / 3.0);
    const MassProperties expected{original.volume * 27,
                                  turn * original.centre * 3.0 + Vec3d{10, -20, 5},
                                  turn * original.inertia * transpose(turn) * 243.0};
    EXPECT_LT(compare(found, expected).worst(), 1e-5);  // positions are floats

    Mesh reversed = mesh;
    for (Triangle& t : reversed.triangles)
        std::swap(t.v[0], t.v[1]);
    // A field turns it around, and so is it here.
    EXPECT_LT(compare(mass_properties(reversed), original).worst(), 1e-12);
}

Mesh with_cube(Mesh mesh, const Vec3& at, float side, bool is_inside_out = false) {
    const Mesh cube = transformed(sample::cube(), Mat3::diagonal({side, side, side}), at);
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.positions.insert(mesh.positions.end(), cube.positions.begin(), cube.positions.end());
    for (Triangle t : cube.triangles) {
        if (is_inside_out) std::swap(t.v[0], t.v[1]);
        mesh.triangles.push_back({{t[0] + first, t[1] + first, t[2] + first}});
    }
    return mesh;
}

// The solid is that of the field: parts by their nesting, what overlaps once.
TEST(MassPropertiesOfMesh, PartsAreThoseOfTheField) {
    const double own = mass_properties(sample::cube()).volume;
    const Vec3 middle = (bounds(sample::cube()).min + bounds(sample::cube()).max) * 0.5f;
    const double cube = own * 0.125;
    const auto placed = [&](const Vec3& by) { return middle * 0.5f + by; };
    // Apart and inside out.
    EXPECT_NEAR(mass_properties(with_cube(sample::cube(), {10, 0, 0}, 0.5f, true)).volume,
                own + cube, 1e-12);
    // A cavity, and the same as a second solid within the first.
    EXPECT_NEAR(mass_properties(with_cube(sample::cube(), placed({0, 0, 0}), 0.5f, true)).volume,
                own - cube, 1e-12);
    EXPECT_NEAR(mass_properties(with_cube(sample::cube(), placed({0, 0, 0}), 0.5f)).volume, own,
                0.002 * own);
    // Half of the small one reaches out.
    const Mesh overlapping =
        with_cube(sample::cube(), placed({0.5f * extent(bounds(sample::cube())).x, 0, 0}), 0.5f);
    const MassProperties found = mass_properties(overlapping);
    EXPECT_NEAR(found.volume, own + cube / 2, 0.002 * own);
    const MassProperties of_field = mass_properties(build_field(overlapping));
    EXPECT_LT(compare(found, of_field).worst(), 1e-3);
    EXPECT_EQ(mass_properties(overlapping, Device::cpu(2)).volume,
              mass_properties(overlapping, Device::cpu(1)).volume);
}

TEST(MassPropertiesOfMesh, AddUp) {
    Mesh two = transformed(sample::cube(), Mat3::identity(), {-3, 0, 0});
    const Mesh other = transformed(sample::cube(), Mat3::diagonal({1, 0.5f, 2}), {4, 1, 2});
    for (const Triangle& t : other.triangles)
        two.triangles.push_back({{t[0] + 8, t[1] + 8, t[2] + 8}});
    two.positions.insert(two.positions.end(), other.positions.begin(), other.positions.end());
    const MassProperties expected =
        join(solid_box({-3, 0, 0}, {1, 1, 1}), solid_box({4, 1, 2}, {1, 0.5, 2}));
    EXPECT_LT(compare(mass_properties(two), expected).worst(), 1e-14);
}

TEST(MassPropertiesOfMesh, NothingHasNoMass) {
    for (const Mesh& mesh : {Mesh{}, Mesh{{{1, 2, 3}}, {}}}) {
        EXPECT_EQ(mass_properties(mesh).volume, 0);
        EXPECT_EQ(norm(mass_properties(mesh).inertia), 0);
    }
    EXPECT_THROW(mass_properties(Mesh{{{0, 0, 0}}, {{{0, 1, 2}}}}), Error);
}

TEST(MassPropertiesOfMesh, ThreadsChangeNothing) {
    const Mesh mesh = sample::torus(300, 200);
    EXPECT_TRUE(same_bits(mass_properties(mesh, Device::cpu(1)), mass_properties(mesh)));
}

TEST(IntegrateLine, IsTheNegativePartOfAnyQuadratic) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> number(-1, 1);
    const int step_count = 2000;
    for (int n = 0; n < 2000; ++n) {
        Quadratic f{number(random), 3 * number(random), 3 * number(random)};
        if (n % 5 == 0) f.c2 = 0;
        if (n % 7 == 0) f.c2 *= 1e-12;
        if (n % 11 == 0) f.c1 = 0;
        if (n % 13 == 0) f.c0 = 0;
        LineMoments expected;
        for (int i = 0; i < step_count; ++i) {
            const double from = double(i) / step_count, to = double(i + 1) / step_count;
            if (f((from + to) / 2) < 0) expected.add(from, to);
        }
        const LineMoments found = integrate_line(f);
        EXPECT_NEAR(found.m0, expected.m0, 2e-3) << f.c0 << " " << f.c1 << " " << f.c2;
        EXPECT_NEAR(found.m1, expected.m1, 2e-3);
        EXPECT_NEAR(found.m2, expected.m2, 2e-3);
    }
}

// Cells as a distance field has them: a plane of any direction, bent a little.
TEST(IntegrateCell, IsTheNegativePartOfABentPlane) {
    std::mt19937 random(2);
    std::normal_distribution<double> number;
    constexpr int kSteps = 40;
    double sum = 0, largest = 0;
    const int count = oracle::case_count(500);
    for (int n = 0; n < count; ++n) {
        const Vec3d normal = normalized(Vec3d{number(random), number(random), number(random)});
        FieldCell cell;
        for (int i = 0; i < 8; ++i) {
            const Vec3d corner{i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5};
            cell.value[i] =
                dot(normal, corner) + 0.3 * number(random) * (i == 0) + 0.02 * number(random);
            for (int axis = 0; axis < 3; ++axis)
                cell.slope[axis][i] = normal[axis] / 2 + 0.02 * number(random);
        }
        Moments expected;
        const Vec3d step = Vec3d{1, 1, 1} / double(kSteps);
        for (int i = 0; i < kSteps * kSteps * kSteps; ++i) {
            const Vec3i index{i % kSteps, i / kSteps % kSteps, i / kSteps / kSteps};
            const Vec3d low = static_cast<Vec3d>(index) / double(kSteps), at = low + step * 0.5;
            if (cell.along(0, at.y, at.z)(at.x) < 0) expected += moments_of_box(low, low + step);
        }
        const Moments found = integrate_cell(cell);
        sum += found.volume - expected.volume;
        largest = std::max(largest, std::fabs(found.volume - expected.volume));
        for (int axis = 0; axis < 3; ++axis) {
            EXPECT_NEAR(found.first[axis], expected.first[axis], 0.03);
            EXPECT_NEAR(found.squares[axis], expected.squares[axis], 0.03);
            EXPECT_NEAR(found.products[axis], expected.products[axis], 0.03);
        }
    }
    EXPECT_LT(largest, 0.03);
    EXPECT_LT(std::fabs(sum) / count, 1e-3);  // without bias
}

struct SolidCase {
    std::string name;
    std::function<oracle::ExactValue(const Vec3d&)> distance;
    MassProperties expected;
};
std::vector<SolidCase> solid_cases() {
    return {{"sphere", oracle::ExactSphere{{0.13, -0.05, 0.02}, 0.7},
             solid_sphere({0.13, -0.05, 0.02}, 0.7)},
            {"box", oracle::ExactBox{{0.613, 0.377, 0.219}}, solid_box({}, {0.613, 0.377, 0.219})},
            {"torus", oracle::ExactTorus{0.63, 0.2}, solid_torus(0.63, 0.2)}};
}

TEST(MassPropertiesOfField, AreThoseOfAKnownSolid) {
    CpuExecutor executor;
    for (const SolidCase& solid : solid_cases()) {
        for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
            for (const bool is_sparse : {false, true}) {
                SCOPED_TRACE(solid.name + (is_sparse ? ", sparse" : ", dense") + ", order " +
                             std::to_string(static_cast<int>(order)));
                const FieldGrid grid = oracle::cube_grid(is_sparse ? 64 : 61, 1.03f);
                SampledField field = oracle::fill_field(solid.distance, grid, order, is_sparse);
                const MassProperties without_tree =
                    mass_properties(field, VoxelRule::partial, Device::cpu());
                build_min_max_tree(executor, field);
                const MassProperties partial =
                    mass_properties(field, VoxelRule::partial, Device::cpu());
                EXPECT_LT(compare(partial, without_tree).worst(), 1e-9);
                EXPECT_LT(compare(partial, solid.expected).worst(), 2e-3);
                const MassProperties whole =
                    mass_properties(field, VoxelRule::whole, Device::cpu());
                EXPECT_LT(compare(whole, solid.expected).worst(), 0.15);
                EXPECT_LT(compare(partial, solid.expected).volume,
                          compare(whole, solid.expected).volume);
            }
        }
    }
}

// A voxel counts as a whole where its sample is not positive, on one side of a plane here.
TEST(MassPropertiesOfField, WholeVoxelsAreCubesAroundSamples) {
    for (const bool is_sparse : {false, true}) {
        const FieldGrid grid{{0, 0, 0}, 0.5f, {16, 8, 8}};
        const auto below = [](const Vec3d& p) { return oracle::ExactValue{p.x - 3.1, {1, 0, 0}}; };
        const SampledField field = oracle::fill_field(below, grid, FieldOrder::one, is_sparse);
        // The solid has samples 0 to 6 along x and 0 to 8 along y and z.
        const MassProperties expected = solid_box({1.5, 2, 2}, {1.75, 2.25, 2.25});
        EXPECT_LT(
            compare(mass_properties(field, VoxelRule::whole, Device::cpu()), expected).worst(),
            1e-12);
    }
}

TEST(MassPropertiesOfField, ThreadsChangeNothing) {
    const oracle::ExactTorus torus{0.63, 0.2};
    for (const bool is_sparse : {false, true}) {
        SampledField field =
            oracle::fill_field(torus, oracle::cube_grid(48, 1), FieldOrder::one, is_sparse);
        for (const VoxelRule rule : kRules)
            EXPECT_TRUE(same_bits(mass_properties(field, rule, Device::cpu(1)),
                                  mass_properties(field, rule, Device::cpu())));
    }
}

TEST(MassPropertiesOfField, OfFormulasAndTheirCombinations) {
    const Field sphere = Field::sphere({2, 0, 0}, 0.5f), box = Field::box({1, 0.5f, 0.25f});
    EXPECT_LT(compare(mass_properties(sphere), solid_sphere({2, 0, 0}, 0.5)).worst(), 1e-4);
    EXPECT_LT(compare(mass_properties(box), solid_box({}, {1, 0.5, 0.25})).worst(), 1e-3);
    EXPECT_LT(compare(mass_properties(unite(box, sphere)),
                      join(solid_box({}, {1, 0.5, 0.25}), solid_sphere({2, 0, 0}, 0.5)))
                  .worst(),
              2e-3);
    // The solid is turned and moved away.
    const Transform motion{{50, -20, 30}, Quat::from_axis_angle({1, 1, 0}, 0.5f), 2};
    const MassProperties moved = mass_properties(box.transformed(motion));
    EXPECT_NEAR(moved.volume, 8, 8e-3);
    EXPECT_NEAR(length(moved.centre - Vec3d{50, -20, 30}), 0, 1e-3);
    const double expected_trace = 2 * (8.0 / 3) * 4 * (1 + 0.25 + 0.0625);
    EXPECT_NEAR(moved.inertia(0, 0) + moved.inertia(1, 1) + moved.inertia(2, 2), expected_trace,
                expected_trace * 2e-3);
    // A sampled field is taken as it is.
    auto samples = std::make_shared<SampledField>(oracle::fill_field(
        oracle::ExactSphere{{0, 0, 0}, 0.7}, oracle::cube_grid(32, 1), FieldOrder::one, false));
    EXPECT_TRUE(same_bits(mass_properties(make_sampled_field(samples)),
                          mass_properties(*samples, VoxelRule::partial, Device::cpu())));
}

TEST(MassPropertiesOfField, WhatHasNoEndOrNoInside) {
    EXPECT_THROW(mass_properties(Field::plane({0, 0, 1}, 0)), Error);
    EXPECT_THROW(mass_properties(Field::sphere({0, 0, 0}, 1), {.resolution = 0}), Error);
    EXPECT_EQ(mass_properties(Field::sphere({0, 0, 0}, 0)).volume, 0);
    EXPECT_EQ(
        mass_properties(intersect(Field::sphere({0, 0, 0}, 1), Field::sphere({9, 0, 0}, 1))).volume,
        0);
}

TEST(MassPropertiesOfField, OfRealModels) {
    GRAZE_NEEDS_DATA("models");
    const std::filesystem::path folder = data_folder() / "models";
    CpuExecutor executor;
    for (const char* name : {"knot.off", "spot_low.obj", "torus.obj"}) {
        SCOPED_TRACE(name);
        const Mesh mesh = load_mesh(folder / name);
        const oracle::MeshDistance distance(mesh);
        SampledField field = oracle::fill_field(distance, oracle::grid_around(mesh, 48, true),
                                                FieldOrder::one, true);
        build_min_max_tree(executor, field);
        const MassProperties expected = mass_properties(mesh);
        EXPECT_LT(
            compare(mass_properties(field, VoxelRule::partial, Device::cpu()), expected).worst(),
            2e-3);
        EXPECT_LT(
            compare(mass_properties(field, VoxelRule::whole, Device::cpu()), expected).worst(),
            0.1);
    }
}

}  // namespace
}  // namespace graze

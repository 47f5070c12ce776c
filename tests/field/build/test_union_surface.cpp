// Tests of find_union_surface() and of fields of overlapping parts, against the formula of two
// spheres.
#include "field/build/union_surface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "field/build/tidy_mesh.h"
#include "field/sampled/sampled_field.h"
#include "graze/build_field.h"
#include "graze/extract_surface.h"
#include "graze/generate_mesh.h"
#include "graze/mass_properties.h"
#include "graze/mesh_report.h"
#include "tests/field/build/build_field_cases.h"

namespace graze {
namespace {

constexpr double kOffset = 0.5;  // of either centre from the origin, along x
constexpr double kRadius = 1;
// How far the faces of the ball are below the sphere, at most: an edge is shorter than 0.08.
constexpr double kSag = 0.08 * 0.08 / 2;

Mesh two_spheres() {
    const Mesh ball = make_sphere(float(kRadius), 4);
    Mesh mesh = moved(ball, {float(kOffset), 0, 0});
    append(mesh, moved(ball, {-float(kOffset), 0, 0}));
    return mesh;
}

// The signed distance to the union of both spheres.
double distance_to_union(const Vec3& point) {
    const auto p = static_cast<Vec3d>(point);
    const Vec3d centres[2] = {{kOffset, 0, 0}, {-kOffset, 0, 0}};
    const double a = length(p - centres[0]) - kRadius, b = length(p - centres[1]) - kRadius;
    if (std::min(a, b) >= 0) return std::min(a, b);
    // Inside, the closest point is on a sphere where that is not within the other, or on the circle
    // that both share.
    double nearest = std::hypot(p.x, std::hypot(p.y, p.z) - std::sqrt(1 - kOffset * kOffset));
    for (int side = 0; side < 2; ++side) {
        const Vec3d out = p - centres[side];
        if (length(out) == 0) continue;
        const Vec3d on = centres[side] + out * (kRadius / length(out));
        if (length(on - centres[1 - side]) >= kRadius)
            nearest = std::min(nearest, std::fabs(length(out) - kRadius));
    }
    return -nearest;
}

TEST(UnionSurface, FieldOfTwoSpheresIsThatOfTheFormula) {
    FieldReport report;
    const Field field = build_field(
        two_spheres(), {.resolution = 48, .order = FieldOrder::zero, .device = Device::cpu(2)},
        &report);
    EXPECT_THAT(report.findings, testing::Contains(testing::HasSubstr("2 parts reach into")));
    const SampledField& samples = *samples_of(field);
    const double seam = double(samples.grid.spacing) / 8;
    double worst_outside = 0, worst_inside = 0;
    for (std::int64_t n = 0; n < samples.values.size(); ++n) {
        const std::int64_t x = samples.grid.samples(0), y = samples.grid.samples(1);
        const Vec3 point = samples.grid.position(n % x, n / x % y, n / x / y);
        const double exact = distance_to_union(point);
        const double off = std::fabs(double(samples.values.data()[n]) - exact);
        (exact < 0 ? worst_inside : worst_outside) =
            std::max(exact < 0 ? worst_inside : worst_outside, off);
    }
    EXPECT_LE(worst_outside, kSag + 1e-5);
    // The circle that the balls share is off by more than their faces, as they meet at an angle.
    EXPECT_LE(worst_inside, 2 * kSag + seam);
    // Between the samples, too.
    for (float x = -0.4f; x < 0.4f; x += 0.05f)
        EXPECT_NEAR(double(field.distance({x, 0, 0})), distance_to_union({x, 0, 0}),
                    double(field.error()) + 2 * kSag + seam);
}

TEST(UnionSurface, MassAndSurfaceAreThoseOfTheUnion) {
    // Two balls less their lens.
    const double h = kRadius - kOffset, pi = 3.14159265358979;
    const double volume = 2 * 4 * pi / 3 - 2 * pi * h * h * (3 * kRadius - h) / 3;
    for (const bool is_sparse : {false, true}) {
        const Field field = build_field(two_spheres(), {.resolution = 64, .sparse = is_sparse});
        EXPECT_NEAR(mass_properties(field).volume, volume, volume * 0.006);
        const MeshReport report = inspect(extract_surface(field));
        EXPECT_TRUE(report.is_closed());
        EXPECT_EQ(report.component_count, 1);
        EXPECT_EQ(report.euler_characteristic, 2);
        EXPECT_EQ(report.self_intersection_count, 0);
        EXPECT_NEAR(report.volume, volume, volume * 0.006);
    }
}

TEST(UnionSurface, SameForAnyNumberOfThreads) {
    FieldOptions options{.resolution = 40, .sparse = true, .device = Device::cpu(1)};
    const Field one = build_field(two_spheres(), options);
    options.device = Device::cpu(2);
    expect_same_bytes(*samples_of(one), *samples_of(build_field(two_spheres(), options)));
}

std::optional<UnionSurface> united(const Mesh& mesh) {
    CpuExecutor executor(2);
    const TidyMesh tidy = tidy_mesh(executor, mesh);
    return find_union_surface(executor, tidy.mesh, tidy.parts, 0.01f);
}

Mesh scaled_cube(const Vec3& from, float side, bool is_inside_out = false) {
    Mesh mesh = oracle_cube();
    for (Vec3& p : mesh.positions)
        p = p * side + from;
    if (is_inside_out) {
        for (Triangle& t : mesh.triangles)
            std::swap(t.v[1], t.v[2]);
    }
    return mesh;
}
Mesh joined(Mesh a, const Mesh& b) {
    append(a, b);
    return a;
}

// Parts that are apart, that touch with their faces, and cavities lose nothing.
TEST(UnionSurface, WhatDoesNotOverlapStays) {
    const Mesh cube = scaled_cube({0, 0, 0}, 2);
    EXPECT_FALSE(united(cube));
    EXPECT_FALSE(united(joined(cube, scaled_cube({3, 0, 0}, 2))));
    EXPECT_FALSE(united(joined(cube, scaled_cube({2, 0.25f, 0.5f}, 1))));
    EXPECT_FALSE(united(joined(cube, scaled_cube({0.5f, 0.5f, 0.5f}, 1, true))));
    // A solid in the cavity.
    EXPECT_FALSE(
        united(joined(joined(scaled_cube({-1, -1, -1}, 4), scaled_cube({0, 0, 0}, 2, true)),
                      scaled_cube({0.5f, 0.5f, 0.5f}, 1))));
}

TEST(UnionSurface, WhatLiesInAnotherPartIsGone) {
    const std::optional<UnionSurface> result =
        united(joined(scaled_cube({0, 0, 0}, 2), scaled_cube({0.5f, 0.5f, 0.5f}, 1)));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->mesh.triangles.size(), 12u);
    EXPECT_EQ(result->dropped_count, 12);
    EXPECT_EQ(result->overlapping_part_count, 1);
}

// A stick through a wall: what is left of it is what is outside, and the hole's rim.
TEST(UnionSurface, AreaIsThatOfTheUnion) {
    Mesh stick = oracle_cube();
    for (Vec3& p : stick.positions)
        p = {p.x * 4 - 1, p.y * 0.5f + 0.61f, p.z * 0.5f + 0.73f};
    const std::optional<UnionSurface> result = united(joined(scaled_cube({0, 0, 0}, 2), stick));
    ASSERT_TRUE(result);
    const double area = inspect(result->mesh, {.self_intersections = false}).area;
    // The cube without two holes, and the stick's two ends with what is outside of its four sides.
    const double exact = 24 - 2 * 0.25 + 2 * 0.25 + 4 * 0.5 * 2;
    EXPECT_GE(area, exact - 1e-4);
    // Four seams of 4 edges each, a hundredth wide, on both parts.
    EXPECT_LE(area, exact + 4 * 4 * 0.5 * 0.01 * 2);
}

}  // namespace
}  // namespace graze

// Tests of find_union_surface() and of fields of overlapping parts, against the formula of two
// spheres.
#include "field/build/union_surface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "field/sampled/sampled_field.h"
#include "geometry/tidy_mesh.h"
#include "graze/build_field.h"
#include "graze/extract_surface.h"
#include "graze/field_io.h"
#include "graze/field_summary.h"
#include "graze/generate_mesh.h"
#include "graze/mass_properties.h"
#include "graze/mesh_io.h"
#include "graze/mesh_report.h"
#include "tests/field/build/build_field_cases.h"
#include "tests/needs_data.h"

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

// What may be too short inside belongs to the bound, wherever that is told.
TEST(UnionSurface, ErrorBoundHoldsAroundTheSeam) {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() /
        ("graze_test_union_" + std::to_string(::getpid()) + ".gfield");
    for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
        const Field field = build_field(two_spheres(), {.resolution = 40, .order = order});
        const FieldSummary summary = summarize(field);
        const float h = summary.grid.spacing;
        EXPECT_EQ(summary.error_bound, error_bound(summary.grid, order) + h / 8);
        // Around the circle that both spheres share, and inside of it.
        double worst = 0;
        for (float angle = 0; angle < 6.28f; angle += 0.02f) {
            for (float radius = 0.5f; radius < 1; radius += 0.01f) {
                for (const float x : {-0.6f * h, 0.0f, 0.3f * h}) {
                    const Vec3 point{x, radius * std::cos(angle), radius * std::sin(angle)};
                    const double off =
                        std::fabs(double(field.distance(point)) - distance_to_union(point));
                    ASSERT_LE(off, double(summary.error_bound) + 2 * kSag);
                    worst = std::max(worst, off);
                }
            }
        }
        EXPECT_GT(worst, double(h) / 16);
        // A file keeps it, and its beginning tells it.
        save_field(field, file);
        EXPECT_EQ(summarize(load_field(file)).error_bound, summary.error_bound);
        EXPECT_EQ(read_field_summary(file).error_bound, summary.error_bound);
        EXPECT_EQ(read_field_summary(file).version, 2);
        const Field unmeasured =
            build_field(two_spheres(), {.resolution = 40, .order = order, .measure_error = false});
        EXPECT_EQ(unmeasured.error(), summary.error_bound);
        const Field single = build_field(make_sphere(1, 3), {.resolution = 40, .order = order});
        EXPECT_EQ(summarize(single).error_bound, error_bound(summarize(single).grid, order));
        save_field(single, file);
        EXPECT_EQ(read_field_summary(file).version, 1);
    }
    std::filesystem::remove(file);
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
    std::vector<BuildCase> cases = part_cases();
    cases.push_back({"TwoSpheres", two_spheres(), {.resolution = 40, .sparse = true}});
    for (BuildCase& c : cases) {
        SCOPED_TRACE(c.name);
        c.options.device = Device::cpu(1);
        const Field one = build_field(c.mesh, c.options);
        c.options.device = Device::cpu(2);
        expect_same_bytes(*samples_of(one), *samples_of(build_field(c.mesh, c.options)));
    }
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

// Three cubes in a row, each reaching into the next, the middle one of another size.
TEST(UnionSurface, ThreePartsAreOne) {
    const Mesh three = joined(joined(scaled_cube({0, 0, 0}, 2), scaled_cube({1.5f, 0.5f, 0.5f}, 1)),
                              scaled_cube({2.25f, 0, 0}, 2));
    const std::optional<UnionSurface> result = united(three);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->overlapping_part_count, 3);
    // Both large cubes less the holes of the small one, with what of that is between them.
    const double exact = 2 * 24 - 2 * 1 + 4 * 1 * 0.25;
    const double area = inspect(result->mesh, {.self_intersections = false}).area;
    EXPECT_GE(area, exact - 1e-4);
    EXPECT_LE(area, exact + 8 * 0.01 * 4);
}

// Where two parts meet within a third, nothing of them is left.
TEST(UnionSurface, SeamsWithinAThirdPartAreGone) {
    const Mesh pair = joined(scaled_cube({0, 0, 0}, 2), scaled_cube({0.7f, 0.8f, 0.9f}, 2));
    const std::optional<UnionSurface> result = united(joined(pair, scaled_cube({-1, -1, -1}, 5)));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->overlapping_part_count, 2);
    EXPECT_EQ(result->mesh.triangles.size(), 12u);
    // A third that covers only a part of the seam.
    const Mesh third = scaled_cube({-0.3f, 0.45f, -0.35f}, 2);
    FieldReport report;
    const Field field =
        build_field(joined(pair, third), {.resolution = 64, .order = FieldOrder::zero}, &report);
    const float h = samples_of(field)->grid.spacing;
    const Vec3 corners[3] = {{0, 0, 0}, {0.7f, 0.8f, 0.9f}, {-0.3f, 0.45f, -0.35f}};
    const auto cube_from = [](const Vec3& corner) {
        Transform by = Transform::identity();
        by.translation = corner + Vec3{1, 1, 1};
        return Field::box({1, 1, 1}).transformed(by);
    };
    const Field formula =
        unite(unite(cube_from(corners[0]), cube_from(corners[1])), cube_from(corners[2]));
    // Inside, the formula is a lower bound of the union's distance; walls within may not make the
    // samples shorter than that.
    const SampledField& samples = *samples_of(field);
    const std::int64_t x = samples.grid.samples(0), y = samples.grid.samples(1);
    for (std::int64_t n = 0; n < samples.values.size(); ++n) {
        const float value = samples.values.data()[n];
        const float exact = formula.distance(samples.grid.position(n % x, n / x % y, n / x / y));
        if (exact < 0) {
            ASSERT_LE(value, exact + h / 8 + 1e-4f);
        } else {
            ASSERT_NEAR(value, exact, 1e-4f);
        }
    }
}

// Two cubes that share the plane of a face over a part of it: that face stays.
TEST(UnionSurface, FacesThatPartlyCoincideStay) {
    const Mesh both = joined(scaled_cube({0, 0, 0}, 2), scaled_cube({1, 1, 0}, 2));
    const std::optional<UnionSurface> result = united(both);
    ASSERT_TRUE(result);
    const Field field = build_field(both, {.resolution = 48});
    EXPECT_NEAR(mass_properties(field).volume, 14, 14 * 0.006);
    // In the middle of what both share, the nearest surface is that of the coinciding faces.
    EXPECT_NEAR(field.distance({1.5f, 1.5f, 0.5f}), -0.5f, field.error() + 0.01f);
    EXPECT_NEAR(field.distance({1.5f, 1.5f, 1}), -std::sqrt(0.5f), 2 * field.error() + 0.02f);
}

TEST(UnionSurface, CubesOfAFileAreOne) {
    GRAZE_NEEDS_DATA("broken");
    const Mesh mesh = load_mesh(data_folder() / "broken" / "two-cubes-intersecting.ply");
    FieldReport report;
    const Field field = build_field(mesh, {.resolution = 48}, &report);
    EXPECT_THAT(report.findings, testing::Contains(testing::HasSubstr("2 parts reach into")));
    EXPECT_LT(mass_properties(field).volume, inspect(mesh).volume * 0.99);
    EXPECT_EQ(inspect(extract_surface(field)).component_count, 1);
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

// An open sheet of side 1, facing up, whose middle is here.
Mesh sheet_at(const Vec3& middle) {
    Mesh sheet;
    sheet.positions = {{-0.5f, -0.5f, 0}, {0.5f, -0.5f, 0}, {0.5f, 0.5f, 0}, {-0.5f, 0.5f, 0}};
    sheet.triangles = {{{0, 1, 2}}, {{0, 2, 3}}};
    return moved(sheet, middle);
}

// Deep inside the two spheres no sample may claim to be near a surface.
void expect_no_inner_walls(const Field& field) {
    const SampledField& samples = *samples_of(field);
    const double seam = double(samples.grid.spacing) / 8;
    std::int64_t near_count = 0, deep_count = 0;
    for (float x = -0.45f; x < 0.45f; x += 0.03f) {
        for (float y = -0.4f; y < 0.4f; y += 0.04f) {
            const double exact = distance_to_union({x, y, 0.01f});
            EXPECT_NEAR(double(field.distance({x, y, 0.01f})), exact,
                        double(field.error()) + 2 * kSag + seam);
            near_count += field.distance({x, y, 0.01f}) > -0.02f ? 1 : 0;
            ++deep_count;
        }
    }
    EXPECT_GT(deep_count, 500);
    EXPECT_EQ(near_count, 0);
}

// What is closed is united also where a sheet lies apart, and where the sign is by winding number.
TEST(UnionSurface, ClosedPartsAreUnitedWhateverTheSign) {
    Mesh with_sheet = two_spheres();
    append(with_sheet, sheet_at({0, 0, 2}));
    for (const bool is_sparse : {false, true}) {
        FieldReport report;
        FieldOptions options{.resolution = 64, .sparse = is_sparse, .band = 8};
        options.sign = FieldSign::winding;
        expect_no_inner_walls(build_field(two_spheres(), options, &report));
        EXPECT_THAT(report.findings, testing::Contains(testing::HasSubstr("2 parts reach into")));
        options.sign = FieldSign::automatic;
        if (is_sparse) options.band = 20;
        expect_no_inner_walls(build_field(with_sheet, options, &report));
        EXPECT_EQ(report.sign, FieldSign::winding);
        EXPECT_THAT(report.findings, testing::Contains(testing::HasSubstr("2 parts reach into")));
        EXPECT_THAT(report.findings,
                    testing::Not(testing::Contains(testing::HasSubstr("walls within the solid"))));
    }
}

// Of all samples deep inside none claims to be near a surface; walls within made 8,202 do so.
TEST(UnionSurface, NoSampleDeepInsideIsNearASurface) {
    for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
        const Field field = build_field(two_spheres(), {.resolution = 96, .order = order});
        const SampledField& samples = *samples_of(field);
        std::int64_t deep_count = 0, near_count = 0;
        for (std::int64_t z = 0; z < samples.grid.samples(2); ++z) {
            for (std::int64_t y = 0; y < samples.grid.samples(1); ++y) {
                for (std::int64_t x = 0; x < samples.grid.samples(0); ++x) {
                    const Vec3 point = samples.grid.position(x, y, z);
                    if (distance_to_union(point) > -0.05) continue;
                    ++deep_count;
                    near_count += std::fabs(field.distance(point)) < 0.02f ? 1 : 0;
                }
            }
        }
        EXPECT_GT(deep_count, 50000);
        EXPECT_EQ(near_count, 0);
    }
}

// Gradients lead to the union's surface, not to a wall, and Field::error() holds inside too.
TEST(UnionSurface, GradientsOfOrderOneAreThoseOfTheUnion) {
    for (const bool is_sparse : {false, true}) {
        const Field field = build_field(
            two_spheres(),
            {.resolution = 64, .order = FieldOrder::one, .sparse = is_sparse, .band = 8});
        const float h = samples_of(field)->grid.spacing;
        std::int64_t off_count = 0, count = 0;
        for (float angle = 0.1f; angle < 6.28f; angle += 0.05f) {
            for (const float radius : {0.5f, 0.6f, 0.7f}) {
                // Around where both walls meet; the nearest of the union is the circle they share.
                const Vec3 point{0.05f, radius * std::cos(angle), radius * std::sin(angle)};
                const FieldValue value = field.evaluate(point);
                const Vec3 out{-point.x, (0.8660254f - radius) * std::cos(angle),
                               (0.8660254f - radius) * std::sin(angle)};
                EXPECT_GT(dot(value.gradient, out / length(out)), 0.9f);
                ++count;
                off_count += std::fabs(double(value.distance) - distance_to_union(point)) >
                                     double(field.error()) + 2 * kSag + double(h) / 8
                                 ? 1
                                 : 0;
            }
        }
        EXPECT_LE(off_count, count / 50);
    }
}

// A shell is around all walls, those within too.
TEST(UnionSurface, ShellsKeepAllWalls) {
    const Field field =
        build_field(two_spheres(), {.resolution = 64, .sign = FieldSign::shell, .thickness = 0.2f});
    EXPECT_NEAR(field.distance({0.5f, 0, 0}), -0.1f, 0.03f);
    EXPECT_GT(field.distance({0, 0, 0}), 0.2f);
}

std::vector<std::string> findings_of(const Mesh& mesh, const FieldOptions& options = {}) {
    FieldReport report;
    build_field(mesh, options, &report);
    return report.findings;
}

// A single closed part, which runs through itself at the origin.
Mesh tube_along_a_figure_of_eight() {
    constexpr int kRings = 96, kSides = 16;
    Mesh mesh = make_torus(kRings, kSides);
    std::size_t next = 0;
    for (int ring = 0; ring < kRings; ++ring) {
        const float along = 6.2831853f * static_cast<float>(ring) / kRings;
        const Vec3 middle{std::cos(along), std::sin(along) * std::cos(along), 0};
        const Vec3 tangent{-std::sin(along), std::cos(2 * along), 0};
        const Vec3 side = Vec3{tangent.y, -tangent.x, 0} / length(tangent);
        for (int n = 0; n < kSides; ++n) {
            const float around = 6.2831853f * static_cast<float>(n) / kSides;
            mesh.positions[next++] =
                middle + side * (0.2f * std::cos(around)) + Vec3{0, 0, 0.2f * std::sin(around)};
        }
    }
    return mesh;
}

// Walls that stay are said to stay, and why.
TEST(UnionSurface, WallsThatStayAreSaid) {
    const auto of_walls = testing::HasSubstr("are walls within the solid");
    for (const bool is_sparse : {false, true}) {
        const FieldOptions options{.resolution = 48, .sparse = is_sparse};
        // Cut open, one sphere is no solid of its own.
        Mesh cracked = two_spheres();
        cracked.triangles.pop_back();
        EXPECT_THAT(
            findings_of(cracked, options),
            testing::Contains(testing::AllOf(of_walls, testing::HasSubstr("close the mesh"))));
        // A single part, a tube around a curve that crosses itself.
        const Mesh crossing = tube_along_a_figure_of_eight();
        const MeshReport report = inspect(crossing);
        ASSERT_EQ(report.component_count, 1);
        ASSERT_GT(report.self_intersection_count.value_or(0), 0);
        ASSERT_TRUE(report.is_closed());
        EXPECT_THAT(findings_of(crossing, options),
                    testing::Contains(testing::AllOf(
                        of_walls, testing::HasSubstr("part that intersects itself"))));
        EXPECT_THAT(findings_of(two_spheres(), options), testing::Not(testing::Contains(of_walls)));
        EXPECT_THAT(findings_of(make_sphere(1, 4), options),
                    testing::Not(testing::Contains(of_walls)));
    }
}

}  // namespace
}  // namespace graze

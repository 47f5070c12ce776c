// Tests of fields built from meshes: every sample is compared with its definition, by trying all
// triangles, and the field as a whole with what it promises.
#include "graze/build_field.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

#include "field/sampled/evaluate_sampled.h"
#include "geometry/tidy_mesh.h"
#include "graze/error.h"
#include "graze/field_summary.h"
#include "graze/generate_mesh.h"
#include "graze/mesh_io.h"
#include "tests/field/build/build_field_cases.h"
#include "tests/needs_data.h"
#include "tests/oracle/brute_distance.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

using oracle::case_count;
using testing::HasSubstr;
using testing::IsEmpty;

// How far a float distance may be off: prepared_triangle.h, with R below twice the grid's diagonal.
double rounding(const FieldGrid& grid) {
    return 256 * 0x1p-24 * double(length(extent(grid.box())));
}

// Calls check(index, point) for each stored sample, up to a number of them.
template <class Check>
void for_each_sample(const SampledField& field, const Check& check) {
    const std::int64_t row = field.is_sparse ? kBrickSamples : field.grid.samples(0);
    const std::int64_t rows = field.is_sparse ? kBrickSamples : field.grid.samples(1);
    const std::int64_t cube = field.is_sparse ? kBrickSize : field.grid.sample_count();
    const std::int64_t count = std::max(field.values.size(), field.samples.size());
    const std::int64_t step = std::max<std::int64_t>(1, count / case_count(4000));
    for (std::int64_t n = 0; n < count; n += step) {
        Vec3i first{0, 0, 0};
        if (field.is_sparse) {
            const std::int64_t block = field.block_of_brick.data()[n / cube];
            const std::int64_t x = block_count(field.grid, 0), y = block_count(field.grid, 1);
            first = Vec3i{static_cast<std::int32_t>(block % x),
                          static_cast<std::int32_t>(block / x % y),
                          static_cast<std::int32_t>(block / x / y)} *
                    kBrickCells;
        }
        const std::int64_t local = n % cube;
        const Vec3 point = field.grid.position(first.x + local % row, first.y + local / row % rows,
                                               first.z + local / row / rows);
        check(n, point);
    }
}

float stored_value(const SampledField& field, std::int64_t n) {
    return field.order == FieldOrder::zero
               ? field.values.data()[n]
               : float_from_half(field.samples.data()[n].value) * field.grid.spacing;
}

// What the field of a case should be at a point: a shell has no inside of its own.
double true_distance(const Mesh& mesh, const Vec3& point, double half_thickness) {
    return half_thickness > 0 ? oracle::unsigned_distance(mesh, point) - half_thickness
                              : oracle::signed_distance(mesh, point);
}
double half_thickness(const BuildCase& c) {
    return c.options.sign == FieldSign::shell ? double(c.options.thickness) / 2 : 0;
}

// Checks sign and distance of every sample, or of an even choice of them.
void expect_exact(const Mesh& mesh, const SampledField& field, double offset = 0) {
    const double spacing = double(field.grid.spacing);
    for_each_sample(field, [&](std::int64_t n, const Vec3& point) {
        const double exact = true_distance(mesh, point, offset);
        const double value = double(stored_value(field, n));
        // Halves hold 11 bits, in voxels, and nothing below 2^-25.
        const double half =
            field.order == FieldOrder::zero ? 0 : std::fabs(exact) * 0x1p-11 + 0x1p-25 * spacing;
        const double allowed = rounding(field.grid) + half;
        // On the surface, up to rounding, either sign is right.
        const double off = std::fabs(exact + offset) < rounding(field.grid)
                               ? std::fabs(std::fabs(value + offset) - std::fabs(exact + offset))
                               : std::fabs(value - exact);
        ASSERT_LE(off, allowed) << "sample " << n << " at " << point.x << " " << point.y << " "
                                << point.z << ": " << value << " for " << exact;
        if (field.order == FieldOrder::one) {
            const FirstOrderSample& s = field.samples.data()[n];
            const Vec3 slope{float_from_half(s.slope[0]), float_from_half(s.slope[1]),
                             float_from_half(s.slope[2])};
            ASSERT_NEAR(double(length(slope)), 0.5, 1e-3);
        }
    });
}

class BuildField : public testing::TestWithParam<BuildCase> {};

TEST_P(BuildField, SamplesAreExact) {
    const BuildCase& c = GetParam();
    const Field field = build_field(c.mesh, c.options);
    ASSERT_TRUE(field.is_sampled());
    expect_exact(c.mesh, *samples_of(field), half_thickness(c));
}

TEST_P(BuildField, SameForAnyNumberOfThreads) {
    BuildCase c = GetParam();
    c.options.device = Device::cpu(1);
    const Field one = build_field(c.mesh, c.options);
    c.options.device = Device::cpu(2);
    const Field two = build_field(c.mesh, c.options);
    expect_same_bytes(*samples_of(one), *samples_of(two));
}

// Checks that distances are within the stored error in the grid, and never farther from zero than
// the true ones elsewhere.
TEST_P(BuildField, KeepsItsPromisesAtAnyPoint) {
    const BuildCase& c = GetParam();
    const Field field = build_field(c.mesh, c.options);
    const SampledFieldView view = samples_of(field)->view();
    const Aabb box = inflate(view.grid.box(), 4 * view.grid.spacing);
    std::mt19937 random(7);
    std::uniform_real_distribution<float> unit(0, 1);
    int measured = 0,
        beyond = 0;  // points with samples around them, and those off by more than errors say
    for (int n = 0; n < case_count(4000); ++n) {
        const Vec3 u{unit(random), unit(random), unit(random)};
        const Vec3 size = extent(box);
        const Vec3 point = box.min + Vec3{u.x * size.x, u.y * size.y, u.z * size.z};
        const FieldValue value = field.evaluate(point);
        const double exact = true_distance(c.mesh, point, half_thickness(c));
        ASSERT_TRUE(std::isfinite(value.distance));
        const double gradient = double(length(value.gradient));
        ASSERT_TRUE(gradient == 0 || std::fabs(gradient - 1) < 1e-4);
        const detail::CellPoint at = detail::find_cell(view.grid, point);
        const std::int32_t block[3] = {at.cell[0] / 8, at.cell[1] / 8, at.cell[2] / 8};
        const bool is_in_grid = contains(view.grid.box(), point);
        const bool has_samples =
            is_in_grid &&
            (!view.is_sparse || view.brick_of_block[block_index(view.grid, block)] >= 0);
        if (has_samples) {
            const std::int64_t index = block_index(view.grid, block);
            const double error =
                double(view.errors[view.is_sparse ? view.brick_of_block[index] : index]);
            const double off = std::fabs(double(value.distance) - exact);
            ASSERT_LE(off, double(certain_error(view, value.distance)));
            ++measured;
            if (off > error + rounding(view.grid)) ++beyond;
        } else {
            ASSERT_LE(std::fabs(double(value.distance)),
                      std::fabs(exact) * (1 + 1e-5) + rounding(view.grid));
            ASSERT_GT(value.distance * exact, 0);
            if (view.is_sparse && is_in_grid) {
                ASSERT_GT(std::fabs(exact), double(view.band));
            }
        }
    }
    EXPECT_LE(beyond, 2 + measured / 200) << "errors are measured, but should nearly always hold";
}

INSTANTIATE_TEST_SUITE_P(Meshes, BuildField, testing::ValuesIn(build_cases()),
                         [](const auto& instance) { return instance.param.name; });

// Checks the side of every sample against the winding number by all triangles, except where that is
// itself near 1/2. Returns how many were compared.
std::int64_t expect_sides_of_winding(const Mesh& mesh, const SampledField& field) {
    std::int64_t compared = 0;
    for_each_sample(field, [&](std::int64_t n, const Vec3& point) {
        const double winding = oracle::winding_number(mesh, point);
        if (std::fabs(winding - 0.5) < 0.03) return;  // the hierarchical one is off by up to 0.015
        ++compared;
        ASSERT_EQ(stored_value(field, n) < 0, winding > 0.5)
            << winding << " at " << point.x << " " << point.y << " " << point.z;
    });
    return compared;
}

// Each sample of an open mesh is on the side of the generalised winding number, except where that
// is itself near 1/2.
TEST(BuildFieldSign, OpenMeshFollowsTheWindingNumber) {
    Mesh mesh = make_torus(24, 16);
    mesh.triangles.erase(mesh.triangles.begin(), mesh.triangles.begin() + 60);
    FieldReport report;
    const Field field = build_field(
        mesh, {.resolution = 24, .order = FieldOrder::zero, .measure_error = false}, &report);
    EXPECT_EQ(report.sign, FieldSign::winding);
    EXPECT_GT(report.doubtful_sample_count, 0);
    EXPECT_FALSE(report.doubtful_box.is_empty());
    EXPECT_THAT(report.findings, testing::Contains(HasSubstr("open along")));
    EXPECT_THAT(report.findings, testing::Contains(HasSubstr("doubtful")));
    EXPECT_GT(expect_sides_of_winding(mesh, *samples_of(field)), case_count(1000));
}

// Where the side of an open mesh jumps away from its surface, a bound of about a voxel does not
// hold; what the field says without measuring does.
TEST(BuildFieldSign, ErrorBoundHoldsWhereAnOpenMeshJumps) {
    Mesh mesh = make_torus(24, 16);
    mesh.triangles.erase(mesh.triangles.begin(), mesh.triangles.begin() + 60);
    for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
        const Field field =
            build_field(mesh, {.resolution = 24, .order = order, .measure_error = false});
        const FieldGrid& grid = samples_of(field)->grid;
        EXPECT_GT(summarize(field).error_bound, error_bound(grid, order));
        EXPECT_EQ(summarize(field).error_bound, field.error());
        std::mt19937 random(11);
        std::uniform_real_distribution<float> unit(0, 1);
        double worst = 0;
        for (int n = 0; n < 4000; ++n) {
            const Vec3 u{unit(random), unit(random), unit(random)}, size = extent(grid.box());
            const Vec3 point = grid.box().min + Vec3{u.x * size.x, u.y * size.y, u.z * size.z};
            const double winding = oracle::winding_number(mesh, point);
            if (std::fabs(winding - 0.5) < 0.03) continue;
            const double exact = oracle::unsigned_distance(mesh, point) * (winding > 0.5 ? -1 : 1);
            worst = std::max(worst, std::fabs(double(field.distance(point)) - exact));
        }
        EXPECT_LE(worst, double(field.error()));
        if (order == FieldOrder::zero) {
            EXPECT_GT(worst, double(error_bound(grid, order))) << "there was no jump";
        }
    }
}

// A ball with a hole around each axis: from its centre, and from all samples on the axes, every row
// of the grid leads out through a hole.
Mesh six_holes() {
    Mesh mesh = make_sphere(1, 4);
    std::erase_if(mesh.triangles, [&](const Triangle& t) {
        const Vec3 m = (mesh.positions[t[0]] + mesh.positions[t[1]] + mesh.positions[t[2]]) / 3.0f;
        const Vec3 a{std::fabs(m.x), std::fabs(m.y), std::fabs(m.z)};
        return std::max({a.x, a.y, a.z}) > 0.95f * length(m);
    });
    return mesh;
}

TEST(BuildFieldSign, SixHolesOnTheAxesDoNotEmptyABall) {
    const Mesh mesh = six_holes();
    ASSERT_NEAR(oracle::winding_number(mesh, {0, 0, 0}), 0.85, 0.05);
    for (const bool is_sparse : {false, true}) {
        FieldReport report;
        const Field field = build_field(mesh, {.resolution = 32, .sparse = is_sparse}, &report);
        EXPECT_EQ(report.sign, FieldSign::winding);
        EXPECT_LT(field.distance({0, 0, 0}), is_sparse ? 0.0f : -0.9f);
        EXPECT_LT(field.distance({0.5f, 0, 0}), 0.0f);
        EXPECT_GT(expect_sides_of_winding(mesh, *samples_of(field)), case_count(1000));
    }
}

TEST(BuildFieldSign, SixHolesOfTheDataFolder) {
    GRAZE_NEEDS_DATA("broken/six_holes.obj");
    const std::filesystem::path path = data_folder() / "broken/six_holes.obj";
    const Mesh mesh = load_mesh(path);
    const Field field = build_field(mesh, {.resolution = 64});
    EXPECT_LT(field.distance({0, 0, 0}), -0.9f);
    EXPECT_GT(expect_sides_of_winding(mesh, *samples_of(field)), case_count(1000));
}

// The samples lie on the plane of the hole, on the edges around it and on the corners of it.
TEST(BuildFieldSign, SamplesInTheMiddleOfAHoleFollowTheWindingNumber) {
    Mesh mesh = oracle_cube();
    for (const std::size_t first : {0u, 2u, 8u}) {
        Mesh open = mesh;
        open.triangles.erase(open.triangles.begin() + static_cast<std::ptrdiff_t>(first),
                             open.triangles.begin() + static_cast<std::ptrdiff_t>(first) + 2);
        FieldOptions options{.order = FieldOrder::zero};
        options.grid = FieldGrid{{-0.5f, -0.5f, -0.5f}, 0.125f, {16, 16, 16}};
        const Field field = build_field(open, options);
        EXPECT_GT(expect_sides_of_winding(open, *samples_of(field)), case_count(1000));
    }
}

// Loose, turned and repeated triangles of every kind.
TEST(BuildFieldSign, SoupsFollowTheWindingNumber) {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> unit(-1, 1);
    for (int n = 0; n < 4; ++n) {
        Mesh mesh = make_torus(14, 9);
        for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
            if (random() % 9 == 0) std::swap(mesh.triangles[t].v[0], mesh.triangles[t].v[1]);
            if (random() % 9 == 0) mesh.triangles[t] = mesh.triangles[random() % t + 1];
        }
        for (std::uint32_t i = 0; i < 12; ++i) {
            mesh.positions.push_back({unit(random), unit(random), unit(random)});
            if (i % 3 == 2) {
                const auto last = static_cast<std::uint32_t>(mesh.positions.size()) - 1;
                mesh.triangles.push_back({{last - 2, last - 1, last}});
            }
        }
        CpuExecutor executor(1);
        const Mesh tidy = tidy_mesh(executor, mesh).mesh;
        const Field field = build_field(
            mesh, {.resolution = 24, .order = FieldOrder::zero, .sign = FieldSign::winding});
        EXPECT_GT(expect_sides_of_winding(tidy, *samples_of(field)), case_count(1000));
    }
}

TEST(BuildFieldSign, SolidsThatOverlapAreUnited) {
    Mesh mesh = oracle_cube();
    const Mesh second = moved(oracle_cube(), {0.5f, 0.4f, 0.3f});
    append(mesh, second);
    FieldReport report;
    const Field field = build_field(mesh, {.resolution = 20}, &report);
    EXPECT_EQ(report.sign, FieldSign::crossings);
    EXPECT_THAT(report.findings, testing::ElementsAre(HasSubstr("2 parts reach into others")));
    EXPECT_LT(field.distance({0.75f, 0.7f, 0.65f}), 0);
    // Outside, the distance is that to the nearer of the two.
    const SampledField& samples = *samples_of(field);
    for_each_sample(samples, [&](std::int64_t n, const Vec3& point) {
        const double first = oracle::signed_distance(oracle_cube(), point);
        const double other = oracle::signed_distance(second, point);
        const double value = double(stored_value(samples, n));
        if (std::min(first, other) > rounding(samples.grid)) {
            ASSERT_NEAR(value, std::min(first, other), rounding(samples.grid) + value * 0x1p-11);
        } else if (std::min(first, other) < -rounding(samples.grid)) {
            ASSERT_LT(value, 0);
        }
    });
}

TEST(BuildFieldSign, MeshThatFacesInwardsIsTurned) {
    Mesh mesh = make_torus(20, 12);
    const Field right = build_field(mesh, {.resolution = 20});
    for (Triangle& t : mesh.triangles)
        std::swap(t.v[0], t.v[1]);
    FieldReport report;
    const Field turned = build_field(mesh, {.resolution = 20}, &report);
    EXPECT_THAT(report.findings, testing::ElementsAre(HasSubstr("inwards")));
    for_each_sample(*samples_of(right), [&](std::int64_t n, const Vec3&) {
        ASSERT_EQ(stored_value(*samples_of(right), n), stored_value(*samples_of(turned), n));
    });
}

// Two cubes that are apart, the smaller one inside out.
TEST(BuildFieldSign, PartThatFacesInwardsIsTurned) {
    Mesh small = oracle_cube();
    for (Vec3& p : small.positions)
        p = p * 0.5f + Vec3{2, 0, 0};
    Mesh right = oracle_cube(), wrong = oracle_cube();
    append(right, small);
    for (Triangle& t : small.triangles)
        std::swap(t.v[0], t.v[1]);
    append(wrong, small);
    FieldReport report;
    const Field field = build_field(wrong, {.resolution = 32}, &report);
    EXPECT_THAT(report.findings,
                testing::ElementsAre(HasSubstr("1 of the mesh's 2 parts face inwards")));
    EXPECT_NEAR(field.distance({2.25f, 0.25f, 0.25f}), -0.25f, field.error());
    expect_exact(right, *samples_of(field));
}

TEST(BuildFieldSign, InvertedPartOfTheDataFolder) {
    GRAZE_NEEDS_DATA("broken/inverted_part.obj");
    const std::filesystem::path path = data_folder() / "broken/inverted_part.obj";
    FieldReport report;
    const Field field = build_field(load_mesh(path), {.resolution = 64}, &report);
    EXPECT_THAT(report.findings, testing::Contains(HasSubstr("parts face inwards")));
    EXPECT_NEAR(field.distance({2.25f, 0.25f, 0.25f}), -0.25f, field.error());
    EXPECT_NEAR(field.distance({0.5f, 0.5f, 0.5f}), -0.5f, field.error());
}

TEST(BuildFieldSign, OpenMeshThatFacesInwardsIsTurned) {
    Mesh mesh = six_holes();
    const Field right = build_field(mesh, {.resolution = 24});
    for (Triangle& t : mesh.triangles)
        std::swap(t.v[0], t.v[1]);
    FieldReport report;
    const Field turned = build_field(mesh, {.resolution = 24}, &report);
    EXPECT_THAT(report.findings, testing::Contains(HasSubstr("faces inwards")));
    for_each_sample(*samples_of(right), [&](std::int64_t n, const Vec3&) {
        ASSERT_EQ(stored_value(*samples_of(right), n) < 0,
                  stored_value(*samples_of(turned), n) < 0);
    });
}

TEST(BuildFieldSign, DoubledFacesCountOnce) {
    const Mesh mesh = make_torus(20, 12);
    const Field right = build_field(mesh, {.resolution = 20});
    for (const bool is_opposite : {false, true}) {
        Mesh doubled = mesh;
        for (Triangle t : mesh.triangles) {
            if (is_opposite) std::swap(t.v[0], t.v[1]);
            doubled.triangles.push_back(t);
        }
        FieldReport report;
        const Field field = build_field(doubled, {.resolution = 20}, &report);
        EXPECT_THAT(report.findings,
                    testing::ElementsAre(HasSubstr("480 triangles over the same")));
        expect_same_bytes(*samples_of(right), *samples_of(field));
    }
}

// Two cubes with a wall between them, of which both have their side, are one solid, and the wall is
// a surface within.
TEST(BuildFieldSign, WallBetweenSolidsHasTwoSides) {
    Mesh mesh = oracle_cube();
    Mesh mirrored = oracle_cube();
    for (Vec3& p : mirrored.positions)
        p.x = -p.x;
    for (Triangle& t : mirrored.triangles)
        std::swap(t.v[0], t.v[1]);
    append(mesh, mirrored);
    FieldReport report;
    const Field field = build_field(mesh, {.resolution = 24}, &report);
    EXPECT_EQ(report.sign, FieldSign::crossings);
    expect_exact(mesh, *samples_of(field));
}

// The samples are on faces that no axis is parallel to, where the side is known and the height is
// rounding.
TEST(BuildFieldGradient, PointsOutwardsOnTheSurface) {
    int on_surface = 0;
    for (int turn = 0; turn < 24; ++turn) {
        const float s = static_cast<float>(turn % 5), u = static_cast<float>(turn % 7);
        Mesh mesh{{{0, 0, 0}, {3, 1 + s, 2}, {1, 5, 3 + u}, {2, 1, 4}},
                  {{{0, 2, 1}}, {{0, 1, 3}}, {{1, 2, 3}}, {{0, 3, 2}}}};
        FieldOptions options;
        options.grid = FieldGrid{{-2, -2, -2}, 0.5f, {28, 28, 28}};
        const Field field = build_field(mesh, options);
        const SampledField& samples = *samples_of(field);
        for (std::int64_t n = 0; n < samples.samples.size(); ++n) {
            const FirstOrderSample& sample = samples.samples.data()[n];
            if (std::fabs(float_from_half(sample.value)) > 1e-5f) continue;
            const std::int64_t x = samples.grid.samples(0);
            const Vec3 point = samples.grid.position(n % x, n / x % x, n / x / x);
            const Vec3 gradient{float_from_half(sample.slope[0]), float_from_half(sample.slope[1]),
                                float_from_half(sample.slope[2])};
            ++on_surface;
            ASSERT_GE(oracle::signed_distance(mesh, point + gradient * 0.02f),
                      oracle::signed_distance(mesh, point - gradient * 0.02f));
        }
    }
    EXPECT_GT(on_surface, 50);
}

// Every triangle has its own corners, as in many files.
TEST(BuildFieldSign, SeamsBetweenEqualVerticesAreClosed) {
    const Mesh mesh = make_torus(20, 12);
    Mesh loose;
    for (const Triangle& t : mesh.triangles) {
        const auto first = static_cast<std::uint32_t>(loose.positions.size());
        for (int corner = 0; corner < 3; ++corner)
            loose.positions.push_back(mesh.positions[t[corner]]);
        loose.triangles.push_back({{first, first + 1, first + 2}});
    }
    FieldReport report;
    const Field field = build_field(loose, {.resolution = 20}, &report);
    EXPECT_EQ(report.sign, FieldSign::crossings);
    EXPECT_THAT(report.findings, testing::ElementsAre(HasSubstr("vertices at the same position")));
    expect_exact(mesh, *samples_of(field));
}

TEST(BuildFieldSign, SheetHasNoInsideUntilItIsAShell) {
    const Mesh mesh{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{{0, 1, 2}}, {{0, 2, 3}}}};
    FieldReport report;
    const Field sheet = build_field(mesh, {.resolution = 24}, &report);
    EXPECT_THAT(report.findings, testing::Contains(HasSubstr("use the sign shell")));
    EXPECT_GE(sheet.distance({0.5f, 0.5f, 0}), 0);
    const Field shell =
        build_field(mesh, {.resolution = 24, .sign = FieldSign::shell, .thickness = 0.2f}, &report);
    EXPECT_THAT(report.findings, IsEmpty());
    EXPECT_NEAR(shell.distance({0.5f, 0.5f, 0}), -0.1f, shell.error());
    EXPECT_NEAR(shell.distance({0.5f, 0.5f, 0.15f}), 0.05f, shell.error());
}

TEST(BuildFieldOptions, ProgressGrowsAndCanStop) {
    const Mesh mesh = make_torus(40, 30);
    for (const bool sparse : {false, true}) {
        double last = -1;
        int calls = 0;
        FieldOptions options{.resolution = 64, .sparse = sparse};
        options.progress = [&](double fraction) {
            EXPECT_GE(fraction, last);
            last = fraction;
            ++calls;
            return true;
        };
        build_field(mesh, options);
        EXPECT_EQ(last, 1);
        EXPECT_GT(calls, 5);
        options.progress = [&](double fraction) { return fraction < 0.5; };
        EXPECT_THROW(build_field(mesh, options), Error);
    }
}

template <class Work>
std::string message_of(const Work& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(BuildFieldOptions, BadInputIsExplained) {
    const Mesh cube = oracle_cube();
    const auto build = [&](const Mesh& mesh, const FieldOptions& options) {
        return message_of([&] { build_field(mesh, options); });
    };
    EXPECT_THAT(build({}, {}), HasSubstr("no triangles"));
    EXPECT_THAT(build(cube, {.resolution = 0}), HasSubstr("at least 2"));
    EXPECT_THAT(build(cube, {.resolution = -5}), HasSubstr("at least 2"));
    EXPECT_THAT(build(cube, {.resolution = 4}), HasSubstr("no voxel beside the padding"));
    EXPECT_THAT(build(cube, {.resolution = 2'000'000'000}), HasSubstr("beyond any memory"));
    EXPECT_THAT(build(cube, {.resolution = 100'000}),
                testing::AllOf(HasSubstr("PiB"), HasSubstr("are free"), HasSubstr(" fits")));
    EXPECT_THAT(build(cube, {.resolution = 30'000}),
                testing::AllOf(HasSubstr("TiB"), HasSubstr("are free"), HasSubstr(" fits")));
    EXPECT_THAT(build(cube, {.resolution = 512, .memory_limit = 100 << 20}),
                HasSubstr("a resolution of 2"));
    EXPECT_THAT(build(cube, {.resolution = 512, .sparse = true, .memory_limit = 20 << 20}),
                HasSubstr("bricks"));
    EXPECT_THAT(build(cube, {.sparse = true, .band = 0}), HasSubstr("band"));
    EXPECT_THAT(build(cube, {.padding = -1}), HasSubstr("padding"));
    EXPECT_THAT(build(cube, {.sign = FieldSign::shell, .thickness = -1}), HasSubstr("thickness"));
    EXPECT_THAT(build(moved(cube, {1e6f, 0, 0}), {.resolution = 256}), HasSubstr("origin"));
    Mesh huge = cube, tiny = cube;
    for (std::size_t v = 0; v < cube.positions.size(); ++v) {
        huge.positions[v] = cube.positions[v] * 1e20f;
        tiny.positions[v] = cube.positions[v] * 1e-25f;
    }
    EXPECT_THAT(build(huge, {}), HasSubstr("scale it"));
    EXPECT_THAT(build(tiny, {}), HasSubstr("scale it"));
    const Mesh point{{{1, 1, 1}}, {{{0, 0, 0}}}};
    EXPECT_THAT(build(point, {}), HasSubstr("one position"));
    Mesh nan = cube;
    nan.positions[3].y = std::nanf("");
    EXPECT_THAT(build(nan, {}), HasSubstr("3"));
    FieldOptions options;
    options.grid = FieldGrid{{0, 0, 0}, 0.1f, {5, 5, 5}};
    EXPECT_THAT(build(cube, options), HasSubstr("does not contain"));
    options.grid = FieldGrid{{-5e19f, -5e19f, -5e19f}, 2e19f, {20, 20, 20}};
    EXPECT_THAT(build(huge, options), HasSubstr("another unit"));
    options.grid = FieldGrid{{-5e-26f, -5e-26f, -5e-26f}, 2e-26f, {20, 20, 20}};
    EXPECT_THAT(build(tiny, options), HasSubstr("another unit"));
    options.grid = FieldGrid{{-0.2f, -0.2f, -0.2f}, 0.1f, {14, 14, 14}};
    options.sign = FieldSign::shell;
    options.thickness = 0.8f;
    EXPECT_THAT(build(cube, options), HasSubstr("contain the shell"));
    options.sign = FieldSign::automatic;
    options.grid = FieldGrid{{-2, -2, -2}, 0.1f, {50, 50, 50}};
    options.sparse = true;
    EXPECT_THAT(build(cube, options), HasSubstr("multiple of 8"));
}

// The memory that a suggested resolution takes is there.
TEST(BuildFieldOptions, SuggestedResolutionFits) {
    const Mesh cube = oracle_cube();
    const std::string message =
        message_of([&] { build_field(cube, {.resolution = 400, .memory_limit = 40 << 20}); });
    const std::size_t at = message.find("resolution of ");
    ASSERT_NE(at, std::string::npos) << message;
    const int resolution = std::stoi(message.substr(at + 14));
    EXPECT_GT(resolution, 64);
    EXPECT_EQ(message_of([&] {
                  build_field(
                      cube,
                      {.resolution = resolution, .memory_limit = 40 << 20, .measure_error = false});
              }),
              "no error");
}

TEST(BuildFieldModels, EveryModelBuilds) {
    GRAZE_NEEDS_DATA("models");
    const std::filesystem::path root = data_folder();
    for (const char* subfolder : {"models", "broken"}) {
        for (const auto& entry : std::filesystem::directory_iterator(root / subfolder)) {
            if (case_count(10) < 10 && std::filesystem::file_size(entry) > 1'000'000) continue;
            SCOPED_TRACE(entry.path().filename().string());
            const Mesh mesh = load_mesh(entry.path());
            FieldReport report;
            const Field field = build_field(mesh, {.resolution = 32, .sparse = true}, &report);
            std::printf("%-28s %s\n", entry.path().filename().c_str(),
                        testing::PrintToString(report.findings).c_str());
            EXPECT_TRUE(std::isfinite(field.error()));
            // Every vertex is on the surface.
            for (std::size_t v = 0; v < mesh.positions.size(); v += 97) {
                EXPECT_LE(std::fabs(field.distance(mesh.positions[v])),
                          field.error() + samples_of(field)->grid.spacing * 1e-2f);
            }
        }
    }
}

}  // namespace
}  // namespace graze

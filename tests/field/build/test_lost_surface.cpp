// Tests of what a build says about parts that fall through its grid.
#include "field/build/lost_surface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graze/build_field.h"
#include "graze/detector.h"
#include "graze/error.h"
#include "graze/generate_mesh.h"
#include "tests/field/build/build_field_cases.h"

namespace graze {
namespace {

using testing::HasSubstr;

// A ball with a long, thin stick on it, which lies between the rows of the grids below.
Mesh ball_with_stick(float thickness) {
    Mesh mesh = make_sphere(0.5f, 4);
    Mesh stick = oracle_cube();
    for (Vec3& p : stick.positions)
        p = {p.x * 1.5f, p.y * thickness + 0.006f, p.z * thickness + 0.006f};
    append(mesh, stick);
    return mesh;
}

TEST(LostSurface, WhatFallsThroughTheGridIsSaid) {
    for (const bool is_sparse : {false, true}) {
        FieldReport report;
        build_field(ball_with_stick(0.004f), {.resolution = 128, .sparse = is_sparse}, &report);
        const std::string text = report.findings.empty() ? "" : report.findings.back();
        EXPECT_THAT(text, HasSubstr("fall through the grid"));
        EXPECT_THAT(text, HasSubstr("parts of about 0.004 m"));
        // The four sides of the stick, a metre long outside the ball.
        EXPECT_NEAR(std::stod(text), 4 * 0.004, 0.001);
        const std::size_t at = text.find("a resolution of ");
        ASSERT_NE(at, std::string::npos);
        const int resolution = std::stoi(text.substr(at + 16));
        EXPECT_GT(resolution, 128 * 3);
        EXPECT_LT(resolution, 128 * 10);
        if (!is_sparse) continue;
        // At that resolution the stick is there.
        const Field field = build_field(
            ball_with_stick(0.004f),
            {.resolution = resolution, .sparse = true, .measure_error = false}, &report);
        EXPECT_THAT(report.findings, testing::Each(testing::Not(HasSubstr("fall through"))));
        for (float x = 0.55f; x < 1.49f; x += 0.01f)
            EXPECT_LT(field.distance({x, 0.008f, 0.008f}), 0.001f) << x;
    }
}

// Asked to, a build goes on to a resolution that holds what is thin, as far as it may.
TEST(LostSurface, TheResolutionRisesUntilPartsAreHeld) {
    const Mesh mesh = ball_with_stick(0.004f);
    FieldReport report;
    FieldOptions options{.resolution = 128, .sparse = true, .finest_resolution = 4000};
    const Field plain = build_field(mesh, {.resolution = 128, .sparse = true}, &report);
    const std::int64_t plain_bytes = report.memory_bytes;
    const Field field = build_field(mesh, options, &report);
    EXPECT_THAT(report.findings,
                testing::Contains(
                    HasSubstr("parts too thin for a resolution of 128: the field was built")));
    EXPECT_THAT(report.findings, testing::Each(testing::Not(HasSubstr("fall through"))));
    EXPECT_LT(samples_of(field)->grid.spacing, 0.004f);
    for (float x = 0.55f; x < 1.49f; x += 0.01f) {
        EXPECT_LT(field.distance({x, 0.008f, 0.008f}), 0) << x;
        EXPECT_GT(plain.distance({x, 0.008f, 0.008f}), 0) << x;
    }
    // By the surface, the memory grows with the square of the resolution.
    const double factor = double(samples_of(plain)->grid.spacing / samples_of(field)->grid.spacing);
    EXPECT_LT(double(report.memory_bytes), 2 * factor * factor * double(plain_bytes));
    // A build without a report does the same.
    EXPECT_EQ(samples_of(build_field(mesh, options))->grid, samples_of(field)->grid);

    // No higher than allowed; what is still lost is said.
    options.finest_resolution = 200;
    build_field(mesh, options, &report);
    EXPECT_THAT(report.findings, testing::Contains(HasSubstr("was built at one of 200")));
    EXPECT_THAT(report.findings, testing::Contains(HasSubstr("fall through the grid")));
    // Nor beyond the memory.
    options.finest_resolution = 4000;
    options.memory_limit = 40 << 20;
    const Field small = build_field(mesh, options, &report);
    EXPECT_THAT(report.findings, testing::Contains(HasSubstr("was not to be had: ")));
    EXPECT_THAT(report.findings, testing::Contains(HasSubstr("fall through the grid")));
    EXPECT_LE(samples_of(small)->memory_bytes(), options.memory_limit);
}

// What nothing falls through is built as ever, and a shell or a given grid is left alone.
TEST(LostSurface, TheResolutionRisesOnlyWhereItMust) {
    const Mesh ball = make_sphere(0.5f, 3);
    const FieldOptions plain{.resolution = 40};
    FieldOptions rising = plain;
    rising.finest_resolution = 1000;
    FieldReport report;
    expect_same_bytes(*samples_of(build_field(ball, plain)),
                      *samples_of(build_field(ball, rising, &report)));
    EXPECT_THAT(report.findings, testing::IsEmpty());
    const Mesh stick = ball_with_stick(0.004f);
    rising.grid = choose_grid(bounds(stick), plain);
    EXPECT_EQ(samples_of(build_field(stick, rising))->grid, *rising.grid);
    rising.grid = {};
    rising.sign = FieldSign::shell;
    FieldOptions shell = plain;
    shell.sign = FieldSign::shell;
    EXPECT_EQ(samples_of(build_field(stick, rising))->grid, choose_grid(bounds(stick), shell));
}

// Progress grows over all passes and ends at 1; stopping stops.
TEST(LostSurface, ProgressOfARiseGrows) {
    const Mesh mesh = ball_with_stick(0.02f);
    double last = 0;
    FieldOptions options{.resolution = 64, .sparse = true, .finest_resolution = 600};
    options.progress = [&](double fraction) {
        EXPECT_GE(fraction, last);
        last = fraction;
        return true;
    };
    build_field(mesh, options);
    EXPECT_EQ(last, 1);
    options.progress = [](double fraction) { return fraction < 0.6; };
    EXPECT_THROW(build_field(mesh, options), Error);
}

// A stick that pierces a box touches it.
TEST(LostSurface, AThinStickTouchesWhatItPierces) {
    const Shape box = Shape::from_field(Field::box({0.3f, 0.3f, 0.3f}));
    for (const int finest : {0, 4000}) {
        ShapeOptions options;
        options.field = {.resolution = 112, .sparse = true, .finest_resolution = finest};
        Scene scene;
        // Half a metre of the stick is in the box, and the ball is not.
        scene.add(Shape::from_mesh(ball_with_stick(0.004f), options));
        scene.add(box, {{1.3f, 0.05f, 0.05f}, Quat::identity(), 1});
        for (const Method method : {Method::particles, Method::sweep}) {
            Detector detector(method, Device::cpu());
            if (finest == 0 && method == Method::sweep) continue;
            EXPECT_EQ(!detector.detect(scene).empty(), finest > 0);
        }
    }
}

TEST(LostSurface, WhatIsThickEnoughIsNot) {
    FieldReport report;
    // What one grid cannot hold another can.
    build_field(ball_with_stick(0.05f), {.resolution = 16}, &report);
    ASSERT_THAT(report.findings, testing::Contains(HasSubstr("fall through")));
    build_field(ball_with_stick(0.05f), {.resolution = 128}, &report);
    EXPECT_THAT(report.findings, testing::Each(testing::Not(HasSubstr("fall through"))));
    for (const BuildCase& c : build_cases()) {
        if (c.name.find("Cube") == std::string::npos && c.name.find("Torus") == std::string::npos)
            continue;
        build_field(c.mesh, c.options, &report);
        EXPECT_THAT(report.findings, testing::Each(testing::Not(HasSubstr("fall through"))))
            << c.name;
    }
}

}  // namespace
}  // namespace graze

// Tests of what a build says about parts that fall through its grid.
#include "field/build/lost_surface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graze/build_field.h"
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

// Tests of functions and fields that are sampled into grids.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "field/sampled/evaluate_sampled.h"
#include "graze/build_field.h"
#include "graze/error.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

const FieldGrid kGrid{{-2, -2, -2}, 0.0625f, {64, 64, 64}};

Field two_balls() {
    return unite(Field::sphere({-0.5f, 0, 0}, 0.9f), Field::sphere({0.6f, 0.2f, 0.1f}, 0.7f));
}

class SampleField : public testing::TestWithParam<FieldOptions> {};

TEST_P(SampleField, FollowsTheFunction) {
    const Field exact = two_balls();
    const Field sampled = sample_field(exact, kGrid, GetParam());
    const SampledFieldView view = samples_of(sampled)->view();
    std::mt19937 random(3);
    std::uniform_real_distribution<float> coordinate(-3, 3);
    int measured = 0, beyond = 0;
    for (int n = 0; n < oracle::case_count(20000); ++n) {
        const Vec3 point{coordinate(random), coordinate(random), coordinate(random)};
        const float value = sampled.distance(point), expected = exact.distance(point);
        const bool is_in_grid = contains(kGrid.box(), point);
        const detail::CellPoint at = detail::find_cell(kGrid, point);
        if (is_in_grid && !detail::find_corners(view, at).is_coarse) {
            ASSERT_LE(std::fabs(value - expected), certain_error(view, value));
            ++measured;
            if (std::fabs(value - expected) > sampled.error()) ++beyond;
        } else {
            ASSERT_GT(value * expected, 0);
            ASSERT_LE(std::fabs(value), std::fabs(expected) * (1 + 1e-5f) + 1e-6f);
            if (is_in_grid) {
                ASSERT_GT(std::fabs(expected), view.band);
            }
        }
    }
    EXPECT_GT(measured, 100);
    EXPECT_EQ(beyond, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, SampleField,
    testing::Values(FieldOptions{.order = FieldOrder::zero}, FieldOptions{.order = FieldOrder::one},
                    FieldOptions{.order = FieldOrder::zero, .sparse = true, .band = 2},
                    FieldOptions{.order = FieldOrder::one, .sparse = true, .band = 3}));

// Where a surface leaves the grid, only what is certain is said beyond it.
TEST(SampleFieldFunction, NeverOverestimatesBeyondAnyFunction) {
    const Vec3 normal = normalized(Vec3{1, 2, 3});
    const auto plane = [&](const Vec3& p) { return FieldValue{dot(normal, p) - 0.3f, normal}; };
    const Field sampled = sample_field(plane, kGrid, {.order = FieldOrder::one});
    for (int n = 0; n < 1000; ++n) {
        const Vec3 point{std::sin(float(n)) * 6, std::cos(float(n) * 1.3f) * 6,
                         std::sin(float(n) * 0.7f) * 6};
        const float expected = plane(point).distance;
        ASSERT_LE(std::fabs(sampled.distance(point)), std::fabs(expected) + 1e-3f);
    }
}

TEST(SampleFieldFunction, BadInputIsExplained) {
    const auto message = [](const auto& work) -> std::string {
        try {
            work();
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };
    const Field ball = Field::sphere({0, 0, 0}, 1);
    EXPECT_THAT(message([&] { sample_field(ball, {{0, 0, 0}, -1, {8, 8, 8}}); }),
                testing::HasSubstr("spacing"));
    EXPECT_THAT(message([&] { sample_field(ball, {{0, 0, 0}, 1, {8, 0, 8}}); }),
                testing::HasSubstr("cells"));
    EXPECT_THAT(message([&] { sample_field(ball, {{0, 0, 0}, 1, {9, 8, 8}}, {.sparse = true}); }),
                testing::HasSubstr("multiple of 8"));
    EXPECT_THAT(message([&] { sample_field(ball, {{0, 0, 0}, 1, {9999, 99999, 9999}}); }),
                testing::HasSubstr("free"));
    const auto nothing = [](const Vec3&) { return FieldValue{std::nanf(""), {0, 0, 0}}; };
    EXPECT_THAT(message([&] { sample_field(nothing, kGrid); }), testing::HasSubstr("not finite"));
    // A search rests on gradients as on distances, where they are sampled.
    const auto aimless = [](const Vec3& p) { return FieldValue{p.x, {1, std::nanf(""), 0}}; };
    EXPECT_THAT(message([&] { sample_field(aimless, kGrid, {.order = FieldOrder::one}); }),
                testing::HasSubstr("gradient that is not finite"));
    const auto endless = [](const Vec3& p) {
        return FieldValue{p.x, {1, 0, std::numeric_limits<float>::infinity()}};
    };
    EXPECT_THAT(message([&] { sample_field(endless, kGrid, {.order = FieldOrder::one}); }),
                testing::HasSubstr("gradient that is not finite"));
    EXPECT_EQ(message([&] { sample_field(aimless, kGrid, {.order = FieldOrder::zero}); }),
              "no error");
    FieldOptions stopped;
    stopped.progress = [](double fraction) { return fraction < 0.5; };
    EXPECT_THAT(message([&] { sample_field(ball, kGrid, stopped); }),
                testing::HasSubstr("stopped"));
}

}  // namespace
}  // namespace graze

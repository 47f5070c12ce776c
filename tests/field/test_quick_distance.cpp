// Tests that what a single sample tells of a distance is never too much, and not much too little.
#include "field/quick_distance.h"

#include <gtest/gtest.h>

#include <random>

#include "field/field_program.h"
#include "graze/build_field.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

struct SampledCase {
    Field truth, samples;
    float error;           // [m]
    bool has_all_surface;  // in its grid
};

std::vector<SampledCase> sampled_cases() {
    std::vector<SampledCase> cases;
    const Field torus = Field::torus(0.35f, 0.13f);
    const FieldGrid grid{{-0.6f, -0.6f, -0.3f}, 1.2f / 32, {32, 32, 16}};
    const FieldGrid tight{{-0.3f, -0.3f, -0.1f}, 0.6f / 32, {32, 32, 8}};  // cuts the torus
    for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
        for (const bool sparse : {false, true}) {
            for (const FieldGrid* place : {&grid, &tight}) {
                if (sparse && place == &tight) continue;
                FieldOptions options;
                options.order = order;
                options.sparse = sparse;
                const Field samples = sample_field(torus, *place, options);
                const float error = certain_error(samples_of(samples)->view(), 0);
                const bool has_all = place == &grid;
                cases.push_back({torus, samples, error, has_all});
                const Transform pose{
                    {0.1f, -0.2f, 0.05f}, Quat::from_axis_angle({1, 2, 0.5f}, 0.8f), 1.7f};
                cases.push_back({torus.transformed(pose), samples.transformed(pose),
                                 error * pose.scale, has_all});
            }
        }
    }
    return cases;
}

TEST(QuickDistance, IsNeverAboveTheDistanceByMoreThanTheError) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> unit(-1, 1);
    for (const SampledCase& one : sampled_cases()) {
        const FieldView view = view_of(one.samples);
        for (int n = 0; n < oracle::case_count(2000); ++n) {
            const float reach = n % 2 == 0 ? 1.2f : 4.0f;
            const Vec3 point{reach * unit(random), reach * unit(random), reach * unit(random)};
            const float truth = one.truth.distance(point);
            const float quick = quick_distance(view, point);
            EXPECT_LE(quick * (1 - 2 * kFieldRelativeError), truth + one.error);
        }
    }
}

TEST(QuickDistance, IsLowerByLittleInTheGrid) {
    std::mt19937 random(2);
    std::uniform_real_distribution<float> unit(-1, 1);
    for (const SampledCase& one : sampled_cases()) {
        if (!one.has_all_surface) continue;
        const FieldView view = view_of(one.samples);
        for (int n = 0; n < oracle::case_count(1000); ++n) {
            const Vec3 point{0.2f * unit(random), 0.2f * unit(random), 0.08f * unit(random)};
            EXPECT_GE(quick_distance(view, point), evaluate(view, point).distance - 3 * one.error);
        }
    }
}

// Others are evaluated in full.
TEST(QuickDistance, FormulasSayWhatTheyAre) {
    const Field knobs =
        subtract(unite(Field::box({0.25f, 0.2f, 0.3f}), Field::sphere({0, 0, 0}, 0.3f)),
                 Field::torus(0.3f, 0.1f));
    std::mt19937 random(3);
    std::uniform_real_distribution<float> unit(-1, 1);
    for (int n = 0; n < 200; ++n) {
        const Vec3 point{unit(random), unit(random), unit(random)};
        EXPECT_EQ(quick_distance(view_of(knobs), point), knobs.distance(point));
    }
}

}  // namespace
}  // namespace graze

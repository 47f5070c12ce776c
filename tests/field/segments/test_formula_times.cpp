// Paths that graze formulas, against closed forms, and thin formulas that fast paths pass through.
#include "field/segments/formula_times.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "graze/segment_search.h"
#include "tests/field/field_cases.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

// A path along x, 4 m long, and what of it is inside.
struct Grazing {
    const char* name;
    Field field;
    Vec3 across;                  // from the path's foot on the plane x-z or x-y
    float surface;                // [m] at this height along `across` it only touches
    std::vector<double> middles;  // [m] of what is inside
    std::function<double(double)> half_of_depth;  // [m] half of its length
};

// Half of a chord of a circle.
auto chord(double radius) {
    return [radius](double depth) { return std::sqrt(depth * (2 * radius - depth)); };
}

TEST(FormulaTimes, PathsThatGraze) {
    const auto flat = [](double) { return 0.5; };
    const Grazing cases[] = {
        {"sphere", Field::sphere({0, 0, 0}, 0.75f), {0, 0, 1}, 0.75f, {0}, chord(0.75)},
        {"box", Field::box({0.5f, 1, 0.75f}), {0, 0, 1}, 0.75f, {0}, flat},
        {"cylinder", Field::cylinder(0.5f, 1), {0, 1, 0}, 0.5f, {0}, chord(0.5)},
        // Through its axis, over the top of its ring on both sides.
        {"torus", Field::torus(1, 0.25f), {0, 0, 1}, 0.25f, {-1, 1}, chord(0.25)}};
    for (const Grazing& c : cases) {
        SegmentSearch search(c.field, Device::cpu(1));
        for (const float about : {-1e-3f, -1e-4f, -1e-5f, 1e-5f, 1e-4f, 1e-3f}) {
            SCOPED_TRACE(std::string(c.name) + " " + std::to_string(about * 1e6f) + " um deep");
            const float height = c.surface - about;
            const double depth = double(c.surface) - double(height);
            const Vec3 foot = c.across * height;
            const Segment path[] = {{foot - Vec3{2, 0, 0}, foot + Vec3{2, 0, 0}}};
            const float first = search.find_first_times(path)[0];
            const SegmentIntervals found = search.find_intervals(path);
            if (depth < 0) {
                EXPECT_EQ(found.intervals.size(), 0u);
                EXPECT_EQ(first, kNever);
                continue;
            }
            ASSERT_EQ(found.intervals.size(), c.middles.size());
            EXPECT_EQ(found.intervals[0].begin, first);
            const double half = c.half_of_depth(depth);
            // [m] A distance that is off by rounding moves an end by that over the slope there.
            const double off = 2e-6 + 1e-7 * double(c.surface) / half;
            for (std::size_t i = 0; i < c.middles.size(); ++i) {
                EXPECT_NEAR(double(found.intervals[i].begin) * 4 - 2, c.middles[i] - half, off);
                EXPECT_NEAR(double(found.intervals[i].end) * 4 - 2, c.middles[i] + half, off);
            }
        }
    }
}

// Over the edge of a box, at 45 degrees to both of its faces.
TEST(FormulaTimes, PathsThatGrazeAnEdge) {
    SegmentSearch search(Field::box({0.5f, 1, 0.75f}), Device::cpu(1));
    for (const float depth : {-0.01f, -2e-4f, 2e-4f, 0.01f}) {
        // The middle of the path is beside the edge, at (0.5, 1).
        const Vec3 middle{0.5f - depth, 1 - depth, 0.2f}, half{1.5f, -1.5f, 0};
        const Segment path[] = {{middle - half, middle + half}};
        const SegmentIntervals found = search.find_intervals(path);
        if (depth < 0) {
            EXPECT_EQ(found.intervals.size(), 0u) << depth;
            continue;
        }
        ASSERT_EQ(found.intervals.size(), 1u) << depth;
        EXPECT_NEAR(found.intervals[0].begin, 0.5 - depth / 3, 2e-6);
        EXPECT_NEAR(found.intervals[0].end, 0.5 + depth / 3, 2e-6);
    }
}

// What docs/concepts/sweep.md says of formulas that are searched in steps: a path that is inside
// for longer than a sixteen-thousandth of it is never missed.
TEST(FormulaTimes, NothingIsMissedThatLastsLongerThanAStep) {
    constexpr float kStep = 0x1p-14f;
    oracle::RandomPoints<float> random(3);
    for (int i = 0; i < oracle::case_count(400); ++i) {
        const float cosine = random.uniform(0.2f, 1), length = random.uniform(0.5f, 20);
        // It takes a step and a quarter to go through the sheet.
        const float thickness = 1.25f * kStep * length * cosine;
        const Quat turn = Quat::from_axis_angle(random.in_box(1), random.uniform(-3, 3));
        const Vec3 middle = random.in_box(1);
        // In its own frame the sheet's normal is x.
        const Field sheet = Field::box({thickness / 2, 30, 30}).transformed({middle, turn, 1});
        const Vec3 way = rotate(turn, Vec3{cosine, std::sqrt(1 - cosine * cosine), 0});
        const float share = random.uniform(0.02f, 0.98f);
        const Vec3 from = middle - way * (share * length);
        const Segment path[] = {{from, from + way * length}};
        SegmentSearch search(sheet, Device::cpu(1));
        const float first = search.find_first_times(path)[0];
        const SegmentIntervals found = search.find_intervals(path);
        ASSERT_EQ(found.intervals.size(), 1u) << i;
        EXPECT_EQ(found.intervals[0].begin, first);
        const double half = 0.5 * 1.25 * double(kStep);
        // Positions are rounded, of a sheet and a path some metres away from the origin.
        const double off = 4e-6 / double(length * cosine) + 4e-7;
        EXPECT_NEAR(double(first), double(share) - half, off) << i;
        EXPECT_NEAR(double(found.intervals[0].end), double(share) + half, off) << i;
    }
}

}  // namespace
}  // namespace graze

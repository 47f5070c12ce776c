#include "field/sampled/value_change.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "field/sampled/evaluate_sampled.h"
#include "graze/build_field.h"
#include "tests/field/sampled/change_cases.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/segment_oracle.h"

namespace graze {
namespace {

// Points in and around a grid, and at some distance from them others, in any direction.
TEST(ValueChange, BoundsWhatEvaluateGivesByWhatTheSearchGoesBy) {
    CpuExecutor executor;
    for (const SegmentCase& c : change_cases()) {
        SCOPED_TRACE(c.name);
        const SampledFieldView field = samples_of(c.field)->view();
        const ValueChange change = measure_change(executor, *samples_of(c.field));
        const double voxel = double(field.grid.spacing);
        oracle::RandomPoints<float> random(11);
        const Aabb box = inflate(field.grid.box(), field.grid.spacing * 6);
        int near_count = 0, far_count = 0;
        double largest_share = 0;
        for (int i = 0; i < oracle::case_count(60000); ++i) {
            Vec3 x{};
            for (int axis = 0; axis < 3; ++axis)
                x[axis] = random.uniform(box.min[axis], box.max[axis]);
            const float way =
                field.grid.spacing * (i % 3 == 0 ? random.uniform(0, 40) : random.uniform(0, 4));
            const Vec3 c_point = x + normalized(random.in_box(1) + Vec3{1e-6f, 0, 0}) * way;
            const double value_x = oracle::value_of_samples(field, static_cast<Vec3d>(x));
            const auto value_c = double(evaluate(field, c_point).distance);
            const double distance = length(static_cast<Vec3d>(c_point) - static_cast<Vec3d>(x));
            for (const double sign : {1.0, -1.0}) {
                const double level = std::max(sign * value_x, 0.0);
                // Values of steep samples are large, and round by as much.
                const double rounding = 1e-5 * (voxel + std::fabs(value_x) + std::fabs(value_c));
                const double near =
                    level + double(change.rest) +
                    double(change.per_way) * std::hypot(distance, double(change.spread));
                if (near <= double(change.reach) && level < double(change.band)) {
                    ASSERT_LE(sign * value_c, near + rounding)
                        << distance / voxel << " voxels from " << x.x << " " << x.y << " " << x.z;
                    ++near_count;
                    largest_share =
                        std::max(largest_share, (sign * value_c - level) / (near - level));
                }
                if (!std::isfinite(change.per_way_far)) continue;
                const double far =
                    level + double(change.rest_far) + double(change.per_way_far) * distance;
                ASSERT_LE(sign * value_c, far + rounding) << distance / voxel;
                ++far_count;
            }
        }
        if (c.name.find("broken") == std::string::npos) {
            EXPECT_GT(far_count, oracle::case_count(60000));
        } else {
            EXPECT_LT(change.reach, 0);
        }
        // Of noise the bound is too large to tell anything within its reach.
        if (change.per_way < 1.5f && change.reach > 4 * field.grid.spacing) {
            EXPECT_GT(near_count, oracle::case_count(100)) << "reach " << change.reach / voxel;
            EXPECT_GT(largest_share, 0.3) << "the bound is far larger than it need be";
        }
    }
}

TEST(ValueChange, IsSmallForDistances) {
    CpuExecutor executor;
    const FieldGrid grid{{-0.64f, -0.64f, -0.48f}, 0.02f, {64, 64, 48}};
    for (const Field& formula : {Field::torus(0.35f, 0.15f), Field::box({0.4f, 0.2f, 0.1f})}) {
        for (const bool is_sparse : {false, true}) {
            for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
                const Field field =
                    sample_field(formula, grid, {.order = order, .sparse = is_sparse, .band = 4});
                const ValueChange change = measure_change(executor, *samples_of(field));
                EXPECT_TRUE(change.is_distance);
                EXPECT_LE(change.per_way, 1.001f);
                EXPECT_LE(change.rest, grid.spacing * (order == FieldOrder::zero ? 0.15f : 1.7f));
                EXPECT_GT(change.reach, 12 * grid.spacing);
            }
        }
    }
}

// Slopes that turn around 5 voxels from the surface, and a face of the box that is inside.
TEST(ValueChange, CountsBendsNearTheSurfaceAndFacesOfTheOtherSign) {
    CpuExecutor executor;
    const FieldGrid grid{{-1, -1, -1}, 0.125f, {16, 16, 16}};
    const auto bent = oracle::fill_dense(grid, FieldOrder::one, true, [](const Vec3d& p) {
        return oracle::Truth{0.625 + std::fabs(p.x), Vec3d{p.x < 0 ? -1.0 : 1.0, 0, 0}};
    });
    // A difference of half gradients of 1, a quarter of it, at both points.
    EXPECT_GE(measure_change(executor, *bent).rest, 0.5f * grid.spacing);
    const auto crossed = oracle::fill_dense(grid, FieldOrder::zero, true, [](const Vec3d& p) {
        return oracle::Truth{0.5 - p.x, Vec3d{-1, 0, 0}};
    });
    EXPECT_GE(measure_change(executor, *crossed).rest, 0.5f);
}

TEST(ValueChange, TellsWhatIsNoDistance) {
    CpuExecutor executor;
    const FieldGrid grid{{-1, -1, -1}, 0.125f, {16, 16, 16}};
    const auto sample = [&](float steepness) {
        return oracle::fill_dense(grid, FieldOrder::zero, false, [&](const Vec3d& p) {
            return oracle::Truth{double(steepness) * p.x, Vec3d{1, 0, 0}};
        });
    };
    EXPECT_TRUE(measure_change(executor, *sample(1)).is_distance);
    const ValueChange steep = measure_change(executor, *sample(1.1f));
    EXPECT_FALSE(steep.is_distance);
    EXPECT_NEAR(steep.per_way_far, 1.1f * 1.1282f, 1e-3f);
    // The distance to an open mesh may change its sign anywhere.
    const auto open = oracle::fill_dense(grid, FieldOrder::zero, false, [](const Vec3d& p) {
        const double distance = std::fabs(p.z) + 0.3;
        return oracle::Truth{p.x < 0 ? -distance : distance, Vec3d{0, 0, 1}};
    });
    EXPECT_TRUE(measure_change(executor, *open).is_distance);
    const auto nan = sample(1);
    nan->values.data()[77] = std::numeric_limits<float>::quiet_NaN();
    const ValueChange unknown = measure_change(executor, *nan);
    EXPECT_LT(unknown.reach, 0);
    EXPECT_FALSE(unknown.is_distance);
    EXPECT_FALSE(std::isfinite(unknown.per_way_far));
}

}  // namespace
}  // namespace graze

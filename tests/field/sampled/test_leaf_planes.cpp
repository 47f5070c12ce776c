#include "field/sampled/leaf_planes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/field/segments/segment_cases.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/segment_oracle.h"

namespace graze {
namespace {

// The index of the smallest cube that a cell is in, by the words of LeafPlane's users; below 0
// where there is none.
std::int64_t leaf_of_cell(const SampledFieldView& field, const std::int32_t (&cell)[3]) {
    const std::int64_t x = cell[0] / 4, y = cell[1] / 4, z = cell[2] / 4;
    if (!field.is_sparse)
        return x + min_max_size(field.grid, 0, 0) * (y + min_max_size(field.grid, 0, 1) * z);
    const std::int32_t block[3] = {cell[0] / 8, cell[1] / 8, cell[2] / 8};
    const std::int64_t brick = field.brick_of_block[block_index(field.grid, block)];
    return brick < 0 ? -1 : brick * 8 + x % 2 + 2 * (y % 2) + 4 * (z % 2);
}

TEST(LeafPlanes, HoldTheFieldWithinTheirErrors) {
    CpuExecutor executor;
    for (const SegmentCase& c : segment_cases()) {
        SCOPED_TRACE(c.name);
        const SampledFieldView field = samples_of(c.field)->view();
        const FieldPlanes planes(executor, std::span(&field, 1));
        oracle::RandomPoints<double> random(7);
        int compared = 0;
        double largest_share = 0;  // of an error that is needed
        for (int i = 0; i < oracle::case_count(20000); ++i) {
            // Corners, edges and faces of cells are drawn as well, but a hair within the cell, as
            // the value may jump to the next cell, which may be in a block without a brick.
            std::int32_t cell[3];
            Vec3d in_cell{};
            for (int axis = 0; axis < 3; ++axis) {
                cell[axis] =
                    static_cast<std::int32_t>(random.integer(0, field.grid.cells[axis] - 1));
                const int kind = static_cast<int>(random.integer(0, 3));
                in_cell[axis] = kind < 2 ? 1e-7 + kind * (1 - 2e-7) : random.uniform(0, 1);
            }
            const std::int64_t leaf = leaf_of_cell(field, cell);
            if (leaf < 0) continue;
            const double spacing = field.grid.spacing;
            Vec3d point{}, u{};
            for (int axis = 0; axis < 3; ++axis) {
                point[axis] =
                    double(field.grid.origin[axis]) + (cell[axis] + in_cell[axis]) * spacing;
                u[axis] = cell[axis] % 4 + in_cell[axis];
            }
            const LeafPlane& plane = planes.list()[0].planes[leaf];
            double linear = plane.offset;
            for (int axis = 0; axis < 3; ++axis)
                linear += double(float_from_half(plane.slope[axis])) * u[axis];
            const double value = oracle::value_in_box(field, point) / spacing;
            const double error = float_from_half(plane.error);
            ASSERT_LE(std::fabs(value - linear), error)
                << "at " << point.x << ", " << point.y << ", " << point.z;
            largest_share = std::max(largest_share, std::fabs(value - linear) / error);
            ++compared;
        }
        EXPECT_GT(compared, oracle::case_count(20000) / 50);
        EXPECT_GT(largest_share, 0.5) << "errors are far larger than they need be";
    }
}

TEST(LeafPlanes, AreSharpWhereAFieldIsSmooth) {
    CpuExecutor executor;
    const FieldGrid grid{{-1, -1, -1}, 0.0625f, {32, 32, 32}};
    const Field plane =
        with_tree(oracle::fill_dense(grid, FieldOrder::zero, true, [](const Vec3d& p) {
            const Vec3d normal{0.6, 0, 0.8};
            return oracle::Truth{dot(normal, p), normal};
        }));
    const SampledFieldView field = samples_of(plane)->view();
    const FieldPlanes planes(executor, std::span(&field, 1));
    for (std::int64_t leaf = 0; leaf < min_max_size(grid, 0); ++leaf)
        ASSERT_LT(float_from_half(planes.list()[0].planes[leaf].error), 0.004f);
}

// Files with such samples are refused; what is made by hand must at least not be left out.
TEST(LeafPlanes, SayNothingWhereASampleIsNotANumber) {
    CpuExecutor executor;
    const FieldGrid grid{{-1, -1, -1}, 0.25f, {8, 8, 8}};
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
        for (const Vec3i& bad : {Vec3i{1, 2, 3}, Vec3i{0, 0, 0}, Vec3i{4, 3, 1}, Vec3i{4, 4, 4}}) {
            for (int part = 0; part < (order == FieldOrder::zero ? 1 : 4); ++part) {
                const auto samples = oracle::fill_dense(grid, order, true, [&](const Vec3d& p) {
                    return oracle::Truth{0.6 * p.x + 0.8 * p.z, Vec3d{0.6, 0, 0.8}};
                });
                const std::int64_t at = bad.x + 9 * (bad.y + 9 * std::int64_t{bad.z});
                if (order == FieldOrder::zero) {
                    samples->values.data()[at] = nan;
                } else if (part == 3) {
                    samples->samples.data()[at].value = half_from_float(nan);
                } else {
                    samples->samples.data()[at].slope[part] = half_from_float(nan);
                }
                build_min_max_tree(executor, *samples);
                const SampledFieldView field = samples->view();
                const FieldPlanes planes(executor, std::span(&field, 1));
                int unknown_count = 0;
                for (int leaf = 0; leaf < 8; ++leaf) {
                    bool holds_bad = true;
                    for (int axis = 0; axis < 3; ++axis) {
                        const int low = (leaf >> axis & 1) * 4;
                        holds_bad = holds_bad && bad[axis] >= low && bad[axis] <= low + 4;
                    }
                    const float error = float_from_half(planes.list()[0].planes[leaf].error);
                    EXPECT_EQ(std::isinf(error), holds_bad)
                        << "leaf " << leaf << ", part " << part << ", error " << error;
                    unknown_count += holds_bad ? 1 : 0;
                }
                EXPECT_GE(unknown_count, 1);
            }
        }
    }
}

}  // namespace
}  // namespace graze

#include "field/sampled/min_max_tree.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "core/half_below.h"
#include "field/sampled/cube_bounds.h"
#include "field/sampled/evaluate_sampled.h"
#include "field/sampled/min_max_leaves.h"
#include "tests/field/sampled/min_max_cases.h"

namespace graze {
namespace {

class MinMaxTreeTest : public testing::Test {
protected:
    CpuExecutor executor{2};
    std::mt19937 random{7};

    float coordinate() {  // in a cell, often a corner or the middle
        const unsigned choice = random() % 8;
        if (choice < 2) return static_cast<float>(choice);
        if (choice == 2) return 0.5f;
        return static_cast<float>(random() % 65537) / 65536.0f;
    }
};

// Calls visit(level, cube) for every cube of the tree, those of level 0 of a sparse field as well.
template <class Visit>
void for_each_cube(const SampledFieldView& field, const Visit& visit) {
    for (int level = 0; level < field.tree.level_count; ++level) {
        const auto size = [&](int axis) {
            return static_cast<std::int32_t>(min_max_size(field.grid, level, axis));
        };
        for (std::int32_t z = 0; z < size(2); ++z)
            for (std::int32_t y = 0; y < size(1); ++y)
                for (std::int32_t x = 0; x < size(0); ++x)
                    visit(TreeCube{level, {x, y, z}});
    }
}

// Calls visit(cell) for every cell of a cube.
template <class Visit>
void for_each_cell(const FieldGrid& grid, const TreeCube& cube, const Visit& visit) {
    std::int32_t begin[3], end[3];
    for (int axis = 0; axis < 3; ++axis) {
        begin[axis] = cube.index[axis] * (kMinMaxLeafCells << cube.level);
        end[axis] = std::min(begin[axis] + (kMinMaxLeafCells << cube.level), grid.cells[axis]);
    }
    for (std::int32_t k = begin[2]; k < end[2]; ++k)
        for (std::int32_t j = begin[1]; j < end[1]; ++j)
            for (std::int32_t i = begin[0]; i < end[0]; ++i)
                visit(detail::CellPoint{{i, j, k}, {}});
}

TEST_F(MinMaxTreeTest, NoValueLeavesTheBoundsOfItsCubes) {
    for (MinMaxCase& c : min_max_cases()) {
        SCOPED_TRACE(c.name);
        build_min_max_tree(executor, c.field);
        const SampledFieldView view = c.field.view();
        std::int64_t outside = 0, tested = 0;
        const int repeats = c.name.find("noise") == 0 ? 40 : 4;
        const TreeCube all{view.tree.level_count - 1, {0, 0, 0}};
        for_each_cell(view.grid, all, [&](detail::CellPoint at) {
            for (int n = 0; n < repeats; ++n) {
                at.t = {coordinate(), coordinate(), coordinate()};
                const float value = detail::evaluate_in_grid(view, at).value;
                for (int level = 0; level < view.tree.level_count; ++level) {
                    const DistanceBounds bounds = cube_bounds(view, cube_of_cell(level, at.cell));
                    outside += !(bounds.min <= value && value <= bounds.max);
                    ++tested;
                }
            }
        });
        EXPECT_EQ(outside, 0) << "of " << tested;
    }
}

TEST_F(MinMaxTreeTest, TheOuterSideIsTheExactProductToo) {
    for (MinMaxCase& c : min_max_cases()) {
        build_min_max_tree(executor, c.field);
        const SampledFieldView view = c.field.view();
        for_each_cell(view.grid, {0, {0, 0, 0}}, [&](detail::CellPoint at) {
            at.t = {coordinate(), coordinate(), coordinate()};
            const double value = detail::evaluate_in_grid(view, at).value;
            const MinMax root = view.tree.nodes[view.tree.offsets[view.tree.level_count - 1]];
            EXPECT_LE(float_from_half(root.min) * double(view.grid.spacing), value) << c.name;
            EXPECT_GE(float_from_half(root.max) * double(view.grid.spacing), value) << c.name;
        });
    }
}

TEST_F(MinMaxTreeTest, ParentsAreTheUnionOfTheirChildren) {
    for (MinMaxCase& c : min_max_cases()) {
        SCOPED_TRACE(c.name);
        build_min_max_tree(executor, c.field);
        const SampledFieldView view = c.field.view();
        for_each_cube(view, [&](const TreeCube& cube) {
            if (cube.level == 0) return;
            DistanceBounds joined{INFINITY, -INFINITY};
            for (int child = 0; child < 8; ++child) {
                TreeCube below{cube.level - 1, {}};
                bool is_there = true;
                for (int axis = 0; axis < 3; ++axis) {
                    below.index[axis] = 2 * cube.index[axis] + (child >> axis & 1);
                    is_there &= below.index[axis] < min_max_size(view.grid, below.level, axis);
                }
                if (!is_there) continue;
                const DistanceBounds bounds = cube_bounds(view, below);
                joined = {std::min(joined.min, bounds.min), std::max(joined.max, bounds.max)};
            }
            const DistanceBounds bounds = cube_bounds(view, cube);
            ASSERT_EQ(bounds.min, joined.min);
            ASSERT_EQ(bounds.max, joined.max);
        });
    }
}

// How much wider bounds are than the values found by dense sampling, beside the rounding to halves.
struct Excess {
    double worst = 0, sum = 0;
    int count = 0;

    void add(double voxels) {
        worst = std::max(worst, voxels);
        sum += voxels;
        ++count;
    }
    double mean() const { return sum / count; }
};

// It is taken over the smallest cubes that there are, with a centre at least `clearance` from the
// origin.
Excess measure_excess(const SampledField& field, double clearance) {
    const SampledFieldView view = field.view();
    const double spacing = view.grid.spacing;
    Excess result;
    for_each_cube(view, [&](const TreeCube& cube) {
        const int side = kMinMaxLeafCells << cube.level;
        const Vec3 middle =
            view.grid.position(cube.index[0] * side, cube.index[1] * side, cube.index[2] * side) +
            Vec3{1, 1, 1} * (view.grid.spacing * 0.5f * static_cast<float>(side));
        if (length(middle) < clearance) return;
        const std::int64_t block =
            cube.index[0] +
            block_count(view.grid, 0) * (cube.index[1] + block_count(view.grid, 1) * cube.index[2]);
        const bool is_bare = view.is_sparse && cube.level == 1 && view.brick_of_block[block] < 0;
        if (view.is_sparse ? !is_bare : cube.level > 0) return;
        double low = INFINITY, high = -INFINITY;
        for_each_cell(view.grid, cube, [&](detail::CellPoint at) {
            for (int n = 0; n < 27; ++n) {
                const Vec3i step{n % 3, n / 3 % 3, n / 9};
                at.t = static_cast<Vec3>(step) * 0.5f;
                const double value = detail::evaluate_in_grid(view, at).value / spacing;
                low = std::min(low, value);
                high = std::max(high, value);
            }
        });
        const DistanceBounds bounds = cube_bounds(view, cube);
        const double half_step = std::max(std::fabs(low), std::fabs(high)) * 0x1p-10 + 1e-4;
        result.add(std::max(low - bounds.min / spacing - half_step, 0.0));
        result.add(std::max(bounds.max / spacing - high - half_step, 0.0));
    });
    EXPECT_GT(result.count, 0);
    return result;
}

// Voxels are 0.054 m. Order 1 is loose where slopes jump, at the centre of the sphere and in the
// middle of the plate, by less than half a voxel.
TEST_F(MinMaxTreeTest, BoundsAreTight) {
    const FieldGrid grid = oracle::cube_grid(48, 1.3f);
    const oracle::ExactSphere sphere{{0.02, -0.03, 0.01}, 0.6};
    const oracle::ExactBox plate{{0.7, 0.4, 0.03}};
    for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
        const bool is_zero = order == FieldOrder::zero;
        SampledField field = fill_field(sphere, grid, order, false);
        build_min_max_tree(executor, field);
        EXPECT_LE(measure_excess(field, 0).worst, is_zero ? 0 : 0.3);
        EXPECT_LE(measure_excess(field, 0.6).worst, is_zero ? 0 : 0.03);
        field = fill_field(plate, grid, order, false);
        build_min_max_tree(executor, field);
        EXPECT_LE(measure_excess(field, 0).worst, is_zero ? 0 : 0.5);
        EXPECT_LE(measure_excess(field, 0).mean(), is_zero ? 0 : 0.015);
    }
}

// What the coarse level says of a block is at most the block's thickness off.
TEST_F(MinMaxTreeTest, BlocksWithoutBricksAreNotMuchLooser) {
    SampledField field = fill_field(oracle::ExactSphere{{0.02, -0.03, 0.01}, 0.6},
                                    oracle::cube_grid(128, 1.3f), FieldOrder::one, true);
    build_min_max_tree(executor, field);
    const Excess excess = measure_excess(field, 0);
    EXPECT_LE(excess.worst, 4.5);
    EXPECT_LE(excess.mean(), 0.8);
}

TEST_F(MinMaxTreeTest, TakesALittleOfTheFieldsMemory) {
    const oracle::ExactSphere sphere{{0, 0, 0}, 0.6};
    for (const std::int32_t cells : {64, 128}) {
        for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
            for (const bool is_sparse : {false, true}) {
                SampledField field =
                    fill_field(sphere, oracle::cube_grid(cells, 1.3f), order, is_sparse);
                build_min_max_tree(executor, field);
                const double share = double(field.tree.memory_bytes()) / field.memory_bytes();
                EXPECT_LT(share, is_sparse ? 0.04 : 0.02) << cells;
            }
        }
    }
    // One cell, a stick and a plate are the least favourable of dense grids.
    for (const FieldGrid& grid : {FieldGrid{{}, 1, {1, 1, 1}}, FieldGrid{{}, 1, {1, 1, 1001}},
                                  FieldGrid{{}, 1, {1, 57, 43}}, FieldGrid{{}, 1, {5, 5, 5}}}) {
        SampledField field = oracle::fill_dense(sphere, grid, FieldOrder::zero);
        build_min_max_tree(executor, field);
        EXPECT_LT(double(field.tree.memory_bytes()) / field.memory_bytes(), 0.12);
    }
}

TEST_F(MinMaxTreeTest, FarDistancesAreBoundedByInfinity) {
    SampledField field = oracle::fill_dense([](const Vec3d&) { return oracle::ExactValue{7e4}; },
                                            {{}, 1, {4, 4, 4}}, FieldOrder::zero);
    build_min_max_tree(executor, field);
    EXPECT_EQ(float_from_half(field.tree.nodes.data()[0].min), 65504);
    EXPECT_EQ(float_from_half(field.tree.nodes.data()[0].max), INFINITY);
}

TEST_F(MinMaxTreeTest, RefusesAGridThatTheTreeCannotHold) {
    SampledField field(host_memory());
    field.grid = {{}, 1, {1, 1, 1 << 26}};
    EXPECT_THROW(build_min_max_tree(executor, field), Error);
}

TEST_F(MinMaxTreeTest, ThreadsAndLanesChangeNothing) {
    CpuExecutor one(1);
    for (MinMaxCase& c : min_max_cases()) {
        SCOPED_TRACE(c.name);
        const auto nodes = [&] {
            const MinMax* begin = c.field.tree.nodes.data();
            return std::vector<MinMax>(begin, begin + c.field.tree.nodes.size());
        };
        const auto same = [](const std::vector<MinMax>& a, const std::vector<MinMax>& b) {
            return a.size() == b.size() &&
                   std::memcmp(a.data(), b.data(), a.size() * sizeof(MinMax)) == 0;
        };
        build_min_max_tree(executor, c.field);
        const std::vector<MinMax> first = nodes();
        std::memset(c.field.tree.nodes.data(), 0, first.size() * sizeof(MinMax));
        build_min_max_tree(one, c.field);
        EXPECT_TRUE(same(nodes(), first));

        // These are the leaves again, by the functors that the device uses.
        const std::int64_t leaf_count =
            c.field.is_sparse ? c.field.brick_count() * 8 : min_max_size(c.field.grid, 0);
        using namespace min_max_detail;
        for (std::int64_t leaf = 0; leaf < leaf_count; ++leaf) {
            if (c.field.order == FieldOrder::zero) {
                BoundValues{c.field.view(), c.field.tree.nodes.data()}(leaf);
            } else {
                BoundSamples{c.field.view(), c.field.tree.nodes.data()}(leaf);
            }
        }
        EXPECT_TRUE(same(nodes(), first));
    }
}

TEST_F(MinMaxTreeTest, BuildingAgainAllocatesNothing) {
    SampledField field = fill_field(oracle::ExactSphere{{0, 0, 0}, 0.6}, oracle::cube_grid(32, 1),
                                    FieldOrder::one, true);
    build_min_max_tree(executor, field);
    const std::int64_t before = host_memory().allocation_count();
    build_min_max_tree(executor, field);
    EXPECT_EQ(host_memory().allocation_count(), before);
}

TEST(HalfBelow, IsTheNearestOnItsSide) {
    std::mt19937 random(3);
    std::vector<float> values{0.0f,  -0.0f,    1e-30f, -1e-30f, 65504, 65505,   65519,  65520,
                              1e30f, INFINITY, 6e-8f,  5.9e-8f, 1,     1.0001f, 0.9999f};
    for (int i = 0; i < 100000; ++i)
        values.push_back(
            std::ldexp(static_cast<float>(random()), static_cast<int>(random() % 60) - 60));
    for (const float magnitude : values) {
        for (const float value : {magnitude, -magnitude}) {
            const float low = float_from_half(half_below(value));
            const float high = float_from_half(half_above(value));
            ASSERT_LE(low, value);
            ASSERT_GE(high, value);
            const float nearest = float_from_half(half_from_float(value));
            ASSERT_TRUE(low == nearest || high == nearest) << value;
            ASSERT_TRUE(nearest != value || low == high) << value;
            // The two are neighbours: no half lies between.
            if (low < high && std::isfinite(low) && std::isfinite(high)) {
                const float middle = low + (high - low) / 2;
                const float rounded = float_from_half(half_from_float(middle));
                ASSERT_TRUE(rounded == low || rounded == high) << value;
            }
        }
    }
}

}  // namespace
}  // namespace graze

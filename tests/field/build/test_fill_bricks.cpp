// Tests of bricks filled in any order and by any number of threads: what a brick copies from those
// after it is what it computes by itself.
#include "field/build/fill_bricks_cpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "field/build/build_samples_impl.h"
#include "field/build/fill_samples_cpu.h"
#include "tests/field/build/grid_around.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

template <class T>
void expect_same_bytes(const T* a, const Buffer<T>& b) {
    if (b.is_empty()) return;  // the samples of the other order
    EXPECT_EQ(std::memcmp(a, b.data(), static_cast<std::size_t>(b.size()) * sizeof(T)), 0);
}

SamplePlan make_plan(const Mesh& mesh, FieldOrder order) {
    SamplePlan plan{};
    plan.grid = grid_around(mesh, {40, 32, 24});
    plan.order = order;
    plan.is_sparse = true;
    plan.band = plan.grid.spacing;
    plan.sign = FieldSign::crossings;
    plan.measures_error = true;
    plan.memory_limit = 1 << 30;
    return plan;
}

class FillBricks : public testing::TestWithParam<FieldOrder> {
protected:
    FillBricks() : executor_(1), field_(host_memory()), source_(executor_.memory()) {
        build_samples(executor_, mesh_, plan_, field_);
        prepare_mesh(executor_, mesh_, source_);
    }

    // Fills all bricks anew, in the given order, and compares.
    template <class Sample>
    void expect_same(const std::vector<std::int64_t>& order, Sample* samples,
                     const Buffer<Sample>& expected) {
        SampleCubes cubes{
            field_.grid, kBrickSamples, {}, field_.block_of_brick.data(), field_.brick_count()};
        for (int axis = 0; axis < 3; ++axis)
            cubes.counts[axis] = static_cast<std::int32_t>(block_count(field_.grid, axis));
        cubes.index_of_cube = field_.brick_of_block.data();

        const PacketSource packets(source_, distance_slack(field_.grid.box()));
        build_detail::SignTables tables(executor_.memory()), of_centres(executor_.memory());
        StoreSample store{};
        store.triangles = source_.prepared.data();
        store.sign = build_detail::make_sign(executor_, source_, plan_.sign, field_.grid, tables);
        store.spacing = field_.grid.spacing;
        SampledFieldView view = field_.view();
        point_at(samples, store, view);
        const SampleSign sign = build_detail::make_sign(executor_, source_, plan_.sign,
                                                        grid_of_centres(field_.grid), of_centres);

        std::vector<std::uint8_t> is_filled(order.size(), 0);
        std::vector<float> errors(order.size());
        const detail::FillBrick fill_brick(
            detail::FillCube(packets, cubes, store), cubes, samples, is_filled.data(),
            detail::ProbeBrick(packets, view, sign, 0), errors.data());
        for (const std::int64_t n : order)
            fill_brick(n);
        expect_same_bytes(samples, expected);
        expect_same_bytes(errors.data(), field_.errors);
    }
    static void point_at(float* values, StoreSample& store, SampledFieldView& view) {
        view.values = store.values = values;
    }
    static void point_at(FirstOrderSample* samples, StoreSample& store, SampledFieldView& view) {
        view.samples = store.samples = samples;
    }

    void expect_same(const std::vector<std::int64_t>& order) {
        if (plan_.order == FieldOrder::zero) {
            std::vector<float> values(static_cast<std::size_t>(field_.values.size()));
            expect_same(order, values.data(), field_.values);
        } else {
            std::vector<FirstOrderSample> samples(static_cast<std::size_t>(field_.samples.size()));
            expect_same(order, samples.data(), field_.samples);
        }
    }

    const Mesh mesh_ = sample::torus(40, 24);
    const SamplePlan plan_ = make_plan(mesh_, GetParam());
    CpuExecutor executor_;
    SampledField field_;
    MeshSource source_;
};

TEST_P(FillBricks, AnyOrderGivesTheSame) {
    ASSERT_GT(field_.brick_count(), 20);
    std::vector<std::int64_t> order(static_cast<std::size_t>(field_.brick_count()));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    expect_same(order);  // every shared sample is copied
    std::reverse(order.begin(), order.end());
    expect_same(order);  // none is
    std::mt19937 random(3);
    for (int i = 0; i < 5; ++i) {
        std::shuffle(order.begin(), order.end(), random);
        expect_same(order);
    }
}

TEST_P(FillBricks, AnyNumberOfThreadsGivesTheSame) {
    for (const int threads : {2, 3, 8}) {
        CpuExecutor executor(threads);
        SampledField field(host_memory());
        build_samples(executor, mesh_, plan_, field);
        ASSERT_EQ(field.values.size(), field_.values.size());
        ASSERT_EQ(field.samples.size(), field_.samples.size());
        ASSERT_EQ(field.errors.size(), field_.errors.size());
        expect_same_bytes(field_.values.data(), field.values);
        expect_same_bytes(field_.samples.data(), field.samples);
        expect_same_bytes(field_.errors.data(), field.errors);
    }
}

// The mesh is open, so that windings are of every kind.
TEST(RowCrossings, InsidesOfARowAreThoseOfItsSamples) {
    Mesh mesh = sample::torus(40, 24);
    for (std::size_t t = 0; t < mesh.triangles.size(); t += 3)
        std::swap(mesh.triangles[t].v[0], mesh.triangles[t].v[1]);
    const FieldGrid grid = make_plan(mesh, FieldOrder::zero).grid;
    CpuExecutor executor(1);
    MeshSource source(executor.memory());
    prepare_mesh(executor, mesh, source);
    for (int axis = 0; axis < 3; ++axis) {
        RowCrossings crossings(executor.memory());
        build_row_crossings(executor, source.positions.data(), source.triangles.data(),
                            source.triangles.size(), grid, axis, crossings);
        const RowCrossingsView rows = crossings.view();
        for (std::int64_t n = 0; n < grid.sample_count(); ++n) {
            const auto x = static_cast<std::int32_t>(n % grid.samples(0));
            const auto y = static_cast<std::int32_t>(n / grid.samples(0) % grid.samples(1));
            const auto z = static_cast<std::int32_t>(n / grid.samples(0) / grid.samples(1));
            const std::uint32_t found = rows.inside_bits({x, y, z}, 9);
            for (int i = 0; i < 9; ++i) {
                std::int32_t sample[3] = {x, y, z};
                sample[axis] += i;
                ASSERT_EQ(found >> i & 1, rows.winding(sample).forward > 0 ? 1u : 0u);
            }
        }
    }
}

// A grid of every eighth sample needs no table of its own.
TEST(RowCrossings, TellTheSidesOfACoarserGrid) {
    Mesh mesh = sample::torus(40, 24);
    for (std::size_t t = 0; t < mesh.triangles.size(); t += 3)
        std::swap(mesh.triangles[t].v[0], mesh.triangles[t].v[1]);
    const FieldGrid fine = make_plan(mesh, FieldOrder::zero).grid;
    FieldGrid coarse = fine;
    coarse.spacing *= 8;
    for (std::int32_t& cells : coarse.cells)
        cells /= 8;
    CpuExecutor executor(1);
    MeshSource source(executor.memory());
    prepare_mesh(executor, mesh, source);
    for (const FieldSign method : {FieldSign::crossings, FieldSign::winding}) {
        build_detail::SignTables tables(executor.memory()), own_tables(executor.memory());
        const SampleSign sign =
            build_detail::make_sign(executor, source, method, fine, tables).coarser(3);
        const SampleSign own =
            build_detail::make_sign(executor, source, method, coarse, own_tables);
        for (std::int64_t n = 0; n < coarse.sample_count(); ++n) {
            const std::int32_t sample[3] = {
                static_cast<std::int32_t>(n % coarse.samples(0)),
                static_cast<std::int32_t>(n / coarse.samples(0) % coarse.samples(1)),
                static_cast<std::int32_t>(n / coarse.samples(0) / coarse.samples(1))};
            const RowWinding found = sign.rows.winding(sample);
            const RowWinding expected = own.rows.winding(sample);
            ASSERT_EQ(found.forward, expected.forward);
            ASSERT_EQ(found.backward, expected.backward);
            ASSERT_EQ(sign.rows.inside_bits(sample, 4), own.rows.inside_bits(sample, 4));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Orders, FillBricks, testing::Values(FieldOrder::zero, FieldOrder::one));

}  // namespace
}  // namespace graze

// Tests of sample_near_surface(): no block that a surface enters goes without samples, however
// wrong what a field says of its own error.
#include "field/sampled/sample_near_surface.h"

#include <gtest/gtest.h>

#include <cmath>

#include "field/sampled/crossing_slack.h"
#include "graze/build_field.h"
#include "graze/extract_surface.h"
#include "graze/mesh_report.h"
#include "tests/field/build/build_field_cases.h"

namespace graze {
namespace {

// A coarse field of thin spikes, whose value changes faster than distances do. A measurement knows
// little of it: no probe need be where it is worst, and what a file says may be 0.
Field coarse_spikes(FieldOrder order) {
    const Field built = build_field(oracle_spikes(), {.resolution = 10, .order = order});
    const SampledField& from = *samples_of(built);
    auto samples = std::make_shared<SampledField>(host_memory());
    samples->grid = from.grid;
    samples->order = from.order;
    samples->is_surface_inside = true;
    const auto copy = [](const auto& source, auto& to) {
        to.resize(source.size());
        std::copy_n(source.data(), source.size(), to.data());
    };
    copy(from.values, samples->values);
    copy(from.samples, samples->samples);
    copy(from.errors, samples->errors);
    std::fill_n(samples->errors.data(), samples->errors.size(), 0.0f);
    // Moved, it is no field of samples alone.
    Transform by = Transform::identity();
    by.scale = 2;
    return make_sampled_field(samples).transformed(by);
}

// The blocks without a brick whose samples are on both sides of the level.
std::int64_t count_lost_blocks(const Field& field, const SampledField& samples, float level) {
    const FieldGrid& grid = samples.grid;
    std::int64_t lost = 0;
    for (std::int64_t block = 0; block < block_count(grid); ++block) {
        if (samples.brick_of_block.data()[block] >= 0) continue;
        const std::int64_t size_x = block_count(grid, 0), size_y = block_count(grid, 1);
        int inside = 0;
        for (int n = 0; n < kBrickSize; ++n) {
            const Vec3 point = grid.position(
                block % size_x * kBrickCells + n % kBrickSamples,
                block / size_x % size_y * kBrickCells + n / kBrickSamples % kBrickSamples,
                block / size_x / size_y * kBrickCells + n / kBrickSamples / kBrickSamples);
            inside += field.distance(point) < level ? 1 : 0;
        }
        lost += inside > 0 && inside < kBrickSize ? 1 : 0;
    }
    return lost;
}

TEST(SampleNearSurface, EveryBlockThatASurfaceEntersHasABrick) {
    CpuExecutor executor(2);
    for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
        const Field field = coarse_spikes(order);
        ASSERT_EQ(field.error(), 0);
        for (const float level : {0.0f, 0.1f}) {
            const FieldGrid grid = grid_around(field, 128, level);
            const SampledField samples = sample_near_surface(executor, field, grid, level);
            EXPECT_EQ(count_lost_blocks(field, samples, level), 0);
            EXPECT_LT(samples.brick_count(), block_count(grid));
        }
        const MeshReport report =
            inspect(extract_surface(field, {.resolution = 128}), {.self_intersections = false});
        EXPECT_EQ(report.boundary_edge_count, 0);
    }
}

// Formulas change as distances do and need no more blocks.
TEST(SampleNearSurface, FormulasNeedNoSlack) {
    EXPECT_EQ(crossing_slack(unite(Field::sphere({0, 0, 0}, 1), Field::box({2, 1, 1}))), 0);
}

}  // namespace
}  // namespace graze

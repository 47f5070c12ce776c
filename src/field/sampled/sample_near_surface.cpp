#include "field/sampled/sample_near_surface.h"

#include <cmath>
#include <string>

#include "core/grid_coordinates.h"
#include "field/field_program.h"
#include "field/sampled/crossing_slack.h"
#include "graze/error.h"
#include "parallel/fill.h"

namespace graze {
namespace {

// [m] How far a point of a block may be from its middle.
float block_reach(const FieldGrid& grid) {
    return grid.spacing * (0.5f * kBrickCells) * 1.7320510f * (1 + 1e-5f);
}

}  // namespace

FieldGrid grid_around(const Field& field, int resolution, float level) {
    constexpr int kPadding = 2;
    if (resolution < 2 || resolution > 1 << 16) {
        throw Error("the resolution is " + std::to_string(resolution) +
                    "; choose one from 2 to 65536");
    }
    // The box holds all points where the distance is at most level. Of a field whose solid is empty
    // at level 0, nothing is known.
    const Aabb box = inflate(field.bounds(), level > 0 ? level : 0.0f);
    FieldGrid grid{};
    if (box.is_empty()) return grid;
    if (!is_finite(box.min) || !is_finite(box.max)) {
        throw Error("the field's solid has no end; intersect it with a box first");
    }
    const Vec3 size = extent(box);
    const float longest = max_of(size.x, max_of(size.y, size.z));
    if (!(longest > 0)) return grid;
    grid.spacing = longest / static_cast<float>(resolution);
    for (int axis = 0; axis < 3; ++axis) {
        const auto needed =
            static_cast<std::int32_t>(std::ceil(size[axis] / grid.spacing)) + 2 * kPadding;
        grid.cells[axis] = (needed + kBrickCells - 1) / kBrickCells * kBrickCells;
        grid.origin[axis] =
            centre(box)[axis] - 0.5f * grid.spacing * static_cast<float>(grid.cells[axis]);
    }
    return grid;
}

SampledField sample_near_surface(CpuExecutor& executor, const Field& field, const FieldGrid& grid,
                                 float level) {
    SampledField result(executor.memory());
    result.grid = grid;
    result.order = FieldOrder::zero;
    result.is_sparse = true;
    result.is_surface_inside = true;
    const FieldView view = view_of(field);
    const auto distance = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        return evaluate(view, grid.position(i, j, k)).distance - level;
    };
    const std::int64_t size[3] = {block_count(grid, 0), block_count(grid, 1), block_count(grid, 2)};
    const std::int64_t count = block_count(grid);

    // A distance, or a lower bound of it, at the middle rules out that the surface comes in. What
    // is measured of a field's error is no bound.
    const float reach =
        block_reach(grid) + crossing_slack(field) + 2 * kFieldRelativeError * std::fabs(level);
    const auto may_hold_surface = [&](std::int64_t b) {
        const GridCoordinates at = coordinates_of(b, size[0], size[1]);
        constexpr std::int64_t kHalf = kBrickCells / 2;
        return !(std::fabs(distance(at.x * kBrickCells + kHalf, at.y * kBrickCells + kHalf,
                                    at.z * kBrickCells + kHalf)) *
                     (1 - kFieldRelativeError) >
                 reach);
    };
    result.block_of_brick.resize(count);
    std::int32_t brick_count = 0;
    executor.compact("sample: bricks", count, may_hold_surface, result.block_of_brick.data(),
                     &brick_count);
    result.block_of_brick.resize(brick_count);
    result.brick_of_block.resize(count);
    executor.for_each("sample: no brick", count,
                      Fill<std::int32_t>{result.brick_of_block.data(), -1});
    executor.for_each("sample: number bricks", brick_count, [&](std::int64_t brick) {
        result.brick_of_block.data()[result.block_of_brick.data()[brick]] =
            static_cast<std::int32_t>(brick);
    });

    result.coarse.resize((size[0] + 1) * (size[1] + 1) * (size[2] + 1));
    executor.for_each("sample: coarse", result.coarse.size(), [&](std::int64_t n) {
        const GridCoordinates at = coordinates_of(n, size[0] + 1, size[1] + 1);
        result.coarse.data()[n] =
            distance(at.x * kBrickCells, at.y * kBrickCells, at.z * kBrickCells);
    });
    result.errors.resize(brick_count);
    executor.for_each("sample: errors", brick_count, Fill<float>{result.errors.data(), 0.0f});
    result.values.resize(std::int64_t{brick_count} * kBrickSize);
    executor.for_each("sample: values", result.values.size(), [&](std::int64_t n) {
        const GridCoordinates at =
            coordinates_of(result.block_of_brick.data()[n / kBrickSize], size[0], size[1]);
        const GridCoordinates in = coordinates_of(n % kBrickSize, kBrickSamples, kBrickSamples);
        result.values.data()[n] = distance(at.x * kBrickCells + in.x, at.y * kBrickCells + in.y,
                                           at.z * kBrickCells + in.z);
    });
    return result;
}

}  // namespace graze

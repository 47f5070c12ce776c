// Makes a SampledField from any function of space, in the most obvious way: every sample by itself.
#pragma once

#include <cmath>
#include <cstring>
#include <vector>

#include "field/sampled/sampled_field.h"
#include "parallel/cpu_executor.h"

namespace graze::oracle {

// The value of a function of space at a point.
struct ExactValue {
    double distance;   // [m] negative inside
    Vec3d gradient{};  // unit
};

inline FirstOrderSample make_sample(const ExactValue& value, float spacing) {
    return {{half_from_float(static_cast<float>(value.gradient.x / 2)),
             half_from_float(static_cast<float>(value.gradient.y / 2)),
             half_from_float(static_cast<float>(value.gradient.z / 2))},
            half_from_float(static_cast<float>(value.distance / spacing))};
}

// Stores one sample.
inline void store(SampledField& field, std::int64_t index, const ExactValue& value) {
    if (field.order == FieldOrder::zero) {
        field.values.data()[index] = static_cast<float>(value.distance);
    } else {
        field.samples.data()[index] = make_sample(value, field.grid.spacing);
    }
}

inline void resize_samples(SampledField& field, std::int64_t count) {
    field.values.resize(field.order == FieldOrder::zero ? count : 0);
    field.samples.resize(field.order == FieldOrder::one ? count : 0);
}

// evaluate(Vec3d) returns an ExactValue; it is called from several threads.
template <class Evaluate>
SampledField fill_dense(const Evaluate& evaluate, const FieldGrid& grid, FieldOrder order) {
    SampledField field(host_memory());
    field.grid = grid;
    field.order = order;
    field.is_surface_inside = true;
    resize_samples(field, grid.sample_count());
    field.errors.resize(block_count(grid));
    std::memset(field.errors.data(), 0,
                sizeof(float) * static_cast<std::size_t>(block_count(grid)));
    CpuExecutor().for_each(
        "test: sample", grid.samples(1) * grid.samples(2),
        [&](std::int64_t row) {
            const std::int64_t j = row % grid.samples(1), k = row / grid.samples(1);
            for (std::int64_t i = 0; i < grid.samples(0); ++i) {
                store(field, i + row * grid.samples(0),
                      evaluate(static_cast<Vec3d>(grid.position(i, j, k))));
            }
        },
        1);
    return field;
}

// has_brick(x, y, z) is true where block x, y, z has a brick.
template <class Evaluate, class HasBrick>
SampledField fill_sparse(const Evaluate& evaluate, const FieldGrid& grid, FieldOrder order,
                         float band, const HasBrick& has_brick) {
    SampledField field(host_memory());
    field.grid = grid;
    field.order = order;
    field.is_sparse = true;
    field.is_surface_inside = true;
    field.band = band;
    const std::int64_t size[3] = {block_count(grid, 0), block_count(grid, 1), block_count(grid, 2)};
    std::vector<std::int32_t> block_of_brick;
    field.brick_of_block.resize(block_count(grid));
    for (std::int64_t b = 0; b < block_count(grid); ++b) {
        const bool has = has_brick(b % size[0], b / size[0] % size[1], b / size[0] / size[1]);
        field.brick_of_block.data()[b] =
            has ? static_cast<std::int32_t>(block_of_brick.size()) : -1;
        if (has) block_of_brick.push_back(static_cast<std::int32_t>(b));
    }
    const auto brick_count = static_cast<std::int64_t>(block_of_brick.size());
    field.block_of_brick.resize(brick_count);
    field.errors.resize(brick_count);
    for (std::int64_t n = 0; n < brick_count; ++n) {
        field.block_of_brick.data()[n] = block_of_brick[static_cast<std::size_t>(n)];
        field.errors.data()[n] = 0;
    }
    field.coarse.resize((size[0] + 1) * (size[1] + 1) * (size[2] + 1));
    for (std::int64_t n = 0; n < field.coarse.size(); ++n) {
        const Vec3 at = grid.position(n % (size[0] + 1) * kBrickCells,
                                      n / (size[0] + 1) % (size[1] + 1) * kBrickCells,
                                      n / (size[0] + 1) / (size[1] + 1) * kBrickCells);
        field.coarse.data()[n] = static_cast<float>(evaluate(static_cast<Vec3d>(at)).distance);
    }
    resize_samples(field, brick_count * kBrickSize);
    CpuExecutor().for_each(
        "test: bricks", brick_count,
        [&](std::int64_t brick) {
            const std::int64_t b = field.block_of_brick.data()[brick];
            for (std::int64_t n = 0; n < kBrickSize; ++n) {
                const Vec3 at = grid.position(
                    b % size[0] * kBrickCells + n % kBrickSamples,
                    b / size[0] % size[1] * kBrickCells + n / kBrickSamples % kBrickSamples,
                    b / size[0] / size[1] * kBrickCells + n / kBrickSamples / kBrickSamples);
                store(field, brick * kBrickSize + n, evaluate(static_cast<Vec3d>(at)));
            }
        },
        1);
    return field;
}

// There is a brick wherever the distance at the block's centre does not rule out that the surface
// comes within band.
template <class Evaluate>
SampledField fill_sparse(const Evaluate& evaluate, const FieldGrid& grid, FieldOrder order,
                         float band) {
    return fill_sparse(
        evaluate, grid, order, band, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            constexpr std::int64_t kHalf = kBrickCells / 2;
            const Vec3 centre = grid.position(x * kBrickCells + kHalf, y * kBrickCells + kHalf,
                                              z * kBrickCells + kHalf);
            const double reach = kHalf * std::sqrt(3.0) * grid.spacing;
            return std::fabs(evaluate(static_cast<Vec3d>(centre)).distance) < reach + band;
        });
}

template <class Evaluate>
SampledField fill_field(const Evaluate& evaluate, const FieldGrid& grid, FieldOrder order,
                        bool is_sparse) {
    return is_sparse ? fill_sparse(evaluate, grid, order, 3 * grid.spacing)
                     : fill_dense(evaluate, grid, order);
}

// Returns a grid of a cube around the origin with `cells` cells along each side.
inline FieldGrid cube_grid(std::int32_t cells, float half_extent) {
    return {{-half_extent, -half_extent, -half_extent},
            2 * half_extent / static_cast<float>(cells),
            {cells, cells, cells}};
}

struct ExactSphere {
    Vec3d centre;
    double radius;
    ExactValue operator()(const Vec3d& p) const {
        return {length(p - centre) - radius, normalized(p - centre)};
    }
};
struct ExactBox {
    Vec3d half_extent;
    ExactValue operator()(const Vec3d& p) const {
        Vec3d outside{}, gradient{};
        double nearest = -1e300;
        int axis = 0;
        for (int a = 0; a < 3; ++a) {
            const double beyond = std::fabs(p[a]) - half_extent[a];
            const double side = p[a] < 0 ? -1 : 1;
            outside[a] = beyond > 0 ? beyond * side : 0;
            if (beyond > nearest) {
                nearest = beyond;
                axis = a;
            }
        }
        if (nearest > 0) return {length(outside), normalized(outside)};
        gradient[axis] = p[axis] < 0 ? -1 : 1;
        return {nearest, gradient};
    }
};
// The torus is around the z axis.
struct ExactTorus {
    double ring, tube;
    ExactValue operator()(const Vec3d& p) const {
        const double planar = std::hypot(p.x, p.y);
        const double along = planar - ring;
        const double distance = std::hypot(along, p.z);
        const double scale = planar > 0 && distance > 0 ? along / distance / planar : 0;
        return {distance - tube, {p.x * scale, p.y * scale, distance > 0 ? p.z / distance : 0}};
    }
};

}  // namespace graze::oracle

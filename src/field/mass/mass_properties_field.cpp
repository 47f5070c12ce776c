// mass_properties of a field. Both rules visit the grid in rows of blocks, in parallel; what is
// certainly inside or outside, by the min/max tree or for want of a brick, is counted at once. Sums
// are in voxels, from the middle of the grid.
#include "field/mass/integrate_cell.h"
#include "field/mass/mass_properties_sampled.h"
#include "field/sampled/cube_bounds.h"
#include "field/sampled/sample_near_surface.h"
#include "graze/error.h"
#include "parallel/cpu_executor.h"
#include "parallel/reductions.h"

namespace graze {
namespace {

Vec3d to_vec(const std::int32_t (&v)[3]) {
    return {double(v[0]), double(v[1]), double(v[2])};
}

Moments moved(const Moments& m, const Vec3d& by) {
    const auto product = [&](int i, int j) {
        return by[i] * m.first[j] + by[j] * m.first[i] + by[i] * by[j] * m.volume;
    };
    return {m.volume, m.first + by * m.volume,
            m.squares + Vec3d{product(0, 0), product(1, 1), product(2, 2)},
            m.products + Vec3d{product(1, 2), product(2, 0), product(0, 1)}};
}

class WholeVoxels {
public:
    explicit WholeVoxels(const SampledFieldView& field) : field_(field) {}

    // A block has the voxels around the first samples of its cells; the last one along an axis also
    // those around the very last samples.
    Moments operator()(const FieldBlock& block, const Vec3d& origin) const {
        int count[3];
        for (int axis = 0; axis < 3; ++axis) {
            const bool is_last = block.begin[axis] + block.cells[axis] == field_.grid.cells[axis];
            count[axis] = block.cells[axis] + (is_last ? 1 : 0);
        }
        const Vec3d first = to_vec(block.begin) - origin, half{0.5, 0.5, 0.5};
        if (block.brick < 0) {
            if (!block.is_inside(field_)) return {};
            return moments_of_box(first - half, first + to_vec(count) - half);
        }
        const SampleBox samples = block.samples(field_);
        Moments result;
        for (int k = 0; k < count[2]; ++k) {
            for (int j = 0; j < count[1]; ++j) {
                for (int i = 0; i < count[0]; ++i) {
                    if (samples.value(i, j, k) > 0) continue;
                    const Vec3d middle = first + Vec3d{double(i), double(j), double(k)};
                    result += moments_of_box(middle - half, middle + half);
                }
            }
        }
        return result;
    }

private:
    SampledFieldView field_;
};

class PartialVoxels {
public:
    explicit PartialVoxels(const SampledFieldView& field) : field_(field) {}

    Moments operator()(const FieldBlock& block, const Vec3d& origin) const {
        const Vec3d first = to_vec(block.begin) - origin;
        if (block.brick < 0) {
            if (!block.is_inside(field_)) return {};
            return moments_of_box(first, first + to_vec(block.cells));
        }
        Moments result;
        for (int child = 0; child < 8; ++child) {
            std::int32_t begin[3], end[3];
            bool is_there = true;
            for (int axis = 0; axis < 3; ++axis) {
                begin[axis] = kMinMaxLeafCells * (child >> axis & 1);
                end[axis] = min_of(begin[axis] + kMinMaxLeafCells, block.cells[axis]);
                is_there = is_there && begin[axis] < end[axis];
            }
            if (is_there) result += integrate_cube(block, begin, end, first);
        }
        return result;
    }

private:
    Moments integrate_cube(const FieldBlock& block, const std::int32_t (&begin)[3],
                           const std::int32_t (&end)[3], const Vec3d& first) const {
        if (field_.tree.level_count > 0) {
            const std::int32_t cell[3] = {block.begin[0] + begin[0], block.begin[1] + begin[1],
                                          block.begin[2] + begin[2]};
            const DistanceBounds bounds = cube_bounds(field_, cube_of_cell(0, cell));
            // The bounds of order 0 do not know of the slopes that its cells get.
            const float slack = field_.order == FieldOrder::zero ? field_.grid.spacing : 0;
            if (bounds.min > slack) return {};
            if (bounds.max < -slack)
                return moments_of_box(first + to_vec(begin), first + to_vec(end));
        }
        const SampleBox samples = block.samples(field_);
        Moments result;
        for (std::int32_t k = begin[2]; k < end[2]; ++k) {
            for (std::int32_t j = begin[1]; j < end[1]; ++j) {
                for (std::int32_t i = begin[0]; i < end[0]; ++i) {
                    const FieldCell cell = samples.cell(i, j, k);
                    const Vec3d corner = first + Vec3d{double(i), double(j), double(k)};
                    const FieldCell::Range range = cell.range();
                    if (range.min >= 0) continue;
                    result += range.max < 0 ? moments_of_box(corner, corner + Vec3d{1, 1, 1})
                                            : moved(integrate_cell(cell), corner);
                }
            }
        }
        return result;
    }

    SampledFieldView field_;
};

template <class Rule>
Moments sum_blocks(CpuExecutor& executor, const SampledFieldView& field, const Rule& rule,
                   const Vec3d& origin) {
    const std::int64_t size_x = block_count(field.grid, 0), size_y = block_count(field.grid, 1);
    const std::int64_t row_count = size_y * block_count(field.grid, 2);
    auto rows = executor.make_buffer<Moments>(row_count);
    executor.for_each(
        "mass properties: rows of blocks", row_count,
        [&](std::int64_t row) {
            Moments sum;
            for (std::int64_t x = 0; x < size_x; ++x)
                sum += rule(FieldBlock(field, x, row % size_y, row / size_y), origin);
            rows.data()[row] = sum;
        },
        1);
    Moments total;
    executor.reduce(
        "mass properties: sum", row_count, [&](std::int64_t row) { return rows.data()[row]; },
        AddValues{}, Moments{}, &total);
    return total;
}

}  // namespace

MassProperties mass_properties(const SampledField& field, VoxelRule rule, const Device& device) {
    CpuExecutor executor(device.threads());
    const SampledFieldView view = field.view();
    const Vec3d middle = to_vec(view.grid.cells) * 0.5;
    const double spacing = view.grid.spacing;
    const Moments moments = rule == VoxelRule::whole
                                ? sum_blocks(executor, view, WholeVoxels(view), middle)
                                : sum_blocks(executor, view, PartialVoxels(view), middle);
    return to_mass_properties(moments, static_cast<Vec3d>(view.grid.origin) + middle * spacing,
                              spacing);
}

MassProperties mass_properties(const Field& field, const MassOptions& options) {
    if (field.is_sampled()) {
        return mass_properties(*samples_of(field), options.rule, options.device);
    }
    const FieldGrid grid = grid_around(field, options.resolution, 0);
    if (grid.cells[0] == 0) return {};
    CpuExecutor executor(options.device.threads());
    SampledField samples = sample_near_surface(executor, field, grid, 0);
    build_min_max_tree(executor, samples);
    return mass_properties(samples, options.rule, options.device);
}

}  // namespace graze

// sample_field: any function of space as a sampled field, on the host.
#include <algorithm>
#include <cmath>

#include "field/build/build_samples.h"
#include "field/build/check_memory.h"
#include "field/build/error_probe.h"
#include "field/sampled/crossing_slack.h"
#include "field/sampled/min_max_tree.h"
#include "graze/build_field.h"
#include "graze/error.h"
#include "parallel/cpu_executor.h"

namespace graze {

namespace {

using Function = std::function<FieldValue(const Vec3&)>;

class FunctionSampler {
public:
    // slack [m]: by how much the function may exceed the distance.
    FunctionSampler(const Function& function, float slack, const FieldOptions& options,
                    SampledField& field)
        : function_(function),
          slack_(slack),
          options_(options),
          field_(field),
          executor_(options.device.threads()) {}

    void run(std::int64_t memory_left) {
        if (field_.is_sparse) {
            fill_coarse();
            choose_bricks(memory_left);
        }
        const std::int64_t cube = field_.is_sparse ? kBrickSize : field_.grid.samples(0);
        const std::int64_t count = field_.is_sparse
                                       ? field_.brick_count()
                                       : field_.grid.samples(1) * field_.grid.samples(2);
        if (field_.order == FieldOrder::zero) {
            field_.values.resize(cube * count);
        } else {
            field_.samples.resize(cube * count);
        }
        // The work goes in slices, to tell of progress in between: rows of a dense field, bricks of
        // a sparse one.
        const std::int64_t slice = std::max<std::int64_t>(1, (count + 63) / 64);
        for (std::int64_t begin = 0; begin < count; begin += slice) {
            report(0.1 + 0.8 * double(begin) / double(count));
            executor_.for_each_range(std::min(slice, count - begin), 1,
                                     [&](std::int64_t first, std::int64_t last) {
                                         for (std::int64_t n = begin + first; n < begin + last; ++n)
                                             field_.is_sparse ? fill_brick(n) : fill_row(n);
                                     });
        }
        measure();
        build_min_max_tree(executor_, field_);
        report(1);
    }

private:
    void report(double fraction) const {
        if (options_.progress && !options_.progress(fraction))
            throw Error("stopped before the field was complete");
    }

    FieldValue call(const Vec3& point) const {
        const FieldValue value = function_(point);
        if (!std::isfinite(value.distance))
            throw Error("the function to sample gave a distance that is not finite");
        if (field_.order == FieldOrder::one && !is_finite(value.gradient))
            throw Error("the function to sample gave a gradient that is not finite");
        return value;
    }

    void store(std::int64_t index, const Vec3i& sample) {
        const FieldValue value = call(field_.grid.position(sample.x, sample.y, sample.z));
        if (field_.order == FieldOrder::zero) {
            field_.values.data()[index] = value.distance;
        } else {
            field_.samples.data()[index] =
                encode_sample(value.distance / field_.grid.spacing, value.gradient);
        }
    }

    void fill_row(std::int64_t row) {
        const std::int64_t length = field_.grid.samples(0), rows = field_.grid.samples(1);
        for (std::int64_t i = 0; i < length; ++i) {
            store(row * length + i,
                  {static_cast<std::int32_t>(i), static_cast<std::int32_t>(row % rows),
                   static_cast<std::int32_t>(row / rows)});
        }
    }

    void fill_brick(std::int64_t brick) {
        const Vec3i first = first_cell(field_.grid, field_.block_of_brick.data()[brick]);
        for (int n = 0; n < kBrickSize; ++n) {
            const Vec3i local{n % kBrickSamples, n / kBrickSamples % kBrickSamples,
                              n / kBrickSamples / kBrickSamples};
            store(brick * kBrickSize + n, first + local);
        }
    }

    void fill_coarse() {
        const std::int64_t x = block_count(field_.grid, 0) + 1, y = block_count(field_.grid, 1) + 1;
        field_.coarse.resize(x * y * (block_count(field_.grid, 2) + 1));
        executor_.for_each_range(
            field_.coarse.size(), 64, [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t n = begin; n < end; ++n) {
                    const Vec3 point = field_.grid.position(
                        n % x * kBrickCells, n / x % y * kBrickCells, n / x / y * kBrickCells);
                    field_.coarse.data()[n] = call(point).distance;
                }
            });
    }

    // A block whose centre is farther from the surface than the band and half its diagonal has no
    // point within the band.
    void choose_bricks(std::int64_t memory_left) {
        const std::int64_t blocks = block_count(field_.grid);
        const float half = field_.grid.spacing * (0.5f * kBrickCells);
        const float reach = (field_.band + half * 1.7321f + field_.grid.spacing * 0.01f + slack_) *
                            (slack_ > 0 ? 1 + 2 * kFieldRelativeError : 1);
        field_.brick_of_block.resize(blocks);
        executor_.for_each_range(blocks, 64, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t block = begin; block < end; ++block) {
                const Vec3i first = first_cell(field_.grid, block);
                const Vec3 centre =
                    field_.grid.position(first.x, first.y, first.z) + Vec3{half, half, half};
                const bool is_near = std::fabs(call(centre).distance) <= reach;
                field_.brick_of_block.data()[block] = is_near ? 0 : -1;
            }
        });
        std::vector<std::int32_t> chosen;
        for (std::int64_t block = 0; block < blocks; ++block) {
            std::int32_t& brick = field_.brick_of_block.data()[block];
            if (brick < 0) continue;
            brick = static_cast<std::int32_t>(chosen.size());
            chosen.push_back(static_cast<std::int32_t>(block));
        }
        const auto count = static_cast<std::int64_t>(chosen.size());
        if (count * brick_bytes(field_.order) > memory_left) {
            throw Error("the " + std::to_string(count) +
                        " bricks near the surface take more memory than there is: use a coarser "
                        "grid or a narrower band");
        }
        field_.block_of_brick.resize(count);
        std::copy(chosen.begin(), chosen.end(), field_.block_of_brick.data());
    }

    void measure() {
        const std::int64_t count =
            field_.is_sparse ? field_.brick_count() : block_count(field_.grid);
        field_.errors.resize(count);
        const SampledFieldView view = field_.view();
        executor_.for_each_range(count, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t n = begin; n < end; ++n) {
                const Vec3i first =
                    first_cell(field_.grid, field_.is_sparse ? field_.block_of_brick.data()[n] : n);
                float worst = 0;
                for (int group = 0; group < kProbesOfBlock; ++group) {
                    const ErrorProbe probe = choose_probe(view, first, group);
                    if (probe.cell.x < 0) continue;
                    const float off = std::fabs(probe.value - function_(probe.point).distance);
                    worst = std::max(worst, off * kProbeSafety);
                }
                field_.errors.data()[n] = worst;
            }
        });
        for (std::int64_t n = 0; n < count; ++n)
            field_.error = std::max(field_.error, field_.errors.data()[n]);
    }

    const Function& function_;
    float slack_;
    const FieldOptions& options_;
    SampledField& field_;
    CpuExecutor executor_;
};

Field sample(const Function& function, float slack, const FieldGrid& grid,
             const FieldOptions& options, bool is_surface_inside) {
    FieldOptions decided = options;
    decided.grid = grid;
    choose_grid(Aabb::empty(), decided);  // for its checks of both
    const std::int64_t left = check_memory(grid, decided, 0, nullptr);
    auto field = std::make_shared<SampledField>(host_memory());
    field->grid = grid;
    field->order = options.order;
    field->is_sparse = options.sparse;
    field->is_surface_inside = is_surface_inside;
    field->band = options.sparse ? options.band * grid.spacing : 0;
    FunctionSampler(function, slack, decided, *field).run(left);
    return make_sampled_field(std::move(field));
}

}  // namespace

Field sample_field(const Function& function, const FieldGrid& grid, const FieldOptions& options) {
    return sample(function, 0, grid, options, false);
}

Field sample_field(const Field& field, const FieldGrid& grid, const FieldOptions& options) {
    const Aabb box = grid.box(), solid = field.bounds();
    const bool is_inside = contains(box, solid.min) && contains(box, solid.max);
    return sample([&](const Vec3& point) { return field.evaluate(point); }, crossing_slack(field),
                  grid, options, is_inside);
}

}  // namespace graze

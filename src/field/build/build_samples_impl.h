// The steps of a build. A dense field gets every sample of the grid. A sparse one gets the coarse
// level, then the blocks near the surface, and their samples; no dense grid is ever made.
#pragma once

#include "field/build/build_samples.h"
#include "field/build/error_probe.h"
#include "field/build/mark_bricks_impl.h"
#include "field/build/mesh_source_impl.h"
#include "field/build/row_crossings_impl.h"
#include "field/build/store_sample.h"
#include "field/sampled/min_max_tree.h"
#include "parallel/reductions.h"

namespace graze {
namespace build_detail {

// Tells a user's callback how far the work is, and stops it where that says so.
class ProgressMeter {
public:
    explicit ProgressMeter(const Progress& progress) : progress_(progress) {}
    bool is_wanted() const { return static_cast<bool>(progress_); }
    void report(double fraction) const {
        if (progress_ && !progress_(fraction)) throw Error("stopped before the field was complete");
    }

private:
    const Progress& progress_;
};

// The tables that tell sides on one grid.
struct SignTables {
    explicit SignTables(Memory& memory) : rows(memory) {}
    RowCrossings rows;
};

template <class Executor>
SampleSign make_sign(Executor& executor, const MeshSource& source, FieldSign method,
                     const FieldGrid& grid, SignTables& tables) {
    SampleSign sign{method,
                    {},
                    (source.whole.triangles.size() > 0 ? source.whole : source.bvh).view(),
                    source.winding.moments.data(),
                    source.caps.view(),
                    source.cap_winding.moments.data()};
    if (method == FieldSign::shell) return sign;
    constexpr int kAlongX = 0;
    build_row_crossings(executor, source.positions.data(), source.triangles.data(),
                        source.triangles.size(), grid, kAlongX, tables.rows);
    sign.rows = tables.rows.view();
    return sign;
}

struct ErrorAt {
    const float* errors;
    GRAZE_HD float operator()(std::int64_t i) const { return errors[i]; }
};

// Returns 1 for a negative sample, else 0; samples are counted from first.
struct IsNegative {
    const float* values;
    const FirstOrderSample* samples;
    std::int64_t first;
    GRAZE_HD float operator()(std::int64_t i) const {
        const float value = values ? values[first + i] : float_from_half(samples[first + i].value);
        return value < 0 ? 1.0f : 0.0f;
    }
};

template <class Executor>
class Builder {
public:
    Builder(Executor& executor, const SamplePlan& plan, SampledField& field)
        : executor_(executor),
          plan_(plan),
          field_(field),
          progress_(plan.progress),
          source_(executor.memory()),
          doubts_(executor.memory()) {}

    SampleOutcome run(const Mesh& mesh) {
        progress_.report(0);
        field_.grid = plan_.grid;
        field_.order = plan_.order;
        field_.is_sparse = plan_.is_sparse;
        field_.is_surface_inside = true;
        field_.band = plan_.is_sparse ? plan_.band : 0;
        prepare_mesh(executor_, plan_.surface ? *plan_.surface : mesh, source_);
        if (plan_.surface) {
            // Sides are told by the whole mesh.
            upload(executor_, "field: copy positions", mesh.positions, source_.positions);
            upload(executor_, "field: copy triangles", mesh.triangles, source_.triangles);
        }
        if (plan_.sign == FieldSign::winding)
            prepare_winding(executor_, mesh, plan_.surface != nullptr, source_);
        slack_ = distance_slack(plan_.grid.box());
        progress_.report(0.05);
        fill();
        measure();
        build_min_max_tree(executor_, field_);
        progress_.report(1);
        SampleOutcome outcome = sum_doubts();
        outcome.has_inside = has_negative_sample();
        return outcome;
    }

private:
    StoreSample make_store(const SampleSign& sign) {
        return {source_.prepared.data(),
                sign,
                plan_.offset,
                field_.grid.spacing,
                field_.grid.samples(0),
                field_.grid.samples(0) * field_.grid.samples(1),
                nullptr,
                nullptr,
                nullptr};
    }

    // Fills in slices, so that progress can be told; without a callback, in one go.
    template <class FillSlice>
    void fill_slices(std::int64_t count, double from, double to, const FillSlice& fill_slice) {
        const std::int64_t slice =
            progress_.is_wanted() ? std::max<std::int64_t>(64, count / 64) : count;
        for (std::int64_t begin = 0; begin < count; begin += slice) {
            const std::int64_t end = std::min(begin + slice, count);
            fill_slice(begin, end);
            if (!progress_.is_wanted()) continue;
            executor_.wait();
            progress_.report(from + (to - from) * double(end) / double(count));
        }
    }
    void fill(const SampleCubes& cubes, const StoreSample& store, double from, double to) {
        fill_slices(cubes.count, from, to, [&](std::int64_t begin, std::int64_t end) {
            fill_cubes(executor_, source_, slack_, cubes, begin, end, store);
        });
    }

    // Makes counters of doubtful samples, one for each cube, where there can be any.
    std::uint32_t* make_doubts(std::int64_t cube_count) {
        if (plan_.sign != FieldSign::winding) return nullptr;
        doubts_.resize(cube_count);
        executor_.for_each("field: no doubts", cube_count, Fill<std::uint32_t>{doubts_.data(), 0});
        return doubts_.data();
    }

    void make_room(std::int64_t sample_count) {
        if (plan_.order == FieldOrder::zero) {
            field_.values.resize(sample_count);
        } else {
            field_.samples.resize(sample_count);
        }
    }

    void fill() {
        SignTables tables(executor_.memory());
        const SampleSign sign = make_sign(executor_, source_, plan_.sign, field_.grid, tables);
        if (plan_.is_sparse) {
            fill_coarse(sign);
            fill_sparse(sign);
        } else {
            fill_dense(sign);
        }
        executor_.wait();  // before the tables are given back
    }

    void fill_dense(const SampleSign& sign) {
        StoreSample store = make_store(sign);
        cubes_ = cubes_of(field_.grid);
        make_room(field_.grid.sample_count());
        store.values = field_.values.data();
        store.samples = field_.samples.data();
        store.doubts = make_doubts(cubes_.count);
        fill(cubes_, store, 0.1, 0.9);
    }

    void fill_coarse(const SampleSign& sign) {
        constexpr int kShift = 3;
        static_assert(kBrickCells == 1 << kShift);
        FieldGrid grid = field_.grid;
        grid.spacing *= kBrickCells;
        for (std::int32_t& cells : grid.cells)
            cells /= kBrickCells;
        field_.coarse.resize(grid.sample_count());
        StoreSample store = make_store(sign.coarser(kShift));
        store.row = grid.samples(0);
        store.plane = grid.samples(0) * grid.samples(1);
        store.values = field_.coarse.data();
        fill(cubes_of(grid), store, 0.05, 0.15);
    }

    void fill_sparse(const SampleSign& sign) {
        mark_bricks(executor_, source_, plan_.offset, field_);
        const std::int64_t bytes = field_.brick_count() * brick_bytes(plan_.order);
        if (bytes > plan_.memory_limit) {
            throw GridTooFine("the " + std::to_string(field_.brick_count()) +
                              " bricks near the surface take " + std::to_string(bytes >> 20) +
                              " MiB, more than the " + std::to_string(plan_.memory_limit >> 20) +
                              " MiB there are: use a lower resolution or a narrower band");
        }
        StoreSample store = make_store(sign);
        cubes_ = SampleCubes{
            field_.grid, kBrickSamples, {}, field_.block_of_brick.data(), field_.brick_count()};
        for (int axis = 0; axis < 3; ++axis)
            cubes_.counts[axis] = static_cast<std::int32_t>(block_count(field_.grid, axis));
        make_room(field_.brick_count() * kBrickSize);
        store.row = 0;
        store.values = field_.values.data();
        store.samples = field_.samples.data();
        store.doubts = make_doubts(cubes_.count);
        if constexpr (Executor::kIsHost) {
            // A sample that bricks share is computed once. Doubts are counted by brick, which takes
            // all of its samples.
            if (!store.doubts) cubes_.index_of_cube = field_.brick_of_block.data();
            fill_and_measure(store);
        } else {
            fill(cubes_, store, 0.2, 0.9);
        }
    }

    // On the host, the errors of bricks are measured right after each brick is filled.
    void fill_and_measure(const StoreSample& store) {
        SignTables tables(executor_.memory());
        BrickErrors errors{};
        if (plan_.measures_error) {
            field_.errors.resize(cubes_.count);
            errors = {field_.view(), make_sign_of_centres(tables), field_.errors.data()};
        }
        Buffer<std::uint8_t> is_filled(executor_.memory(), cubes_.count);
        executor_.for_each("field: no bricks", cubes_.count,
                           Fill<std::uint8_t>{is_filled.data(), 0});
        fill_slices(cubes_.count, 0.2, 0.9, [&](std::int64_t begin, std::int64_t end) {
            fill_bricks(executor_, source_, slack_, cubes_, begin, end, store, errors,
                        is_filled.data());
        });
    }

    SampleSign make_sign_of_centres(SignTables& tables) {
        return make_sign(executor_, source_, plan_.sign, grid_of_centres(field_.grid), tables);
    }

    void measure() {
        const std::int64_t count =
            field_.is_sparse ? field_.brick_count() : block_count(field_.grid);
        field_.errors.resize(count);
        float* errors = field_.errors.data();
        if (!plan_.measures_error) {
            const float bound = certain_error(field_.view(), length(extent(field_.grid.box())));
            executor_.for_each("field: bound errors", count, Fill<float>{errors, bound});
            field_.error = bound;
            return;
        }
        SignTables tables(executor_.memory());
        if (!(Executor::kIsHost && field_.is_sparse)) {
            measure_errors(executor_, source_, slack_, field_, make_sign_of_centres(tables),
                           plan_.offset, errors);
        }
        Buffer<float> largest(executor_.memory(), 1);
        executor_.reduce("field: largest error", count, ErrorAt{errors}, LargerValue{}, 0.0f,
                         largest.data());
        field_.error = executor_.read(largest.data());
    }

    // The host looks at a chunk of samples at a time, as mostly one of the first ones is negative.
    bool has_negative_sample() {
        const std::int64_t count = std::max(field_.values.size(), field_.samples.size());
        const std::int64_t chunk = Executor::kIsHost ? std::int64_t{1} << 16 : count;
        Buffer<float> found(executor_.memory(), 1);
        for (std::int64_t first = 0; first < count; first += chunk) {
            executor_.reduce("field: find inside", std::min(chunk, count - first),
                             IsNegative{field_.values.data(), field_.samples.data(), first},
                             LargerValue{}, 0.0f, found.data());
            if (executor_.read(found.data()) > 0) return true;
        }
        return false;
    }

    SampleOutcome sum_doubts() {
        SampleOutcome outcome;
        if (doubts_.is_empty()) return outcome;
        std::vector<std::uint32_t> counts(static_cast<std::size_t>(doubts_.size()));
        std::vector<std::int32_t> chosen(static_cast<std::size_t>(field_.brick_count()));
        executor_.copy_to_host("field: doubts", doubts_.data(), counts.data(), doubts_.size());
        executor_.copy_to_host("field: bricks", field_.block_of_brick.data(), chosen.data(),
                               field_.brick_count());
        executor_.wait();
        SampleCubes cubes = cubes_;
        if (cubes.chosen) cubes.chosen = chosen.data();
        for (std::size_t n = 0; n < counts.size(); ++n) {
            if (counts[n] == 0) continue;
            outcome.doubtful_count += counts[n];
            const Vec3i first = cubes.first_sample(static_cast<std::int64_t>(n));
            const Vec3i last = first + Vec3i{cubes.side - 1, cubes.side - 1, cubes.side - 1};
            const Aabb box{cubes.position(first),
                           min_of(cubes.position(last), cubes.grid.box().max)};
            outcome.doubtful_box = merge(outcome.doubtful_box, box);
        }
        return outcome;
    }

    Executor& executor_;
    const SamplePlan& plan_;
    SampledField& field_;
    ProgressMeter progress_;
    MeshSource source_;
    float slack_ = 0;
    SampleCubes cubes_{};
    Buffer<std::uint32_t> doubts_;
};

}  // namespace build_detail

template <class Executor>
SampleOutcome build_samples(Executor& executor, const Mesh& mesh, const SamplePlan& plan,
                            SampledField& field) {
    return build_detail::Builder<Executor>(executor, plan, field).run(mesh);
}

}  // namespace graze

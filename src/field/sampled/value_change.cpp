#include "field/sampled/value_change.h"

#include <limits>
#include <vector>

#include "core/grid_coordinates.h"
#include "core/lanes.h"
#include "field/sampled/evaluate_sampled.h"
#include "parallel/reductions.h"

namespace graze {
namespace value_change_detail {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr float kRange = 16;  // [voxels] B, where there is no band
// How much further than by its edges, faces and diagonals one can go, times K: in the worst
// direction the root of 1 + (sqrt(2) - 1)^2 + (sqrt(3) - sqrt(2))^2.
constexpr float kDetour = 1.1282f;

// In the unit of the samples, but for changes, which are by the way. Each is the largest.
struct Measured {
    float near = 0, full = 0;                    // change: in the range, and of all
    float bend_near[3] = {}, bend_full[3] = {};  // differences of slopes along their axes
    float jump = 0;                              // of a change, by which it is more than the way
    float excess = 0;      // of a change but for the sign, by which samples are of no distance
    float other_sign = 0;  // on the faces of the box, of the sign that the first sample has not
    float broken = 0;      // 1 where bricks do not fit together, 2 where not to the coarse level
};

struct MergeMeasured {
    Measured operator()(Measured a, const Measured& b) const {
        a.near = max_of(a.near, b.near);
        a.full = max_of(a.full, b.full);
        for (int axis = 0; axis < 3; ++axis) {
            a.bend_near[axis] = max_of(a.bend_near[axis], b.bend_near[axis]);
            a.bend_full[axis] = max_of(a.bend_full[axis], b.bend_full[axis]);
        }
        a.jump = max_of(a.jump, b.jump);
        a.excess = max_of(a.excess, b.excess);
        a.other_sign = max_of(a.other_sign, b.other_sign);
        a.broken = max_of(a.broken, b.broken);
        return a;
    }
};

// The eight lanes of what Measured has of changes.
struct Lanes {
    Float8 near{}, full{}, jump{}, excess{};
    Int8 is_bad{};
};

template <class T>
GRAZE_INLINE T clamped(T value, T range) {
    return min_of(max_of(value, -range), range);
}

// Compares two rows, pair by pair; way: how far the two of a pair are apart.
void compare_rows(const float* a, const float* b, std::int64_t count, float way, float range,
                  Measured& sum) {
    const Float8 ways = spread<Float8>(way), ranges = spread<Float8>(range);
    const Float8 tolerance = spread<Float8>(0x1p-10f), endless = spread<Float8>(0x1p126f);
    Lanes lanes;
    const auto compare = [&](Float8 va, Float8 vb) {
        const Float8 difference = abs_of(va - vb);
        lanes.is_bad |= ~(difference < endless);
        lanes.full = max_of(difference, lanes.full);
        lanes.near = max_of(abs_of(clamped(va, ranges) - clamped(vb, ranges)), lanes.near);
        const Float8 size_a = abs_of(va), size_b = abs_of(vb);
        // Halves round by a fraction of what they hold.
        const Float8 allowed = ways * 1.001f + tolerance * max_of(size_a, size_b);
        lanes.jump = max_of(difference - allowed, lanes.jump);
        lanes.excess = max_of(abs_of(size_a - size_b) - allowed, lanes.excess);
    };
    std::int64_t i = 0;
    for (; i + kLaneCount <= count; i += kLaneCount)
        compare(load_lanes(a + i), load_lanes(b + i));
    if (i < count) {
        Float8 va{}, vb{};
        for (int lane = 0; i + lane < count; ++lane) {
            va[lane] = a[i + lane];
            vb[lane] = b[i + lane];
        }
        compare(va, vb);
    }
    const float inverse = 1 / way;
    for (int lane = 0; lane < kLaneCount; ++lane) {
        sum.near = max_of(sum.near, lanes.near[lane] * inverse);
        sum.full =
            max_of(sum.full, lanes.is_bad[lane] != 0 ? kInfinite : lanes.full[lane] * inverse);
        sum.jump = max_of(sum.jump, lanes.jump[lane]);
        sum.excess = max_of(sum.excess, lanes.excess[lane]);
    }
}

// Where values are in boxes of rows: a dense grid, bricks, or the coarse level.
struct Rows {
    const float* values;  // one of the two is null
    const FirstOrderSample* samples;
    std::int64_t size[3];  // of a box, in samples
    float way;             // between neighbours, in the unit of values
    float range;           // B in that unit
    float slope_range;     // of the values whose slopes count as near
    float side;            // the first sample's, where the box is the whole grid; else 0

    // Value i and the n - 1 after it; component 3 is the value, the others are slopes.
    const float* row(std::int64_t i, int component, float* room) const {
        if (values) return values + i;
        for (std::int64_t x = 0; x < size[0]; ++x) {
            const FirstOrderSample& s = samples[i + x];
            room[x] = float_from_half(component == 3 ? s.value : s.slope[component]);
        }
        return room;
    }
};

struct MeasureRow {
    Rows rows;

    Measured operator()(std::int64_t row) const {
        static thread_local std::vector<float> room;
        const std::int64_t n = rows.size[0], y = row % rows.size[1],
                           z = row / rows.size[1] % rows.size[2];
        room.resize(static_cast<std::size_t>(4 * n));
        const std::int64_t first = row * n;
        Measured sum;
        const float* own = rows.row(first, 3, room.data());
        compare_rows(own, own + 1, n - 1, rows.way, rows.range, sum);
        constexpr int kSteps[4][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
        for (const auto& step : kSteps) {
            if (y + step[0] < 0 || y + step[0] >= rows.size[1] || z + step[1] >= rows.size[2])
                continue;
            const std::int64_t other_first = first + n * (step[0] + rows.size[1] * step[1]);
            const float* other = rows.row(other_first, 3, room.data() + n);
            const bool is_edge = step[0] == 0 || step[1] == 0;
            compare_rows(own, other, n, rows.way * (is_edge ? 1.0f : 1.41421354f), rows.range, sum);
            const float way = rows.way * (is_edge ? 1.41421354f : 1.7320508f);
            compare_rows(own, other + 1, n - 1, way, rows.range, sum);
            compare_rows(own + 1, other, n - 1, way, rows.range, sum);
            if (is_edge && !rows.values) {
                const int axis = step[0] == 1 ? 1 : 2;
                compare_slopes(axis, own, rows.row(first, axis, room.data() + 2 * n), other,
                               rows.row(other_first, axis, room.data() + 3 * n), n, sum);
            }
        }
        if (!rows.values) {
            const float* slopes = rows.row(first, 0, room.data() + 2 * n);
            compare_slopes(0, own, slopes, own + 1, slopes + 1, n - 1, sum);
        }
        if (rows.side != 0) {
            const bool is_face = y == 0 || z == 0 || y + 1 == rows.size[1] || z + 1 == rows.size[2];
            for (std::int64_t x = 0; x < n; x += is_face ? 1 : n - 1)
                sum.other_sign = max_of(sum.other_sign, -rows.side * own[x]);
        }
        return sum;
    }

private:
    void compare_slopes(int axis, const float* value_a, const float* slope_a, const float* value_b,
                        const float* slope_b, std::int64_t count, Measured& sum) const {
        for (std::int64_t x = 0; x < count; ++x) {
            const float difference = std::fabs(slope_a[x] - slope_b[x]);
            const float bend = difference < 0x1p126f ? difference : kInfinite;
            sum.bend_full[axis] = max_of(sum.bend_full[axis], bend);
            const float largest = max_of(std::fabs(value_a[x]), std::fabs(value_b[x]));
            if (!(largest > rows.slope_range))
                sum.bend_near[axis] = max_of(sum.bend_near[axis], bend);
        }
    }
};

// Whether a brick has its neighbours' values where it meets them.
struct MeasureBrick {
    const SampledFieldView& field;
    const std::int32_t* block_of_brick;
    float unit;   // of a voxel, in the unit of values
    float range;  // B in that unit
    float side;   // the first sample's

    float value(std::int64_t brick, const int (&at)[3]) const {
        const std::int64_t i = brick * kBrickSize + at[0] + kBrickSamples * at[1] +
                               std::int64_t{kBrickSamples} * kBrickSamples * at[2];
        return field.values ? field.values[i] : float_from_half(field.samples[i].value);
    }
    float coarse(std::int64_t x, std::int64_t y, std::int64_t z) const {
        const float metres = field.coarse[x + (block_count(field.grid, 0) + 1) *
                                                  (y + (block_count(field.grid, 1) + 1) * z)];
        return metres * (unit / field.grid.spacing);
    }

    Measured operator()(std::int64_t brick) const {
        Measured sum;
        const GridCoordinates block = coordinates_of(
            block_of_brick[brick], block_count(field.grid, 0), block_count(field.grid, 1));
        for (int corner = 0; corner < 8; ++corner) {
            const int side_of[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
            const int at[3] = {8 * side_of[0], 8 * side_of[1], 8 * side_of[2]};
            const float off = value(brick, at) - coarse(block.x + side_of[0], block.y + side_of[1],
                                                        block.z + side_of[2]);
            if (!(std::fabs(off) <= 3 * unit)) sum.broken = 2;
        }
        for (int n = 0; n < 27; ++n) {
            if (n != 13) meet(brick, block, {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1}, sum);
        }
        return sum;
    }

private:
    void meet(std::int64_t brick, const GridCoordinates& block, const Vec3i& way,
              Measured& sum) const {
        const std::int64_t beside[3] = {block.x + way.x, block.y + way.y, block.z + way.z};
        bool is_in_grid = true;
        int low[3], high[3];
        for (int axis = 0; axis < 3; ++axis) {
            is_in_grid =
                is_in_grid && beside[axis] >= 0 && beside[axis] < block_count(field.grid, axis);
            low[axis] = way[axis] > 0 ? kBrickCells : 0;
            high[axis] = way[axis] < 0 ? 0 : kBrickCells;
        }
        std::int32_t other = -1;
        float sign = -side;  // beyond the grid: how far values are of the other side
        if (is_in_grid) {
            const std::int32_t index[3] = {static_cast<std::int32_t>(beside[0]),
                                           static_cast<std::int32_t>(beside[1]),
                                           static_cast<std::int32_t>(beside[2])};
            other = field.brick_of_block[block_index(field.grid, index)];
            if (other >= 0 && other < brick) return;  // which has looked at it
            sign = coarse(beside[0], beside[1], beside[2]) < 0 ? -1.0f : 1.0f;
        }
        for (int z = low[2]; z <= high[2]; ++z) {
            for (int y = low[1]; y <= high[1]; ++y) {
                for (int x = low[0]; x <= high[0]; ++x) {
                    const int at[3] = {x, y, z};
                    const float own = value(brick, at);
                    if (other >= 0) {
                        const int there[3] = {x - 8 * way.x, y - 8 * way.y, z - 8 * way.z};
                        if (!(value(other, there) == own)) sum.broken = max_of(sum.broken, 1.0f);
                    } else if (is_in_grid) {
                        if (!(own * sign >= range)) sum.broken = max_of(sum.broken, 1.0f);
                    } else {
                        sum.other_sign = max_of(sum.other_sign, own * sign);
                    }
                }
            }
        }
    }
};

// 1 where the corners of a block without a brick are not all of one sign.
struct HasTwoSigns {
    const SampledFieldView& field;

    float operator()(std::int64_t block) const {
        if (field.brick_of_block[block] >= 0) return 0;
        const std::int64_t size[2] = {block_count(field.grid, 0), block_count(field.grid, 1)};
        const GridCoordinates at = coordinates_of(block, size[0], size[1]);
        int negative = 0, positive = 0;
        for (int corner = 0; corner < 8; ++corner) {
            const float value =
                field.coarse[at.x + (corner & 1) +
                             (size[0] + 1) * (at.y + (corner >> 1 & 1) +
                                              (size[1] + 1) * (at.z + (corner >> 2)))];
            negative += value < 0 ? 1 : 0;
            positive += value > 0 ? 1 : 0;
        }
        return negative == 8 || positive == 8 ? 0.0f : 1.0f;
    }
};

Measured measure_rows(CpuExecutor& executor, const Rows& rows, std::int64_t box_count) {
    Measured result;
    executor.reduce("field: change", box_count * rows.size[1] * rows.size[2], MeasureRow{rows},
                    MergeMeasured{}, Measured{}, &result);
    return result;
}

}  // namespace value_change_detail

ValueChange measure_change(CpuExecutor& executor, const SampledField& field) {
    using namespace value_change_detail;
    const SampledFieldView view = field.view();
    const float voxel = view.grid.spacing;
    const float unit = view.order == FieldOrder::zero ? voxel : 1.0f;
    // Rounding to halves may take samples at the band below it.
    const float range = view.is_sparse ? min_of(kRange, view.band / voxel * (1 - 0x1p-9f)) : kRange;
    const float first = detail::first_sample(view) < 0 ? -1.0f : 1.0f;
    const float side = view.is_surface_inside ? first : 0.0f;

    Measured all;
    float coarse_change = 0;
    if (view.is_sparse) {
        all = measure_rows(executor,
                           {view.values,
                            view.samples,
                            {kBrickSamples, kBrickSamples, kBrickSamples},
                            unit,
                            range * unit,
                            kRange * unit,
                            0},
                           field.brick_count());
        Measured between;
        executor.reduce("field: bricks", field.brick_count(),
                        MeasureBrick{view, field.block_of_brick.data(), unit, range * unit, side},
                        MergeMeasured{}, Measured{}, &between);
        const Measured coarse =
            measure_rows(executor,
                         {view.coarse,
                          nullptr,
                          {block_count(view.grid, 0) + 1, block_count(view.grid, 1) + 1,
                           block_count(view.grid, 2) + 1},
                          kBrickCells * voxel,
                          range * voxel,
                          range * voxel,
                          side},
                         1);
        float has_two_signs = 0;
        executor.reduce("field: signs", block_count(view.grid), HasTwoSigns{view}, LargerValue{},
                        0.0f, &has_two_signs);
        all.broken = max_of(between.broken, has_two_signs);
        all.other_sign = max_of(between.other_sign, coarse.other_sign * (unit / voxel));
        all.jump = max_of(all.jump, coarse.jump);
        all.excess = max_of(all.excess, coarse.excess);
        coarse_change = coarse.full;
    } else {
        all = measure_rows(executor,
                           {view.values,
                            view.samples,
                            {view.grid.samples(0), view.grid.samples(1), view.grid.samples(2)},
                            unit,
                            range * unit,
                            kRange * unit,
                            side},
                           1);
    }

    // In voxels from here on. The factor covers the rounding of what is computed with the bounds.
    constexpr float kMore = 1 + 0x1p-16f, kRounding = 0x1p-8f;
    const float bend_near = 0.25f * (all.bend_near[0] + all.bend_near[1] + all.bend_near[2]);
    const float bend_full = 0.25f * (all.bend_full[0] + all.bend_full[1] + all.bend_full[2]);
    const auto lost = [](float change) {
        return 0.866026f * std::sqrt(max_of(change * change - 1, 0.0f));
    };
    ValueChange result{};
    result.is_distance = !(all.excess > 0) && all.full < kInfinite && coarse_change < kInfinite;
    result.per_way = max_of(kDetour * all.near * kMore, 1.0f);
    result.spread = 0.866026f * voxel;
    result.rest =
        (2 * bend_near + lost(all.near) + all.other_sign / unit + kRounding) * kMore * voxel;
    const float reach = range - 1.7321f * all.near * kMore - bend_full - kRounding;
    const bool is_known = all.full < kInfinite && all.broken == 0 && reach > 0;
    result.reach = is_known ? reach * voxel : -1.0f;
    result.band = kInfinite;

    // The samples of a distance say more than what neighbours do.
    if (result.is_distance && !(all.jump > 0) && all.broken < 2) {
        result.per_way = 1 + 0x1p-14f;
        result.rest = (2 * bend_near + all.other_sign / unit + kRounding) * kMore * voxel;
        result.reach = (kRange - 1.75f - bend_full - kRounding) * voxel;
        result.band = view.is_sparse ? view.band * (1 - 0x1p-9f) : kInfinite;
    }

    const float change = max_of(max_of(all.full, coarse_change), 1.0f);
    const bool is_known_far = change < kInfinite && all.broken < 2;
    result.per_way_far = is_known_far ? kDetour * change * kMore : kInfinite;
    result.rest_far = (36 * result.per_way_far + 2 * bend_full + 8 * lost(change) +
                       all.other_sign / unit + kRounding) *
                      kMore * voxel;
    if (view.is_sparse) result.rest_far = max_of(result.rest_far, view.band);
    return result;
}

}  // namespace graze

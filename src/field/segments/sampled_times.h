// walk_samples: along any straight path, every time when the value of a sampled field passes a
// level, also beyond the grid's box.
//
// Beyond the box the samples say little, and evaluate() gives a lower bound of the distance. By it
// a path would be inside where only the bound allows it. Here the value is an estimate:
// - Where all of the surface is in the box, let c be the closest point of the box, b the way from c
//   to the point, and e the distance at c, towards the surface. The surface's closest point to c is
//   about c - e, and the estimate is the distance |e + b| from there, where components of e against
//   b count as none. It is at least the root of b^2 + e^2, as the bound is, and at most b + e. Both
//   ends are attained, so it is off by at most b + e less the root, plus how far e is off. It is
//   searched in steps of half a voxel at least, and of 2^-12 of the path: what is inside for less
//   may be missed there.
// - Where the surface may leave the box, the value is that at c: the samples of the box's faces go
//   on. That is a path of straight parts on the faces, which GridWalk walks exactly.
#pragma once

#include "field/segments/grid_walk.h"

namespace graze {

// [m] The estimate of the distance at a point, anywhere.
GRAZE_HD inline float estimate_distance(const SampledFieldView& field, const Vec3& point) {
    const detail::CellCorners corners =
        detail::find_corners(field, detail::find_cell(field.grid, point));
    detail::Blend blend;
    if (corners.is_coarse) {
        blend = detail::blend_values(field.coarse + corners.first, corners.stride_y,
                                     corners.stride_z, corners.t, field.grid.spacing * kBrickCells);
        const float least = max_of(std::fabs(blend.value), field.band);
        blend.value = blend.value < 0 ? -least : least;
    } else {
        blend = detail::evaluate_in_grid(field, corners);
    }
    const Aabb box = field.grid.box();
    const Vec3 beyond = point - min_of(max_of(point, box.min), box.max);
    const float beyond_sq = length_sq(beyond);
    if (beyond_sq == 0 || !field.is_surface_inside) return blend.value;
    const float side = detail::first_sample(field) < 0 ? -1.0f : 1.0f;
    // At the box the surface may touch it, and interpolation may have the sign wrong.
    const float at_box = max_of(side * blend.value, 0.0f);
    const Vec3 away = detail::unit_or_zero(blend.gradient) * (side * at_box);
    float sum_sq = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const float part = (away[axis] * beyond[axis] < 0 ? 0.0f : away[axis]) + beyond[axis];
        sum_sq += part * part;
    }
    return side * std::sqrt(max_of(sum_sq, beyond_sq + at_box * at_box));
}

namespace sampled_times_detail {

// A path beyond the box of a field with all of its surface inside.
template <class Changes>
GRAZE_NOINLINE bool walk_beyond(const SampledFieldView& field, const GridLine& line,
                                const Vec3& from, const Vec3& to, const FieldLevel& level,
                                float begin, float end, Changes& changes) {
    // The estimate is farther from zero than the box is away.
    const bool is_negative = detail::first_sample(field) < 0;
    const bool far_is_inside = is_negative == (level.orientation > 0);
    const float reach = is_negative ? -level.voxels : level.voxels;
    const auto become = [&](bool inside, float time) {
        if (changes.is_known() && changes.is_inside() == inside) return true;
        return changes.become(inside, time);
    };
    TimeRange near{end, end};
    if (reach > 0) {
        near = times_in_box(line, field.grid.cells, reach * (1 + 0x1p-20f));
        near = {max_of(near.begin, begin), min_of(near.end, end)};
    }
    if (near.is_empty() || !(reach > 0)) return become(far_is_inside, begin);
    if (near.begin > begin && !become(far_is_inside, begin)) return false;

    const Vec3 path = to - from;
    const float path_length = length(path);
    const auto value_at = [&](float time) {
        return (estimate_distance(field, from + path * time) - level.metres) * level.orientation;
    };
    // Clear steps: the point's way from the box and the distance at the box change by no more than
    // the path, so that neither end of the estimate's range reaches the level.
    const float off = 2 * field.grid.spacing * (field.is_sparse ? 7.0f : 1.4f);
    const float least_step = max_of(0.5f * field.grid.spacing, path_length * 0x1p-12f);
    const float inverse_length = path_length > 0 ? 1 / path_length : 0.0f;
    const Aabb box = field.grid.box();
    float time = near.begin, value = value_at(time);
    if (!become(value <= 0, time)) return false;
    while (time < near.end) {
        const Vec3 point = from + path * time;
        const Vec3 closest = min_of(max_of(point, box.min), box.max);
        const float beyond = distance(point, closest);
        const float at_box = std::fabs(estimate_distance(field, closest));
        const float far = std::fabs(level.metres);
        const float root = std::sqrt(beyond * beyond + at_box * at_box);
        const float clear = max_of((root - far) * 0.7f, (far - beyond - at_box) * 0.5f) - off;
        const float step = max_of(clear, least_step);
        const float next =
            path_length > 0 ? min_of(time + step * inverse_length, near.end) : near.end;
        const float next_value = value_at(next);
        if ((next_value <= 0) != (value <= 0)) {
            float low = time, high = next;
            for (int i = 0; i < 24; ++i) {
                const float middle = 0.5f * (low + high);
                ((value_at(middle) <= 0) == (value <= 0) ? low : high) = middle;
            }
            if (!become(next_value <= 0, high)) return false;
        }
        if (!(next > time)) break;
        time = next;
        value = next_value;
    }
    return near.end < end ? become(far_is_inside, near.end) : true;
}

}  // namespace sampled_times_detail

template <SegmentWalk kWalk, CellRule kRule, FieldOrder kOrder>
struct SampleWalk {
    const SampledFieldView& field;
    Vec3 from, to;  // [m] in the field's frame
    FieldLevel level;

    // Reports all changes from a time on. Returns false where `changes` stopped it.
    template <class Changes>
    GRAZE_INLINE bool run(float begin, Changes& changes) const {
        const GridLine line = make_grid_line(field.grid, from, to);
        const TimeRange in_box = times_in_box(line, field.grid.cells, 0);
        if (!(in_box.begin < in_box.end)) return run_beyond(line, begin, 1, changes);
        if (begin < in_box.begin) {
            if (!run_beyond(line, begin, in_box.begin, changes)) return false;
            begin = in_box.begin;
        }
        if (begin < in_box.end) {
            if (!run_inside(line, begin, in_box.end, changes)) return false;
            begin = in_box.end;
        }
        return begin < 1 ? run_beyond(line, begin, 1, changes) : true;
    }

    // The part of a path, `line` in the grid, that is beyond the box from one time to another.
    template <class Changes>
    GRAZE_NOINLINE bool run_beyond(const GridLine& line, float begin, float end,
                                   Changes& changes) const {
        if (field.is_surface_inside) {
            return sampled_times_detail::walk_beyond(field, line, from, to, level, begin, end,
                                                     changes);
        }
        // Each part ends where a coordinate enters or leaves the range of the box.
        for (int part = 0; part < 7 && begin < end; ++part) {
            float next = end;
            for (int axis = 0; axis < 3; ++axis) {
                if (line.step[axis] == 0) continue;
                for (int side = 0; side < 2; ++side) {
                    const float time =
                        line.time_of_plane(axis, side == 0 ? 0 : field.grid.cells[axis]);
                    if (time > begin && time < next) next = time;
                }
            }
            GridLine on_box = line;
            const float middle = 0.5f * (begin + next);
            for (int axis = 0; axis < 3; ++axis) {
                const float x = line.position(axis, middle);
                const float last = static_cast<float>(field.grid.cells[axis]);
                if (x < 0 || x > last) set_axis(on_box, axis, x < 0 ? 0.0f : last, 0);
            }
            if (!run_inside(on_box, begin, next, changes)) return false;
            begin = next;
        }
        return true;
    }

private:
    // One copy serves the box and its faces.
    template <class Changes>
    GRAZE_NOINLINE bool run_inside(const GridLine& line, float begin, float end,
                                   Changes& changes) const {
        return GridWalk<kWalk, kRule, kOrder, Changes>(field, line, level, changes).run(begin, end);
    }
};

}  // namespace graze

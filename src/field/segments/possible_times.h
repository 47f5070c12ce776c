// first_possible: when a path may first be inside, by the bounds of cubes of the min/max tree. It
// stops at the first cube of 4 x 4 x 4 cells that is not certainly outside.
//
// Values are what evaluate() gives. Beyond the box of a field with all of its surface inside they
// are at least as far from zero as the box is away; where the surface may leave the box, all that
// is beyond the box is possible.
#pragma once

#include "field/segments/cube_walk.h"

namespace graze {

class PossibleWalk : private CubeWalk {
public:
    using CubeWalk::CubeWalk;

    GRAZE_INLINE float first(float begin, float end) {
        start(begin, end);
        const int top = field_->tree.level_count - 1;
        if (top < 0) return begin;   // there is no tree
        int depth = min_of(top, 3);  // as GridWalk by the tree
        while (!is_done_) {
            const int side = side_of_cube<true>(depth);
            if (side <= 0) {
                if (side < 0 || depth == 0) return time_;
                --depth;
                continue;
            }
            const std::int32_t before[3] = {cell_[0], cell_[1], cell_[2]};
            std::int32_t low[3], size[3];
            for (int axis = 0; axis < 3; ++axis) {
                size[axis] = kMinMaxLeafCells << depth;
                low[axis] = cell_[axis] & ~(size[axis] - 1);
            }
            leave(low, size);
            const bool leaves_parent =
                ((before[0] ^ cell_[0]) | (before[1] ^ cell_[1]) | (before[2] ^ cell_[2])) >>
                    (3 + depth) !=
                0;
            if (leaves_parent && depth < top) ++depth;
        }
        return kNever;
    }
};

// The path is in the field's frame [m].
GRAZE_HD inline float first_possible(const SampledFieldView& field, const Vec3& from,
                                     const Vec3& to, const FieldLevel& level) {
    const GridLine line = make_grid_line(field.grid, from, to);
    const TimeRange in_box = times_in_box(line, field.grid.cells, 0);
    const bool meets_box = !in_box.is_empty();
    float beyond = kNever;  // the first time that is possible beyond the box
    if (!meets_box || in_box.begin > 0 || in_box.end < 1) {
        const bool is_negative = detail::first_sample(field) < 0;
        const float reach = is_negative ? -level.voxels : level.voxels;
        const float first = !meets_box || in_box.begin > 0 ? 0.0f : in_box.end;
        if (!field.is_surface_inside || is_negative == (level.orientation > 0)) {
            beyond = first;
        } else if (reach >= 0) {
            const TimeRange near =
                times_in_box(line, field.grid.cells, reach * (1 + 0x1p-16f) + 0x1p-10f);
            if (!near.is_empty()) beyond = max_of(near.begin, first);
            if (beyond > near.end) beyond = kNever;
        }
    }
    if (!meets_box || beyond <= in_box.begin) return beyond;
    return min_of(beyond, PossibleWalk(field, line, level).first(in_box.begin, in_box.end));
}

}  // namespace graze

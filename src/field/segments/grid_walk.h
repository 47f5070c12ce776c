// GridWalk: along a path within the box of a sampled field, every time when its value passes a
// level, in one of three ways.
//
// All three visit cells by the same arithmetic, and leave out only cells whose polynomials
// certainly do not change their sign, so they report the same changes:
// - cells visits each cell that the path goes through (Xu and Barbic's uniform walk).
// - tree leaves out the largest cube of the min/max tree that cannot hold the level (their octree).
//   It starts in the middle of the tree, goes down where a cube may hold the level, and up by one
//   where it leaves a parent, not from the root each time.
// - distance goes farther than the cube where it can: a path of length s changes the value by s
//   times the steepness at most (field_steepness.h), so that it is clear for as long as that is
//   less than how far the cube's bounds are from the level, less a slack. The slack is two
//   differences of the interpolated value from the blend of samples, which order 1 has: 3/4 of a
//   voxel each. In a sparse field the path may lead through blocks without bricks. There the
//   samples at the corners of blocks go on, and those of bricks differ from the closest of them by
//   at most 12 steps along axes, at both ends of the path, which itself is longer by the two ways
//   to the corners, 2 * 6.93 voxels.
//   Where the steepness is not known, only the cube itself is left out.
//
// Within one of the smallest cubes, tree and distance visit only cells in which the cube's plane
// (leaf_planes.h), where there are planes, allows the level.
//
// A block of a sparse field without a brick is one cell, of its coarse corners. Its value is their
// blend, not nearer to zero than the band. (The lower bound that evaluate() gives there is never
// larger: with weights w and W = sum w d, it is the root of W^2 + var(d) - var(x), and as distances
// change by no more than positions, var(d) <= var(x).) Where the level is within the band, nothing
// crosses there, and the sign is all that matters. Elsewhere the level is deep: bounds of cubes are
// those of what evaluate() gives, which is nearer to zero, so they tell only that a cube is
// farther than the level.
#pragma once

#include "field/segments/cell_crossings.h"
#include "field/segments/cube_walk.h"

namespace graze {

template <SegmentWalk kWalk, CellRule kRule, FieldOrder kOrder, class Changes>
class GridWalk : private CubeWalk {
public:
    GRAZE_INLINE GridWalk(const SampledFieldView& field, const GridLine& line,
                          const FieldLevel& level, Changes& changes)
        : CubeWalk(field, line, level), changes_(changes) {}
    GRAZE_INLINE GridWalk(const GridLine& line, const FieldLevel& level, Changes& changes)
        : CubeWalk(line, level), changes_(changes) {}

    // Walks from one time to another, both in the box. Returns false where `changes` stopped it.
    GRAZE_INLINE bool run(float begin, float end) {
        // A field that was filled by hand or loaded may have no tree.
        if (kWalk == SegmentWalk::cells || field_->tree.level_count == 0) {
            start(begin, end);
            return run_by_cells();
        }
        start_looks(begin, end);
        while (!is_done_) {
            if (!look()) return false;
        }
        return true;
    }

    // The same walk by the tree in single looks, for those who walk many paths side by side. Each
    // is at a cube of the tree, or at the next cells of a smallest one, and returns false where
    // `changes` stopped the walk.
    // first_depth: the level of the tree at which it begins, 0 where that is near the surface.
    GRAZE_INLINE void start_looks(float begin, float end, int first_depth = 3) {
        start(begin, end);
        depth_ = min_of(field_->tree.level_count - 1, first_depth);
        is_in_cube_ = false;
        if constexpr (kWalk == SegmentWalk::distance) inverse_speed_ = inverse_speed();
    }
    // Paths are in this field from now on.
    GRAZE_INLINE void go_to_field(const SampledFieldView& field) { field_ = &field; }
    GRAZE_INLINE bool is_done() const { return is_done_; }
    GRAZE_INLINE bool is_in_cube() const { return is_in_cube_; }
    GRAZE_INLINE bool look() { return is_in_cube_ ? look_at_cells() : look_at_cube(); }

    // Goes down where the cube may hold the level, else behind it.
    GRAZE_INLINE bool look_at_cube() {
        float clear = 0;
        const int side = side_of_cube(depth_, &clear);
        if (side == 0) {
            if (depth_ > 0) {
                --depth_;
            } else {
                enter_cube();
            }
            return true;
        }
        std::int32_t low[3], size[3];
        for (int axis = 0; axis < 3; ++axis) {
            size[axis] = kMinMaxLeafCells << depth_;
            low[axis] = cell_[axis] & ~(size[axis] - 1);
        }
        if (!be(side < 0)) return false;
        const float jump = kWalk == SegmentWalk::distance ? time_ + clear * inverse_speed_ : 0.0f;
        if (kWalk == SegmentWalk::distance && jump > time_of_exit(low, size)) {
            go_to(jump);
        } else {
            leave(low, size);
        }
        rise_from(low);
        return true;
    }

    // Visits cells of the smallest cube, as far as its plane leaves none out.
    GRAZE_INLINE bool look_at_cells() {
        const std::int32_t size[3] = {kMinMaxLeafCells, kMinMaxLeafCells, kMinMaxLeafCells};
        if (has_plane_ && changes_.is_known()) {
            const float side = changes_.is_inside() == (level_.orientation > 0) ? -1.0f : 1.0f;
            const float above = (plane_.height + plane_.rate * time_) * side - plane_.reach;
            if (above > 0) {
                const float fall = -plane_.rate * side;
                const float next = fall > 0 ? time_ + above / fall : kNever;
                if (next < time_of_exit(low_, size)) {
                    go_to(next);
                } else {
                    leave(low_, size);
                    leave_cube();
                    return true;
                }
                if (is_done_) return true;
            }
        }
        if (!visit_cells(low_, size, has_plane_)) return false;
        const bool stays =
            ((cell_[0] ^ low_[0]) | (cell_[1] ^ low_[1]) | (cell_[2] ^ low_[2])) < kMinMaxLeafCells;
        if (!has_plane_ || !stays) leave_cube();
        return true;
    }

private:
    GRAZE_INLINE bool run_by_cells() {
        while (!is_done_) {
            std::int32_t low[3], size[3];
            for (int axis = 0; axis < 3; ++axis) {
                low[axis] = field_->is_sparse ? cell_[axis] & ~(kBrickCells - 1) : 0;
                size[axis] = field_->is_sparse ? kBrickCells : field_->grid.cells[axis];
            }
            if (!visit_cells(low, size, false)) return false;
        }
        return true;
    }

    // Voxels of clear path to time; 0 where the steepness is not known.
    GRAZE_INLINE float inverse_speed() const {
        const float speed =
            std::sqrt(line_.path[0] * line_.path[0] + line_.path[1] * line_.path[1] +
                      line_.path[2] * line_.path[2]);
        return level_.steepness > 0 && speed > 0 ? (1 - 0x1p-18f) / (speed * level_.steepness)
                                                 : 0.0f;
    }
    GRAZE_INLINE void enter_cube() {
        is_in_cube_ = true;
        for (int axis = 0; axis < 3; ++axis)
            low_[axis] = cell_[axis] & ~(kMinMaxLeafCells - 1);
        const std::int64_t leaf = level_.planes ? leaf_of_cube() : -1;
        has_plane_ = leaf >= 0;
        if (has_plane_) plane_ = plane_path(level_.planes[leaf], line_, low_, level_);
    }
    GRAZE_INLINE void leave_cube() {
        is_in_cube_ = false;
        rise_from(low_);
    }
    // Goes up by one level where the way from a cell of the cube left the parent of that.
    GRAZE_INLINE void rise_from(const std::int32_t (&cell)[3]) {
        const std::int32_t way = (cell[0] ^ cell_[0]) | (cell[1] ^ cell_[1]) | (cell[2] ^ cell_[2]);
        const bool leaves_parent = way >> (3 + depth_) != 0;
        if (leaves_parent && depth_ < field_->tree.level_count - 1) ++depth_;
    }

    GRAZE_INLINE bool be(bool inside) {
        if (changes_.is_known() && changes_.is_inside() == inside) return true;
        return changes_.become(inside, time_);
    }

    // The index among leaves of the cube of 4 x 4 x 4 cells that the walk is in; below 0 where a
    // block has no brick.
    GRAZE_INLINE std::int64_t leaf_of_cube() const {
        const std::int32_t x = cell_[0] >> 2, y = cell_[1] >> 2, z = cell_[2] >> 2;
        if (!field_->is_sparse) {
            return x +
                   min_max_size(field_->grid, 0, 0) * (y + min_max_size(field_->grid, 0, 1) * z);
        }
        const std::int32_t block[3] = {x / 2, y / 2, z / 2};
        const std::int64_t brick = field_->brick_of_block[block_index(field_->grid, block)];
        return brick < 0 ? -1 : brick * 8 + (x & 1) + 2 * (y & 1) + 4 * (z & 1);
    }

    // Visits the cells of a cube along the path, or the first one only; the cube is in one block,
    // or the field is dense.
    GRAZE_INLINE bool visit_cells(const std::int32_t (&low)[3], const std::int32_t (&size)[3],
                                  bool only_first) {
        std::int64_t stride[3] = {1, kBrickSamples, kBrickSamples * kBrickSamples};
        std::int64_t corner;
        if (field_->is_sparse) {
            const std::int32_t block[3] = {cell_[0] / kBrickCells, cell_[1] / kBrickCells,
                                           cell_[2] / kBrickCells};
            const std::int32_t brick = field_->brick_of_block[block_index(field_->grid, block)];
            if (brick < 0) return visit_block(block);
            corner = std::int64_t{brick} * kBrickSize + (cell_[0] & (kBrickCells - 1)) +
                     (cell_[1] & (kBrickCells - 1)) * stride[1] +
                     (cell_[2] & (kBrickCells - 1)) * stride[2];
        } else {
            stride[1] = field_->grid.samples(0);
            stride[2] = stride[1] * field_->grid.samples(1);
            corner = cell_[0] + cell_[1] * stride[1] + cell_[2] * stride[2];
        }
        float next[3];
        std::int32_t last[3];
        for (int axis = 0; axis < 3; ++axis) {
            next[axis] = line_.exit(axis, cell_[axis], 1);
            last[axis] = line_.step[axis] > 0
                             ? min_of(low[axis] + size[axis], field_->grid.cells[axis]) - 1
                             : low[axis];
        }
        float begin = time_;
        for (;;) {
            const int axis = first_of(next);
            const float exit = min_of(min_of(next[0], next[1]), next[2]);
            const float end = min_of(exit, end_);
            if (end > begin) {
                if (!visit_cell(corner, stride, begin, end)) return false;
            }
            if (!(exit < end_)) {
                is_done_ = true;
                return true;
            }
            begin = exit;
            bool leaves = only_first;
            for_each_axis([&](int k) {
                if (k != axis) return;
                leaves = leaves || cell_[k] == last[k];
                cell_[k] += line_.step[k];
                corner += line_.step[k] * stride[k];
                next[k] = line_.exit(k, cell_[k], 1);
                is_done_ = cell_[k] < 0 || cell_[k] >= field_->grid.cells[k];
            });
            if (leaves) {
                time_ = begin;
                return true;
            }
        }
    }

    GRAZE_INLINE CellPath<> path_in(const std::int32_t (&cell)[3], float size, float begin,
                                    float end) const {
        CellPath<> path;
        for (int axis = 0; axis < 3; ++axis) {
            const float low = static_cast<float>(cell[axis]);
            path.in[axis] = min_of(max_of((line_.position(axis, begin) - low) * size, 0.0f), 1.0f);
            path.out[axis] = min_of(max_of((line_.position(axis, end) - low) * size, 0.0f), 1.0f);
        }
        return path;
    }

    template <int kDegree>
    GRAZE_INLINE bool report(LinePolynomial<kDegree> p, float begin, float end) {
        if (level_.orientation < 0) {
            for (int i = 0; i <= kDegree; ++i)
                p.c[i] = -p.c[i];
        }
        return visit_crossings<kRule>(p, begin, end, level_.rounding, changes_);
    }

    GRAZE_INLINE bool visit_cell(std::int64_t corner, const std::int64_t (&stride)[3], float begin,
                                 float end) {
        CellRows<> rows;
        const std::int64_t row[4] = {corner, corner + stride[1], corner + stride[2],
                                     corner + stride[1] + stride[2]};
        if constexpr (kOrder == FieldOrder::zero) {
            for (int r = 0; r < 4; ++r) {
                rows.value[2 * r] = field_->values[row[r]] - level_.value;
                rows.value[2 * r + 1] = field_->values[row[r] + 1] - level_.value;
            }
            if (stays_in_cell(rows)) return true;
            return report(blend_along(rows, path_in(cell_, 1, begin, end)), begin, end);
        } else {
            CellSlopes<> slopes;
            for (int i = 0; i < 8; ++i) {
                const FirstOrderSample s =
                    detail::load_sample(field_->samples + row[i / 2] + (i & 1));
                rows.value[i] = float_from_half(s.value) - level_.value;
                for (int axis = 0; axis < 3; ++axis)
                    slopes.slope[axis][i] = float_from_half(s.slope[axis]);
            }
            return report(blend_along(rows, slopes, path_in(cell_, 1, begin, end)), begin, end);
        }
    }

    // Whether a cell of order 0 has all corners on the walk's side of the level, by more than
    // rounding: a blend lies between its corners, so that nothing is crossed.
    GRAZE_INLINE bool stays_in_cell(const CellRows<>& rows) const {
        if (!changes_.is_known()) return false;
        float least = rows.value[0], most = rows.value[0];
        for (int i = 1; i < 8; ++i) {
            least = min_of(least, rows.value[i]);
            most = max_of(most, rows.value[i]);
        }
        const bool is_below = changes_.is_inside() == (level_.orientation > 0);
        return (is_below ? -most : least) > level_.margin * field_->grid.spacing;
    }

    // Visits a block without a brick, and leaves it.
    GRAZE_INLINE bool visit_block(const std::int32_t (&block)[3]) {
        std::int32_t low[3], size[3];
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = block[axis] * kBrickCells;
            size[axis] = kBrickCells;
        }
        const std::int64_t stride_y = block_count(field_->grid, 0) + 1;
        const std::int64_t stride_z = stride_y * (block_count(field_->grid, 1) + 1);
        const float* corner = field_->coarse + block[0] + block[1] * stride_y + block[2] * stride_z;
        const float end = min_of(time_of_exit(low, size), end_);
        time_ = time_of_entry(low, kBrickCells);
        if (!level_.is_deep) {
            if (end > time_ && !be((corner[0] < 0) == (level_.orientation > 0))) return false;
        } else if (end > time_) {
            CellRows<> rows;
            for (int i = 0; i < 8; ++i) {
                rows.value[i] =
                    corner[(i & 1) + (i >> 1 & 1) * stride_y + (i >> 2) * stride_z] - level_.metres;
            }
            const CellPath<> path = path_in(low, 1.0f / kBrickCells, time_, end);
            if (!report(blend_along(rows, path), time_, end)) return false;
        }
        leave(low, size);
        return true;
    }

    Changes& changes_;
    int depth_ = 0;  // the level of the cube that is looked at
    bool is_in_cube_ = false;
    // Of the smallest cube that the walk is in.
    bool has_plane_ = false;
    std::int32_t low_[3] = {};
    PlanePath<float> plane_{};
    float inverse_speed_ = 0;
};

}  // namespace graze

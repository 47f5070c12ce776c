// LaneWalk: eight paths at once through the grid of a sampled field, on the host.
//
// Each lane does what GridWalk does by the tree, with the same arithmetic, so that its times have
// the same bits. A lane waits for one of three things: to look at a cube of the min/max tree, to
// look at the corners of a cell, or for the crossings in a cell. Each turn does what most lanes
// wait for, and a lane whose path ends takes the next path. So nothing is decided by a branch that
// a processor would have to guess, which is what GridWalk spends most of its time on.
#pragma once

#include <limits>

#include "field/segments/crossing_lanes.h"
#include "field/segments/cube_walk.h"
#include "field/segments/grid_paths.h"

namespace graze {

// Whether LaneWalk can walk a field at a level. It has 32 bits for an index, and leaves levels that
// cross blocks without bricks to GridWalk, as well as fields without a tree.
inline bool can_walk_lanes(const SampledFieldView& field, const FieldLevel& level) {
    const MinMaxTreeView& tree = field.tree;
    if (tree.level_count == 0 || level.is_deep) return false;
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    const int top = tree.level_count - 1;
    const std::int64_t node_count = tree.offsets[top] + min_max_size(field.grid, top);
    std::int64_t sample_count =
        field.grid.samples(0) * field.grid.samples(1) * field.grid.samples(2);
    if (field.is_sparse) {
        if (top == 0) return false;
        const std::int64_t brick_count = tree.offsets[1] / 8;  // level 0 has eight nodes a brick
        sample_count = brick_count * kBrickSize;
        // All lanes compute where a cube's node would be if bricks were everywhere, also those that
        // then look it up by brick.
        if (min_max_size(field.grid, 0) > kMost) return false;
    }
    return node_count <= kMost && sample_count <= kMost && block_count(field.grid) <= kMost;
}

// What became of a path.
enum class PathEnd : std::uint8_t {
    left,       // it was walked to its end
    stopped,    // `changes` stopped it
    undecided,  // GridWalk must walk it anew
};

// Paths that are walked, from the first on. changes: as of GridWalk, one for each path, beginning
// with what is known of it; ends: one for each path, out.
template <class Changes>
struct PathQueue {
    const GridPaths& paths;
    Changes* changes;
    PathEnd* ends;
    int next = 0;
};

template <FieldOrder kOrder, class Changes>
class LaneWalk {
public:
    LaneWalk(const SampledFieldView& field, const FieldLevel& level)
        : field_(field),
          level_(level),
          top_(min_of(field.tree.level_count - 1, kLaneCount - 1)),
          is_below_inside_(spread_int(level.orientation > 0 ? -1 : 0)) {
        for (int depth = 0; depth <= top_; ++depth) {
            offsets_[depth] = static_cast<std::int32_t>(field.tree.offsets[depth]);
            sizes_[0][depth] = static_cast<std::int32_t>(min_max_size(field.grid, depth, 0));
            sizes_[1][depth] = static_cast<std::int32_t>(min_max_size(field.grid, depth, 1));
        }
        stride_[1] = field.is_sparse ? kBrickSamples : static_cast<int>(field.grid.samples(0));
        stride_[2] = field.is_sparse
                         ? kBrickSamples * kBrickSamples
                         : static_cast<int>(field.grid.samples(0) * field.grid.samples(1));
        blocks_[0] = static_cast<int>(block_count(field.grid, 0));
        blocks_[1] = static_cast<int>(block_count(field.grid, 1));
    }

    // Begins with the first paths of a list.
    void start(PathQueue<Changes>& queue) {
        queue_ = &queue;
        for (int lane = 0; lane < kLaneCount; ++lane)
            take_path(lane);
        fetch_cubes();
    }

    // Does what most lanes wait for. Returns false where all paths are walked.
    bool turn() {
        const int cubes = std::popcount(mask_of(waits_ == kForCube));
        const int planes = std::popcount(mask_of(waits_ == kForPlane));
        const int cells = std::popcount(mask_of(waits_ == kForCell));
        const int crossings = std::popcount(mask_of(waits_ == kForCrossings));
        const int most = max_of(max_of(cubes, planes), max_of(cells, crossings));
        if (most == 0) return false;
        finished_ = Mask8{};
        if (cubes == most) {
            look_at_cubes();
        } else if (planes == most) {
            look_at_planes();
        } else if (cells == most) {
            look_at_cells();
        } else {
            find_crossings();
        }
        for (std::uint32_t left = mask_of(finished_); left != 0; left &= left - 1)
            take_path(std::countr_zero(left));
        fetch_cubes();
        return true;
    }

private:
    // What a lane waits for.
    static constexpr std::int32_t kForNothing = 0, kForCube = 1, kForPlane = 2, kForCell = 3,
                                  kForCrossings = 4;
    static constexpr int kDegree = kOrder == FieldOrder::zero ? 3 : 4;

    // When the cells along all axes are left, and which is first.
    struct Exit {
        Float8 time;
        Mask8 is_axis[3];
    };

    GRAZE_INLINE void take_path(int lane) {
        const GridPaths& paths = queue_->paths;
        if (queue_->next == paths.count) {
            waits_[lane] = kForNothing;
            for (Int8& cell : cell_)
                cell[lane] = 0;  // indices are still computed from it
            return;
        }
        const int i = queue_->next++;
        const GridLine line = paths.line(i);
        path_index_[lane] = i;
        begin_[lane] = time_[lane] = paths.begin[i];
        end_[lane] = paths.end[i];
        for (int axis = 0; axis < 3; ++axis) {
            from_[axis][lane] = line.from[axis];
            along_[axis][lane] = line.path[axis];
            inverse_[axis][lane] = line.inverse[axis];
            step_[axis][lane] = line.step[axis];
            ahead_[axis][lane] = line.step[axis] > 0 ? 1 : 0;
            moves_[axis][lane] = line.step[axis] != 0 ? -1 : 0;
            cell_[axis][lane] = line.cell(axis, paths.begin[i], field_.grid.cells[axis]);
        }
        depth_[lane] = min_of(top_, paths.first_depth);
        is_known_[lane] = queue_->changes[i].is_known() ? -1 : 0;
        is_inside_[lane] = queue_->changes[i].is_inside() ? -1 : 0;
        waits_[lane] = kForCube;
    }

    GRAZE_INLINE void finish(Mask8 lanes, PathEnd end) {
        for (std::uint32_t left = mask_of(lanes); left != 0; left &= left - 1)
            queue_->ends[path_index_[std::countr_zero(left)]] = end;
        finished_ |= lanes;
        waits_ = lanes ? spread_int(kForNothing) : waits_;
    }

    // Lets lanes change their states.
    GRAZE_INLINE void become(Mask8 lanes, Mask8 inside, Float8 time) {
        for (std::uint32_t left = mask_of(lanes); left != 0; left &= left - 1) {
            const int lane = std::countr_zero(left);
            const bool goes_on =
                queue_->changes[path_index_[lane]].become(inside[lane] != 0, time[lane]);
            is_known_[lane] = -1;
            is_inside_[lane] = inside[lane];
            if (!goes_on) stop(lane);
        }
    }
    GRAZE_INLINE void stop(int lane) {
        Mask8 only{};
        only[lane] = -1;
        finish(only, PathEnd::stopped);
    }

    // The time when a plane is passed; of use only where the path moves along the axis.
    GRAZE_INLINE Float8 time_of_plane(int axis, Int8 plane) const {
        return (to_float(plane) - from_[axis]) * inverse_[axis];
    }
    // The time when the cells [low, low + (1 << shift)) are left.
    GRAZE_INLINE Float8 exit(int axis, Int8 low, Int8 shift) const {
        const Float8 time = time_of_plane(axis, low + (ahead_[axis] << shift));
        return moves_[axis] ? time : Float8{} + kNever;
    }
    GRAZE_INLINE Exit first_exit(const Int8 (&low)[3], Int8 shift) const {
        const Float8 x = exit(0, low[0], shift), y = exit(1, low[1], shift),
                     z = exit(2, low[2], shift);
        const Mask8 is_y = y < x;
        const Float8 least = is_y ? y : x;
        const Mask8 is_z = z < least;
        return {is_z ? z : least, {~is_y & ~is_z, is_y & ~is_z, is_z}};
    }
    // GridLine::cell() along all axes.
    GRAZE_INLINE void cells_at(Float8 time, Mask8 lanes, Int8 (&cells)[3]) const {
        Mask8 is_off{};  // rounding puts it into a neighbour
        for (int axis = 0; axis < 3; ++axis) {
            const std::int32_t last = field_.grid.cells[axis] - 1;
            const Float8 x = from_[axis] + along_[axis] * time;
            const Float8 most = Float8{} + static_cast<float>(last);
            const Int8 cell = truncate(min_of(max_of(x, Float8{}), most));
            const Int8 last_cell = ahead_[axis] * last, first_cell = last - last_cell;
            const Float8 exit = time_of_plane(axis, cell + ahead_[axis]);
            const Float8 entry = time_of_plane(axis, cell + 1 - ahead_[axis]);
            is_off |= moves_[axis] & (((cell != last_cell) & (exit < time)) |
                                      ((cell != first_cell) & (entry > time)));
            cells[axis] = cell;
        }
        for (std::uint32_t left = mask_of(is_off & lanes); left != 0; left &= left - 1) {
            const int lane = std::countr_zero(left);
            const GridLine line = queue_->paths.line(path_index_[lane]);
            for (int axis = 0; axis < 3; ++axis)
                cells[axis][lane] = line.cell(axis, time[lane], field_.grid.cells[axis]);
        }
    }

    // CubeWalk::side_of_cube(), and what follows from it.
    GRAZE_INLINE void look_at_cubes() {
        // Down to cubes that are clear, or to the smallest.
        const Mask8 mine = waits_ == kForCube;
        Mask8 looks = mine, is_clear{}, inside{}, is_missing{};
        for (;;) {
            const Int8 bounds = load_bounds(looks, is_missing);
            const Float8 above = floats_from_halves(bounds & 0xffff) - level_.voxels;
            const Float8 below = level_.voxels - floats_from_halves((bounds >> 16) & 0xffff);
            is_clear |= looks & (max_of(above, below) > level_.margin);
            inside = looks ? (above > below) ^ is_below_inside_ : inside;
            looks &= ~is_clear & (depth_ > 0);
            if (!any_of(looks)) break;
            depth_ += looks;  // all bits set are -1
        }
        is_clear &= ~is_missing;
        const Mask8 enters = mine & ~is_clear & ~is_missing;
        if (any_of(enters)) enter_cube(enters);
        if (any_of(is_missing)) finish(is_missing, PathEnd::undecided);
        if (!any_of(is_clear)) return;
        const Mask8 changes = is_clear & (~is_known_ | (is_inside_ ^ inside));
        if (any_of(changes)) become(changes, inside, time_);
        leave(is_clear & ~finished_);
    }

    // The nodes of the tree that lanes are in, but for those that are by brick.
    GRAZE_INLINE Int8 node_of_cube() const {
        const Int8 shift = depth_ + 2;
        const Int8 x = cell_[0] >> shift, y = cell_[1] >> shift, z = cell_[2] >> shift;
        return look_up(offsets_, depth_) + x +
               look_up(sizes_[0], depth_) * (y + look_up(sizes_[1], depth_) * z);
    }
    GRAZE_INLINE Int8 block_of_cell() const {
        return (cell_[0] >> 3) + blocks_[0] * ((cell_[1] >> 3) + blocks_[1] * (cell_[2] >> 3));
    }
    // The bounds of the cubes that lanes are in. is_missing is set where a lane is in a block
    // without a brick and looks at a part of it.
    GRAZE_INLINE Int8 load_bounds(Mask8 lanes, Mask8& is_missing) {
        Int8 node = node_of_cube();
        if (field_.is_sparse) {
            const Mask8 is_leaf = lanes & (depth_ == 0);
            if (any_of(is_leaf)) {
                const Int8 brick =
                    gather_words<4>(field_.brick_of_block, block_of_cell() & is_leaf);
                brick_ = is_leaf ? brick : brick_;
                node = is_leaf ? leaf_of_cube() : node;
                is_missing |= is_leaf & (brick < 0);
            }
        }
        return gather_words<4>(field_.tree.nodes, node & lanes & ~is_missing);
    }
    GRAZE_INLINE Int8 leaf_of_cube() const {
        const Int8 x = cell_[0] >> 2, y = cell_[1] >> 2, z = cell_[2] >> 2;
        if (!field_.is_sparse) return x + sizes_[0][0] * (y + sizes_[1][0] * z);
        return brick_ * 8 + (x & 1) + 2 * (y & 1) + 4 * (z & 1);
    }

    // What lanes are about to look at is fetched into the cache while other lanes have their
    // turns; waiting for it is most of what a walk does otherwise.
    template <class T>
    GRAZE_INLINE static void fetch(const T* array, Int8 indices, Mask8 lanes) {
        for (std::uint32_t left = mask_of(lanes); left != 0; left &= left - 1)
            __builtin_prefetch(array + indices[std::countr_zero(left)]);
    }
    GRAZE_INLINE void fetch_cubes() const {
        const Mask8 mine = waits_ == kForCube;
        if (!any_of(mine)) return;
        if (field_.is_sparse) {
            fetch(field_.brick_of_block, block_of_cell(), mine & (depth_ == 0));
            fetch(field_.tree.nodes, node_of_cube(), mine & (depth_ != 0));
        } else {
            fetch(field_.tree.nodes, node_of_cube(), mine);
        }
    }
    GRAZE_INLINE void fetch_samples(Mask8 lanes) const {
        for (int r = 0; r < 4; ++r) {
            if constexpr (kOrder == FieldOrder::zero) {
                fetch(field_.values, row(r, lanes), lanes);
            } else {
                fetch(field_.samples, row(r, lanes), lanes);
            }
        }
    }

    // Goes into cubes of 4 x 4 x 4 cells.
    GRAZE_INLINE void enter_cube(Mask8 lanes) {
        corner_ = lanes ? corner_of_cell() : corner_;
        if (level_.planes) {
            waits_ = lanes ? spread_int(kForPlane) : waits_;
            fetch(level_.planes, leaf_of_cube(), lanes);
        } else {
            wait_for_cells(lanes);
        }
    }
    // What a lane within a smallest cube waits for.
    GRAZE_INLINE void wait_for_cells(Mask8 lanes) {
        constexpr std::int32_t kWait = kOrder == FieldOrder::zero ? kForCell : kForCrossings;
        waits_ = lanes ? spread_int(kWait) : waits_;
        fetch_samples(lanes);
    }

    GRAZE_INLINE void look_at_planes() {
        const Mask8 mine = waits_ == kForPlane;
        // plane_path() in eight lanes.
        const Int8 word = leaf_of_cube() * 3 & mine;
        static_assert(sizeof(LeafPlane) == 12);
        const Int8 words[3] = {gather_words<4>(level_.planes, word),
                               gather_words<4>(level_.planes, word + 1),
                               gather_words<4>(level_.planes, word + 2)};
        const Float8 slope[3] = {floats_from_halves(words[1] & 0xffff),
                                 floats_from_halves((words[1] >> 16) & 0xffff),
                                 floats_from_halves(words[2] & 0xffff)};
        PlanePath<Float8> plane{reinterpret_cast<Float8>(words[0]) - level_.voxels, Float8{},
                                floats_from_halves((words[2] >> 16) & 0xffff)};
        Float8 largest{};
        for (int axis = 0; axis < 3; ++axis) {
            const Int8 low = cell_[axis] & -kMinMaxLeafCells;
            plane.height += slope[axis] * (from_[axis] - to_float(low));
            plane.rate += slope[axis] * along_[axis];
            largest += abs_of(from_[axis]) + abs_of(along_[axis]);
        }
        plane.reach += 0x1p-10f + 0x1p-17f * largest + level_.margin;
        plane_ = {mine ? plane.height : plane_.height, mine ? plane.rate : plane_.rate,
                  mine ? plane.reach : plane_.reach};
        wait_for_cells(go_to_plane(mine));
    }
    GRAZE_INLINE Int8 corner_of_cell() const {
        if (!field_.is_sparse) return cell_[0] + cell_[1] * stride_[1] + cell_[2] * stride_[2];
        return brick_ * kBrickSize + (cell_[0] & (kBrickCells - 1)) +
               (cell_[1] & (kBrickCells - 1)) * stride_[1] +
               (cell_[2] & (kBrickCells - 1)) * stride_[2];
    }

    // Leaves cubes, or goes on within them, to where their planes allow the level; as
    // GridWalk::visit_cube(). Returns the lanes that stay.
    GRAZE_INLINE Mask8 go_to_plane(Mask8 lanes) {
        const Mask8 is_below = ~(is_inside_ ^ is_below_inside_);
        const Float8 height = plane_.height + plane_.rate * time_;
        const Float8 above = (is_below ? -height : height) - plane_.reach;
        const Mask8 is_clear = lanes & is_known_ & (above > 0);
        if (!any_of(is_clear)) return lanes;
        const Float8 fall = is_below ? plane_.rate : -plane_.rate;
        const Float8 next = fall > 0 ? time_ + above / fall : Float8{} + kNever;
        Int8 low[3];
        for (int axis = 0; axis < 3; ++axis)
            low[axis] = cell_[axis] & -kMinMaxLeafCells;
        const Float8 exit = first_exit(low, spread_int(2)).time;
        const Mask8 leaves = is_clear & ~(next < exit);
        const Mask8 jumps = is_clear & ~leaves;
        if (any_of(jumps)) go_to(jumps, next);
        if (any_of(leaves)) {
            waits_ = leaves ? spread_int(kForCube) : waits_;
            leave(leaves);
        }
        return lanes & ~leaves & ~finished_;
    }
    // CubeWalk::go_to().
    GRAZE_INLINE void go_to(Mask8 lanes, Float8 time) {
        const Mask8 ends = lanes & ~(time < end_);
        const Mask8 moves = lanes & ~ends;
        Int8 cell[3];
        cells_at(time, moves, cell);
        Float8 entry = begin_;
        for (int axis = 0; axis < 3; ++axis) {
            const Int8 old = cell_[axis];
            const Mask8 is_ahead = (cell[axis] - old) * step_[axis] > 0;
            cell_[axis] = (moves & is_ahead) ? cell[axis] : old;
            const Float8 at = time_of_plane(axis, cell_[axis] + 1 - ahead_[axis]);
            entry = moves_[axis] ? max_of(at, entry) : entry;
        }
        time_ = moves ? entry : time_;
        corner_ = moves ? corner_of_cell() : corner_;
        finish(ends, PathEnd::left);
    }

    // Goes to the cells behind the cubes that lanes are in; CubeWalk::leave().
    GRAZE_INLINE void leave(Mask8 lanes) {
        const Int8 shift = depth_ + 2;
        Int8 low[3];
        for (int axis = 0; axis < 3; ++axis)
            low[axis] = (cell_[axis] >> shift) << shift;
        const Exit exit = first_exit(low, shift);
        Mask8 ends = lanes & ~(exit.time < end_);
        const Mask8 moves = lanes & ~ends;
        time_ = moves ? exit.time : time_;
        Int8 difference{}, beside[3];
        cells_at(exit.time, moves, beside);
        for (int axis = 0; axis < 3; ++axis) {
            const Int8 old = cell_[axis];
            const Int8 further = (beside[axis] - old) * step_[axis] > 0 ? beside[axis] : old;
            const Int8 behind = low[axis] - 1 + ((ahead_[axis] << shift) + ahead_[axis]);
            const Int8 cell = exit.is_axis[axis] ? behind : further;
            cell_[axis] = moves ? cell : old;
            difference |= old ^ cell_[axis];
            ends |= moves & ((cell < 0) | (cell >= field_.grid.cells[axis]));
        }
        const Mask8 leaves_parent = (difference >> (shift + 1)) != 0;
        depth_ -= moves & leaves_parent & (depth_ < top_);
        finish(ends, PathEnd::left);
    }

    GRAZE_INLINE void look_at_cells() {
        const Mask8 mine = waits_ == kForCell;
        const Exit exit = first_exit(cell_, Int8{});
        const Mask8 visits = mine & (min_of(exit.time, end_) > time_);
        CellRows<Float8> rows;
        load_values(mine, rows);
        Float8 least = rows.value[0], most = rows.value[0];
        for (int i = 1; i < 8; ++i) {
            least = min_of(least, rows.value[i]);
            most = max_of(most, rows.value[i]);
        }
        const Mask8 is_below = ~(is_inside_ ^ is_below_inside_);
        const Mask8 stays =
            is_known_ & ((is_below ? -most : least) > level_.margin * field_.grid.spacing);
        const Mask8 may_cross = visits & ~stays;
        waits_ = may_cross ? spread_int(kForCrossings) : waits_;
        go_on(mine & ~may_cross, exit);
    }

    // Goes to the next cell; as GridWalk::visit_cells().
    GRAZE_INLINE void go_on(Mask8 lanes, const Exit& exit) {
        Mask8 ends = lanes & ~(exit.time < end_);
        const Mask8 moves = lanes & ~ends;
        time_ = moves ? exit.time : time_;
        Int8 difference{};
        Mask8 is_out{};
        for (int axis = 0; axis < 3; ++axis) {
            const Int8 step = moves & exit.is_axis[axis] & step_[axis];
            const Int8 cell = cell_[axis] + step;
            difference |= cell ^ cell_[axis];
            corner_ += axis == 0 ? step : step * stride_[axis];
            is_out |= (cell < 0) | (cell >= field_.grid.cells[axis]);
            cell_[axis] = cell;
        }
        ends |= moves & is_out;
        const Mask8 leaves = moves & ((difference >> 2) != 0);
        const Int8 depth = top_ > 0 ? Int8{} - ((difference >> 3) != 0) : Int8{};
        depth_ = leaves ? depth : depth_;
        waits_ = leaves ? spread_int(kForCube) : waits_;
        finish(ends, PathEnd::left);
        const Mask8 stays = moves & ~leaves & ~ends;
        if (any_of(stays)) wait_for_cells(level_.planes ? go_to_plane(stays) : stays);
    }

    GRAZE_INLINE Int8 row(int r, Mask8 lanes) const {
        return (corner_ + (r & 1) * stride_[1] + (r >> 1) * stride_[2]) & lanes;
    }
    GRAZE_INLINE void load_values(Mask8 lanes, CellRows<Float8>& rows) const {
        for (int r = 0; r < 4; ++r) {
            const Int8 first = row(r, lanes);
            rows.value[2 * r] = gather_lanes(field_.values, first) - level_.value;
            rows.value[2 * r + 1] = gather_lanes(field_.values + 1, first) - level_.value;
        }
    }
    GRAZE_INLINE void load_samples(Mask8 lanes, CellRows<Float8>& rows,
                                   CellSlopes<Float8>& slopes) const {
        const auto* words = reinterpret_cast<const char*>(field_.samples);
        for (int i = 0; i < 8; ++i) {
            const Int8 first = row(i / 2, lanes);
            const char* at = words + (i & 1) * sizeof(FirstOrderSample);
            const Int8 low = gather_words<8>(at, first), high = gather_words<8>(at + 4, first);
            slopes.slope[0][i] = floats_from_halves(low & 0xffff);
            slopes.slope[1][i] = floats_from_halves((low >> 16) & 0xffff);
            slopes.slope[2][i] = floats_from_halves(high & 0xffff);
            rows.value[i] = floats_from_halves((high >> 16) & 0xffff) - level_.value;
        }
    }

    // The value along the paths through their cells, less the level.
    GRAZE_INLINE LinePolynomial<kDegree, Float8> blend_cells(Mask8 lanes, Float8 end) const {
        CellPath<Float8> path;
        const Float8 zero{}, one = zero + 1;
        for (int axis = 0; axis < 3; ++axis) {
            const Float8 low = to_float(cell_[axis]);
            const Float8 in = from_[axis] + along_[axis] * time_ - low;
            const Float8 out = from_[axis] + along_[axis] * end - low;
            path.in[axis] = min_of(max_of(in, zero), one);
            path.out[axis] = min_of(max_of(out, zero), one);
        }
        LinePolynomial<kDegree, Float8> p;
        CellRows<Float8> rows;
        if constexpr (kOrder == FieldOrder::zero) {
            load_values(lanes, rows);
            p = blend_along(rows, path);
        } else {
            CellSlopes<Float8> slopes;
            load_samples(lanes, rows, slopes);
            p = blend_along(rows, slopes, path);
        }
        if (level_.orientation < 0) {
            for (Float8& c : p.c)
                c = -c;
        }
        return p;
    }

    // visit_crossings() by the exact rule.
    GRAZE_INLINE void find_crossings() {
        const Mask8 mine = waits_ == kForCrossings;
        const Exit exit = first_exit(cell_, Int8{});
        const Float8 end = min_of(exit.time, end_);
        const Mask8 visits = mine & (end > time_);
        const LinePolynomial<kDegree, Float8> p = blend_cells(visits, end);
        const Mask8 first = p.c[0] <= 0;
        const Mask8 differs = (first ^ is_inside_) & (abs_of(p.c[0]) > level_.rounding);
        const Mask8 becomes = visits & (~is_known_ | differs);
        if (any_of(becomes)) become(becomes, first, time_);

        const Mask8 state = is_inside_;
        const Mask8 crosses = visits & ~finished_;
        const Int8 count = crossing_detail::count_changes(p, state);
        const Mask8 once = crosses & (count == 1), often = crosses & (count > 1);
        if (any_of(once)) {
            const Float8 s = crossing_detail::find_root(p, state, once);
            become(once, ~state, time_ + (end - time_) * s);
        }
        for (std::uint32_t left = mask_of(often); left != 0; left &= left - 1) {
            const int lane = std::countr_zero(left);
            LinePolynomial<kDegree> own;
            for (int i = 0; i <= kDegree; ++i)
                own.c[i] = p.c[i][lane];
            Changes& changes = queue_->changes[path_index_[lane]];
            const bool goes_on =
                crossing_detail::visit_halves(own, time_[lane], end[lane], changes);
            is_inside_[lane] = changes.is_inside() ? -1 : 0;
            if (!goes_on) stop(lane);
        }
        go_on(mine & ~finished_, exit);
    }

    const SampledFieldView& field_;
    const FieldLevel& level_;
    const int top_;  // the level of the tree's largest cubes that are looked at
    const Mask8 is_below_inside_;
    Int8 offsets_{}, sizes_[2] = {};  // by level of the tree
    int stride_[3] = {1, 0, 0};
    int blocks_[2];

    PathQueue<Changes>* queue_ = nullptr;

    // By lane.
    Int8 path_index_{}, waits_{};
    Float8 from_[3] = {}, along_[3] = {}, inverse_[3] = {};
    Int8 step_[3] = {}, ahead_[3] = {};  // ahead_: 1 where the step is 1
    Mask8 moves_[3] = {};
    Float8 begin_{}, time_{}, end_{};
    Int8 cell_[3] = {};
    Int8 depth_{}, brick_{}, corner_{};
    PlanePath<Float8> plane_{};  // of the smallest cube that it is in
    Mask8 is_known_{}, is_inside_{};
    Mask8 finished_{};  // in this turn
};

// Walks all paths of a queue. So many lanes take turns that what one has fetched is there when its
// turn comes.
template <FieldOrder kOrder, class Changes>
void walk_lanes(const SampledFieldView& field, const FieldLevel& level, PathQueue<Changes>& queue) {
    constexpr int kGroups = 2;  // one is 8% slower in a grid of 1024^3, four are no faster
    using Walk = LaneWalk<kOrder, Changes>;
    Walk groups[kGroups] = {{field, level}, {field, level}};
    for (Walk& group : groups)
        group.start(queue);
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (Walk& group : groups)
            goes_on |= group.turn();
    }
}

}  // namespace graze

// GridLine: a straight path in the frame of a grid, in voxels, and when it passes the planes
// between cells.
//
// The time of a plane is one subtraction and one product. It does not depend on how a walk got
// there, so all walks give a cell the same time of entry and of exit, to the bit. Neighbours share
// the plane between them, so the time when one is left is that when the next is entered.
#pragma once

#include <cstdint>
#include <limits>

#include "graze/field_grid.h"

namespace graze {

constexpr float kNever = std::numeric_limits<float>::infinity();

// Calls call(axis) for each axis. In a loop a compiler for GPUs may index arrays by a variable,
// which keeps them out of registers.
template <class Call>
GRAZE_INLINE void for_each_axis(const Call& call) {
    call(0);
    call(1);
    call(2);
}

struct GridLine {
    float from[3];         // [voxels] from the first sample, at time 0
    float path[3];         // [voxels] from time 0 to time 1
    float inverse[3];      // 1 / path; 0 along an axis on which it does not move
    std::int32_t step[3];  // 1, -1, or 0 where it does not move

    GRAZE_INLINE float position(int axis, float time) const {
        return from[axis] + path[axis] * time;
    }
    GRAZE_INLINE float time_of_plane(int axis, std::int32_t plane) const {
        return (static_cast<float>(plane) - from[axis]) * inverse[axis];
    }
    // When the cells [low, low + size) along an axis are entered and left.
    GRAZE_INLINE float entry(int axis, std::int32_t low, std::int32_t size) const {
        if (step[axis] == 0) return -kNever;
        return time_of_plane(axis, step[axis] > 0 ? low : low + size);
    }
    GRAZE_INLINE float exit(int axis, std::int32_t low, std::int32_t size) const {
        if (step[axis] == 0) return kNever;
        return time_of_plane(axis, step[axis] > 0 ? low + size : low);
    }

    // The cell along an axis at a time, among [0, count). The planes' times decide; the position
    // is only a guess, off by rounding.
    GRAZE_INLINE std::int32_t cell(int axis, float time, std::int32_t count) const {
        const float x = min_of(max_of(position(axis, time), 0.0f), static_cast<float>(count - 1));
        std::int32_t cell = static_cast<std::int32_t>(x);
        if (step[axis] == 0) return cell;
        const std::int32_t last = step[axis] > 0 ? count - 1 : 0;
        const std::int32_t first = count - 1 - last;
        while (cell != last && exit(axis, cell, 1) < time)
            cell += step[axis];
        while (cell != first && entry(axis, cell, 1) > time)
            cell -= step[axis];
        return cell;
    }
};

// Paths shorter than this [voxels] along an axis count as not moving on it, so that all times are
// finite.
constexpr float kLeastPath = 1e-30f;

GRAZE_INLINE void set_axis(GridLine& line, int axis, float from, float path) {
    const bool moves = std::fabs(path) > kLeastPath;
    line.from[axis] = from;
    line.path[axis] = moves ? path : 0.0f;
    line.inverse[axis] = moves ? 1 / path : 0.0f;
    line.step[axis] = moves ? (path > 0 ? 1 : -1) : 0;
}

GRAZE_INLINE GridLine make_grid_line(const FieldGrid& grid, const Vec3& from, const Vec3& to) {
    GridLine line;
    for_each_axis([&](int axis) {
        set_axis(line, axis, (from[axis] - grid.origin[axis]) / grid.spacing,
                 (to[axis] - from[axis]) / grid.spacing);
    });
    return line;
}

struct TimeRange {
    float begin, end;  // none where end < begin

    GRAZE_INLINE bool is_empty() const { return !(begin <= end); }
};

// The part of [0, 1] in which a line is in the box of so many cells that is larger by `margin`
// [voxels] on every side.
GRAZE_INLINE TimeRange times_in_box(const GridLine& line, const std::int32_t (&cells)[3],
                                    float margin) {
    TimeRange range{0, 1};
    bool is_beside = false;
    for_each_axis([&](int axis) {
        const float low = -margin, high = static_cast<float>(cells[axis]) + margin;
        if (line.step[axis] == 0) {
            is_beside = is_beside || line.from[axis] < low || line.from[axis] > high;
            return;
        }
        const float at_low = (low - line.from[axis]) * line.inverse[axis];
        const float at_high = (high - line.from[axis]) * line.inverse[axis];
        range.begin = max_of(range.begin, line.step[axis] > 0 ? at_low : at_high);
        range.end = min_of(range.end, line.step[axis] > 0 ? at_high : at_low);
    });
    return is_beside ? TimeRange{1, 0} : range;
}

}  // namespace graze

// GridPaths: the parts of many straight paths that are within the box of a sampled field, each
// number in an array of its own, so that eight paths can be loaded at once.
#pragma once

#include "field/segments/grid_line.h"

namespace graze {

// Some paths of one field. It is filled, walked, and filled again.
struct GridPaths {
    static constexpr int kCapacity = 256;

    int count = 0;
    // The level of the min/max tree at which walks begin: 0 where paths begin near the surface.
    int first_depth = 3;
    // As in GridLine.
    float from[3][kCapacity], path[3][kCapacity], inverse[3][kCapacity];
    std::int32_t step[3][kCapacity];
    // When each enters the box, or begins in it, and when it leaves.
    float begin[kCapacity], end[kCapacity];
    std::int32_t index[kCapacity];  // whatever the caller knows the path by

    bool is_full() const { return count == kCapacity; }
    void add(const GridLine& line, float begin_time, float end_time, std::int32_t its_index) {
        for (int axis = 0; axis < 3; ++axis) {
            from[axis][count] = line.from[axis];
            path[axis][count] = line.path[axis];
            inverse[axis][count] = line.inverse[axis];
            step[axis][count] = line.step[axis];
        }
        begin[count] = begin_time;
        end[count] = end_time;
        index[count] = its_index;
        ++count;
    }
    GridLine line(int i) const {
        GridLine line;
        for (int axis = 0; axis < 3; ++axis) {
            line.from[axis] = from[axis][i];
            line.path[axis] = path[axis][i];
            line.inverse[axis] = inverse[axis][i];
            line.step[axis] = step[axis][i];
        }
        return line;
    }
};

}  // namespace graze

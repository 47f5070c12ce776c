// Segments with both ends at random in a box, as table 2 of Xu and Barbic (2014) has them.
#pragma once

#include <random>
#include <vector>

#include "graze/segment_search.h"

namespace graze {

inline std::vector<Segment> random_segments(const Aabb& box, std::size_t count) {
    std::mt19937 engine(1);
    std::uniform_real_distribution<float> uniform(0, 1);
    std::vector<Segment> segments(count);
    for (Segment& segment : segments) {
        for (Vec3* end : {&segment.from, &segment.to}) {
            for (int axis = 0; axis < 3; ++axis)
                (*end)[axis] = box.min[axis] + (box.max[axis] - box.min[axis]) * uniform(engine);
        }
    }
    return segments;
}

}  // namespace graze

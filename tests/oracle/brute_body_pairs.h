// Tests every body against every other, for the pairs that find_body_pairs must give, in its order.
#pragma once

#include <utility>
#include <vector>

#include "broad_phase/body_pairs.h"

namespace graze::oracle {

using PairList = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

inline bool boxes_touch(const Aabb& a, const Aabb& b) {
    for (int axis = 0; axis < 3; ++axis) {
        const double gap_ab = double(b.min[axis]) - double(a.max[axis]);
        const double gap_ba = double(a.min[axis]) - double(b.max[axis]);
        if (gap_ab > 0 || gap_ba > 0) return false;  // NaN, of two infinities, is no gap
    }
    return true;
}

inline PairList brute_body_pairs(const std::vector<Aabb>& boxes,
                                 const std::vector<BodyFilter>& filters) {
    PairList pairs;
    for (std::size_t a = 0; a < boxes.size(); ++a) {
        for (std::size_t b = a + 1; b < boxes.size(); ++b) {
            if (boxes[a].is_empty() || boxes[b].is_empty()) continue;
            const bool a_takes_b = (filters[a].mask & filters[b].group) != 0;
            const bool b_takes_a = (filters[b].mask & filters[a].group) != 0;
            const bool may_move = filters[a].is_static == 0 || filters[b].is_static == 0;
            if (a_takes_b && b_takes_a && may_move && boxes_touch(boxes[a], boxes[b]))
                pairs.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
        }
    }
    return pairs;
}

}  // namespace graze::oracle

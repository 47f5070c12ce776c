// What reduce() combines two values by, on either machine.
#pragma once

#include "graze/aabb.h"

namespace graze {

struct AddValues {
    template <class T>
    GRAZE_HD T operator()(T a, const T& b) const {
        a += b;
        return a;
    }
};
struct LargerValue {
    template <class T>
    GRAZE_HD T operator()(const T& a, const T& b) const {
        return max_of(a, b);
    }
};
struct LowerValue {
    template <class T>
    GRAZE_HD T operator()(const T& a, const T& b) const {
        return min_of(a, b);
    }
};
struct MergeBoxes {
    GRAZE_HD Aabb operator()(const Aabb& a, const Aabb& b) const { return merge(a, b); }
};

}  // namespace graze

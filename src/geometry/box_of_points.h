// box_of_points: the least box around a list of points, empty where there is none.
#pragma once

#include <vector>

#include "graze/aabb.h"

namespace graze {

template <class T>
AabbT<T> box_of_points(const std::vector<Vec3T<T>>& points) {
    AabbT<T> box = AabbT<T>::empty();
    for (const Vec3T<T>& point : points)
        box = merge(box, point);
    return box;
}

}  // namespace graze

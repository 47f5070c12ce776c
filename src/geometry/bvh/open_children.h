// The step that turns a binary tree into a wide one: which nodes below a binary node become the
// children of one wide node.
#pragma once

#include "geometry/bvh/bvh.h"

namespace graze {

constexpr int kWideBvhWidth = 8;

// Starts from the two children of a binary node and opens the largest one that is no leaf, until
// there are eight or nothing but leaves. Fills child (as BvhNode::child) and source (where its box
// is: 2 * binary node + side) and returns how many there are.
template <class IsLeaf>
GRAZE_HD int open_children(const BvhNode* binary, std::int32_t root, const IsLeaf& is_leaf,
                           std::int32_t (&child)[kWideBvhWidth],
                           std::int32_t (&source)[kWideBvhWidth]) {
    float areas[kWideBvhWidth];  // of children that may be opened; -1 for leaves
    int count = 0;
    const auto put = [&](int lane, std::int32_t parent, int side) {
        child[lane] = binary[parent].child[side];
        source[lane] = 2 * parent + side;
        areas[lane] = is_leaf(child[lane]) ? -1.0f : half_area(binary[parent].box[side]);
    };
    put(count++, root, 0);
    if (binary[root].count > 1) put(count++, root, 1);
    while (count < kWideBvhWidth) {
        int largest = 0;
        for (int lane = 1; lane < count; ++lane) {
            if (areas[lane] > areas[largest]) largest = lane;
        }
        if (areas[largest] < 0) break;
        const std::int32_t opened = child[largest];
        put(largest, opened, 0);
        put(count++, opened, 1);
    }
    return count;
}

// Gives the box that a source stands for.
GRAZE_INLINE const Aabb& source_box(const BvhNode* binary, std::int32_t source) {
    return binary[source / 2].box[source % 2];
}

}  // namespace graze

// BoxTree: a tree over boxes that is built anew every step, for finding the pairs that touch.
//
// The boxes are sorted, small before large and near ones beside each other; eight neighbours are a
// group, eight groups a group of the next level, up to a single one. The members of group i are
// groups 8 i + 1 to 8 i + 8, so that nothing but boxes is stored. Boxes may be infinite.
#pragma once

#include <cstdint>

#include "graze/aabb.h"
#include "parallel/buffer.h"

namespace graze {

constexpr int kGroupSize = 8;
constexpr int kGroupShift = 3;  // 8 = 1 << 3

// Eight boxes side by side; those that are missing are empty.
struct alignas(64) BoxGroup {
    float min[3][kGroupSize];  // [m] by axis
    float max[3][kGroupSize];
};

constexpr int kBoxTreeMaxLevels = 9;
constexpr std::int64_t kBoxTreeMaxBoxes = std::int64_t{1} << (kGroupShift * kBoxTreeMaxLevels);

struct BoxTreeView {
    const BoxGroup* groups;        // the root, its members, theirs, and so on
    const BoxGroup* leaves;        // those of the last level, whose members are boxes
    const std::uint32_t* indices;  // by slot, which is an index in the sorted order: the caller's
    std::int64_t box_count;
    int level_count;
};

// Sums over the boxes' centres and sizes.
struct CentreSums {
    Vec3d sum, sum_sq;    // [m], [m^2] by axis
    double exponent_sum;  // the size of a box is 2^exponent [m]
    double count;
    Aabb bounds;
};
// The region that most centres are in, to lay a grid over it, and the size of most boxes.
struct UsualRegion {
    Aabb bounds;
    float exponent;  // the size is 2^exponent [m]
};

struct BoxTree {
    explicit BoxTree(Memory& memory)
        : groups(memory),
          indices(memory),
          keys(memory),
          sorted_keys(memory),
          unsorted_indices(memory),
          sums(memory),
          usual(memory) {}

    BoxTreeView view() const;

    Buffer<BoxGroup> groups;
    Buffer<std::uint32_t> indices;

    // What is needed to build it.
    Buffer<std::uint64_t> keys, sorted_keys;
    Buffer<std::uint32_t> unsorted_indices;
    Buffer<CentreSums> sums;    // one element
    Buffer<UsualRegion> usual;  // one element
};

// boxes[0..count) in the executor's memory; empty ones touch nothing, none is NaN. Does not wait.
template <class Executor>
void build_box_tree(Executor& executor, const Aabb* boxes, std::int64_t count, BoxTree& tree);

}  // namespace graze

// Building a BoxTree: a grid is laid over the centres, the boxes are sorted by their keys in it,
// and groups are made from the lowest level up, after Kamel and Faloutsos, "On Packing R-trees"
// (1993), with Morton's curve instead of Hilbert's. Where graze differs:
// - Boxes are sorted by size first, so that a large one does not spoil the group of its small
//   neighbours, and so that infinite ones are together at the end.
// - The grid leaves out what is far beyond all others: a body that fell off the scene does not
//   make the cells of all others coarse.
#pragma once

#include <bit>

#include "broad_phase/box_tree.h"
#include "core/morton.h"
#include "graze/error.h"

namespace graze {
namespace box_tree_detail {

constexpr int kMortonBits = 20;
// How often the usual region is found, each time without what was outside of the last one.
constexpr int kCentreRounds = 3;
// Four classes of size: up to 2^kClassBits times the usual size, as many times as large, and so on.
// In the benchmark's scene, whose boxes are a factor of 20 apart, a walk visits 58 groups with 2,
// 41 with 3, 37 with 4 and 29 without classes; 4 leaves alone what is about as large, and the whole
// takes as long as without.
constexpr int kClassBits = 4;
constexpr int kClassCount = 4;

// The centre without overflow; NaN where the box is infinite along an axis or empty.
GRAZE_INLINE Vec3 finite_centre(const Aabb& box) {
    return box.min * 0.5f + box.max * 0.5f;
}

// The longest side as a power of two, rounded down; 128 where it is infinite.
GRAZE_INLINE int size_exponent(const Aabb& box) {
    const Vec3 size = extent(box);
    const float longest = max_of(max_of(size.x, 0.0f), max_of(size.y, size.z));
    return static_cast<int>(std::bit_cast<std::uint32_t>(longest) >> 23) - 127;
}

struct CentreOf {
    const Aabb* boxes;
    const UsualRegion* usual;  // what is outside is left out; nothing is where this is null
    GRAZE_HD CentreSums operator()(std::int64_t i) const {
        const Vec3 centre = finite_centre(boxes[i]);
        if (!is_finite(centre) || (usual && !contains(usual->bounds, centre)))
            return {{}, {}, 0, 0, Aabb::empty()};
        const auto c = static_cast<Vec3d>(centre);
        const auto exponent = static_cast<double>(size_exponent(boxes[i]));
        return {c, scale(c, c), exponent, 1, {centre, centre}};
    }
};
struct AddSums {
    GRAZE_HD CentreSums operator()(const CentreSums& a, const CentreSums& b) const {
        return {a.sum + b.sum, a.sum_sq + b.sum_sq, a.exponent_sum + b.exponent_sum,
                a.count + b.count, merge(a.bounds, b.bounds)};
    }
};

// Most centres are within six standard deviations of the mean; all are where they are spread
// evenly. The slack covers the variance's rounding. The usual size is the geometric mean, which few
// very large ones do not change.
struct FindUsualRegion {
    const CentreSums* sums;
    UsualRegion* usual;
    GRAZE_HD void operator()(std::int64_t) const {
        const CentreSums s = *sums;
        Aabb most;
        for (int axis = 0; axis < 3; ++axis) {
            const double mean = s.sum[axis] / s.count;
            const double variance = max_of(s.sum_sq[axis] / s.count - mean * mean, 0.0);
            const double reach = 6 * std::sqrt(variance) + 1e-6 * max_of(mean, -mean);
            most.min[axis] = static_cast<float>(mean - reach);
            most.max[axis] = static_cast<float>(mean + reach);
        }
        *usual = {intersect(s.bounds, most), static_cast<float>(s.exponent_sum / s.count)};
    }
};

struct ComputeKey {
    const Aabb* boxes;
    const UsualRegion* usual;
    std::uint64_t* keys;
    std::uint32_t* indices;
    GRAZE_HD void operator()(std::int64_t i) const {
        const Aabb box = boxes[i];
        const float above = (static_cast<float>(size_exponent(box)) - usual->exponent) / kClassBits;
        const auto size_class =
            static_cast<std::uint64_t>(above >= 1 ? min_of(above, kClassCount - 1.0f) : 0.0f);
        const MortonGrid grid = MortonGrid::over(usual->bounds, kMortonBits);
        keys[i] = size_class << 3 * kMortonBits | grid.code(finite_centre(box));
        indices[i] = static_cast<std::uint32_t>(i);
    }
};

// Makes infinities the largest finite floats, with which every comparison turns out alike, except
// that an empty box does not touch them.
GRAZE_INLINE float to_finite(float x) {
    constexpr float kLargest = std::numeric_limits<float>::max();
    return clamp(x, -kLargest, kLargest);
}

struct GatherBox {
    const Aabb* boxes;
    const std::uint32_t* indices;
    std::int64_t count;
    BoxGroup* groups;
    GRAZE_HD void operator()(std::int64_t slot) const {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        const Aabb box = slot < count ? boxes[indices[slot]] : Aabb::empty();
        const bool is_empty = box.is_empty();
        const std::int64_t lane = slot % kGroupSize;
        BoxGroup& group = groups[slot / kGroupSize];
        for (int axis = 0; axis < 3; ++axis) {
            group.min[axis][lane] = is_empty ? kInfinity : to_finite(box.min[axis]);
            group.max[axis][lane] = is_empty ? -kInfinity : to_finite(box.max[axis]);
        }
    }
};

// Stores the box of a group in the group of the next level.
struct MergeGroup {
    const BoxGroup* members;
    std::int64_t member_count;
    BoxGroup* groups;
    GRAZE_HD void operator()(std::int64_t member) const {
        const std::int64_t lane = member % kGroupSize;
        BoxGroup& group = groups[member / kGroupSize];
        for (int axis = 0; axis < 3; ++axis) {
            float low = std::numeric_limits<float>::infinity(), high = -low;
            for (int i = 0; i < kGroupSize && member < member_count; ++i) {
                low = min_of(low, members[member].min[axis][i]);
                high = max_of(high, members[member].max[axis][i]);
            }
            group.min[axis][lane] = low;
            group.max[axis][lane] = high;
        }
    }
};

// How many groups so many members need.
inline std::int64_t group_count(std::int64_t member_count) {
    return (member_count + kGroupSize - 1) / kGroupSize;
}
// How many levels so many boxes need, and the first group of a level, the root's being level 0.
inline int level_count(std::int64_t box_count) {
    int count = 1;
    while (std::int64_t{1} << (kGroupShift * count) < box_count)
        ++count;
    return count;
}
inline std::int64_t level_begin(int level) {
    return ((std::int64_t{1} << (kGroupShift * level)) - 1) / (kGroupSize - 1);
}

}  // namespace box_tree_detail

inline BoxTreeView BoxTree::view() const {
    using namespace box_tree_detail;
    const int level_count = indices.is_empty() ? 0 : box_tree_detail::level_count(indices.size());
    return {groups.data(), groups.data() + level_begin(max_of(level_count - 1, 0)), indices.data(),
            indices.size(), level_count};
}

// Fills usual. There is at least one box. Does not wait.
template <class Executor>
void find_usual_region(Executor& executor, const Aabb* boxes, std::int64_t count,
                       Buffer<CentreSums>& sums, Buffer<UsualRegion>& usual) {
    using namespace box_tree_detail;
    sums.resize(1);
    usual.resize(1);
    for (int round = 0; round < kCentreRounds; ++round) {
        executor.reduce("boxes: centres", count,
                        CentreOf{boxes, round > 0 ? usual.data() : nullptr}, AddSums{},
                        CentreSums{{}, {}, 0, 0, Aabb::empty()}, sums.data());
        executor.for_each("boxes: usual region", 1, FindUsualRegion{sums.data(), usual.data()});
    }
}

template <class Executor>
void build_box_tree(Executor& executor, const Aabb* boxes, std::int64_t count, BoxTree& tree) {
    using namespace box_tree_detail;
    if (count > kBoxTreeMaxBoxes) {
        throw Error("pairs among " + std::to_string(count) +
                    " bodies are beyond the broad phase: 2^27 bodies are the most");
    }
    tree.indices.resize(count);
    if (count == 0) return;
    tree.keys.resize(count);
    tree.sorted_keys.resize(count);
    tree.unsorted_indices.resize(count);
    find_usual_region(executor, boxes, count, tree.sums, tree.usual);
    executor.for_each(
        "box tree: keys", count,
        ComputeKey{boxes, tree.usual.data(), tree.keys.data(), tree.unsorted_indices.data()});
    executor.sort_by_key("box tree: sort", tree.keys.data(), tree.sorted_keys.data(),
                         tree.unsorted_indices.data(), tree.indices.data(), count,
                         3 * kMortonBits + 2);
    int level = level_count(count) - 1;
    std::int64_t member_count = group_count(count);
    tree.groups.resize(level_begin(level) + member_count);
    BoxGroup* groups = tree.groups.data();
    executor.for_each("box tree: gather", member_count * kGroupSize,
                      GatherBox{boxes, tree.indices.data(), count, groups + level_begin(level)});
    for (; level > 0; --level) {
        const BoxGroup* members = groups + level_begin(level);
        executor.for_each("box tree: merge", group_count(member_count) * kGroupSize,
                          MergeGroup{members, member_count, groups + level_begin(level - 1)});
        member_count = group_count(member_count);
    }
}

}  // namespace graze

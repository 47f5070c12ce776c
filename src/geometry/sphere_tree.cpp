// The points are halved again and again at the median along the longest side of their box, to parts
// of four to eight, which are the leaves. Every third halving is a level of the tree, counted from
// the leaves, so that all nodes but the root have eight children.
#include "geometry/sphere_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "geometry/smallest_ball.h"
#include "graze/error.h"
#include "parallel/cpu_executor.h"

namespace graze {

namespace {

// What is sorted into the tree: a point, or the middle of a triangle.
struct TreeItem {
    Vec3 place;
    std::uint32_t index;
};

// The points that an item stands for.
struct PointCorners {
    static constexpr int kCount = 1;
    static Vec3 corner(const TreeItem& item, int) { return item.place; }
};
struct FaceCorners {
    static constexpr int kCount = 3;
    const Vec3* positions;
    const Triangle* triangles;
    Vec3 corner(const TreeItem& item, int k) const { return positions[triangles[item.index][k]]; }
};

// Where the parts of a halving begin, and the end of the last one.
using PartOffsets = std::vector<std::uint32_t>;

void halve(TreeItem* begin, TreeItem* middle, TreeItem* end) {
    Aabb box = Aabb::empty();
    for (const TreeItem* item = begin; item < end; ++item)
        box = merge(box, item->place);
    const Vec3d sides = static_cast<Vec3d>(box.max) - static_cast<Vec3d>(box.min);
    const int axis = sides.x >= sides.y && sides.x >= sides.z ? 0 : sides.y >= sides.z ? 1 : 2;
    std::nth_element(begin, middle, end, [axis](const TreeItem& a, const TreeItem& b) {
        return a.place[axis] < b.place[axis];
    });
}

PartOffsets halve_parts(CpuExecutor& executor, std::vector<TreeItem>& items,
                        const PartOffsets& whole) {
    const std::size_t count = whole.size() - 1;
    PartOffsets halves(2 * count + 1);
    halves.back() = whole.back();
    executor.for_each(
        "sphere tree: halve", static_cast<std::int64_t>(count),
        [&](std::int64_t i) {
            const std::uint32_t begin = whole[i], end = whole[i + 1];
            const std::uint32_t middle = begin + (end - begin + 1) / 2;
            halves[2 * i] = begin;
            halves[2 * i + 1] = middle;
            halve(items.data() + begin, items.data() + middle, items.data() + end);
        },
        1);
    return halves;
}

// The radius that reaches a squared distance, rounded up.
float radius_to(double distance_sq) {
    // The square root and what it was made of are off by less than 4 parts in 2^52.
    const double distance = std::sqrt(distance_sq) * (1 + 0x1p-50);
    const auto radius = static_cast<float>(distance);
    return radius >= distance ? radius
                              : std::nextafter(radius, std::numeric_limits<float>::infinity());
}

// Puts a sphere around items: the smallest of those about the middle of the box and the centre of a
// small ball. On surfaces the latter is the smaller one by 5 percent, for half as much time again.
template <class Corners>
void enclose(const TreeItem* items, std::int64_t count, const Corners& corners, SphereNode& node) {
    const std::int64_t corner_count = count * Corners::kCount;
    const auto corner = [&](std::int64_t i) {
        return corners.corner(items[i / Corners::kCount], static_cast<int>(i % Corners::kCount));
    };
    const auto farthest_sq = [&](const Vec3& centre) {
        double result = 0;
        for (std::int64_t i = 0; i < corner_count; ++i) {
            result = max_of(result,
                            length_sq(static_cast<Vec3d>(corner(i)) - static_cast<Vec3d>(centre)));
        }
        return result;
    };
    Aabb box = Aabb::empty();
    for (std::int64_t i = 0; i < corner_count; ++i)
        box = merge(box, corner(i));
    const Vec3d middle = (static_cast<Vec3d>(box.min) + static_cast<Vec3d>(box.max)) * 0.5;
    // Four turns come within a part in 2000 of the smallest ball.
    const auto ball_centre = static_cast<Vec3>(small_ball_centre(
        corner_count, [&](std::int64_t i) { return static_cast<Vec3d>(corner(i)); }, middle, 5));
    const double box_sq = farthest_sq(static_cast<Vec3>(middle));
    const double ball_sq = is_finite(ball_centre) ? farthest_sq(ball_centre) : box_sq;
    node.centre = ball_sq < box_sq ? ball_centre : static_cast<Vec3>(middle);
    node.radius = radius_to(min_of(ball_sq, box_sq));
}

template <class Corners>
SphereTree build_tree(CpuExecutor& executor, std::vector<TreeItem> items, const Corners& corners) {
    SphereTree tree;
    const std::size_t count = items.size();
    if (count == 0) return tree;
    // By level, from the root down.
    std::vector<PartOffsets> levels;
    PartOffsets parts{0, static_cast<std::uint32_t>(count)};
    int halving_count = 0;
    for (std::size_t most = count; most > kSphereTreeWidth; most = (most + 1) / 2)
        ++halving_count;
    levels.push_back(parts);
    for (int left = halving_count; left > 0; --left) {
        parts = halve_parts(executor, items, parts);
        if ((left - 1) % 3 == 0) levels.push_back(parts);
    }
    std::size_t node_count = 0;
    for (const PartOffsets& level : levels)
        node_count += level.size() - 1;
    tree.nodes.resize(node_count);
    tree.level_count = static_cast<int>(levels.size());
    std::size_t first_node = 0;
    for (std::size_t level = 0; level < levels.size(); ++level) {
        const PartOffsets& offsets = levels[level];
        const std::size_t size = offsets.size() - 1, next_node = first_node + size;
        const bool is_last = level + 1 == levels.size();
        const std::size_t children = is_last ? 0 : (levels[level + 1].size() - 1) / size;
        executor.for_each(
            "sphere tree: enclose", static_cast<std::int64_t>(size),
            [&](std::int64_t i) {
                SphereNode& node = tree.nodes[first_node + i];
                enclose(items.data() + offsets[i], offsets[i + 1] - offsets[i], corners, node);
                node.is_leaf = is_last ? 1 : 0;
                node.first =
                    is_last ? offsets[i] : static_cast<std::uint32_t>(next_node + i * children);
                node.count =
                    static_cast<std::uint16_t>(is_last ? offsets[i + 1] - offsets[i] : children);
            },
            std::max<std::int64_t>(
                1, 512 * static_cast<std::int64_t>(size) / static_cast<std::int64_t>(count)));
        first_node = next_node;
    }
    tree.indices.resize(count);
    if (Corners::kCount == 1) tree.points.resize(count);
    executor.for_each("sphere tree: order", static_cast<std::int64_t>(count), [&](std::int64_t i) {
        tree.indices[i] = items[i].index;
        if (Corners::kCount == 1) tree.points[i] = items[i].place;
    });
    return tree;
}

std::vector<TreeItem> make_items(std::size_t count) {
    require_sphere_tree_capacity(count);
    return std::vector<TreeItem>(count);
}

}  // namespace

void require_sphere_tree_capacity(std::uint64_t count) {
    if (count <= kSphereTreeMaxPoints) return;
    throw Error("a tree of spheres holds at most 2^30 points or triangles, not " +
                std::to_string(count) + "; take fewer of them");
}

SphereTree build_sphere_tree(CpuExecutor& executor, const std::vector<Vec3>& points,
                             const std::vector<std::uint32_t>& chosen) {
    std::vector<TreeItem> items = make_items(chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i)
        items[i] = {points[chosen[i]], chosen[i]};
    return build_tree(executor, std::move(items), PointCorners{});
}

SphereTree build_sphere_tree(CpuExecutor& executor, const std::vector<Vec3>& points) {
    std::vector<TreeItem> items = make_items(points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
        items[i] = {points[i], static_cast<std::uint32_t>(i)};
    return build_tree(executor, std::move(items), PointCorners{});
}

SphereTree build_sphere_tree(CpuExecutor& executor, const Mesh& mesh) {
    std::vector<TreeItem> items = make_items(mesh.triangles.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Triangle& t = mesh.triangles[i];
        const Aabb box = box_of(mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]);
        items[i] = {box.min * 0.5f + box.max * 0.5f, static_cast<std::uint32_t>(i)};
    }
    return build_tree(executor, std::move(items),
                      FaceCorners{mesh.positions.data(), mesh.triangles.data()});
}

}  // namespace graze

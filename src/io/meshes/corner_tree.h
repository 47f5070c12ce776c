// CornerTree finds corners of a flat outline that lie in a triangle.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "geometry/predicates.h"

namespace graze::io {

struct Vec2d {
    double x, y;
};

// Returns 1 where abc turns left, -1 where it turns right and 0 where it is straight, exactly.
inline int orientation(const Vec2d& a, const Vec2d& b, const Vec2d& c) {
    return orient2d(a.x, a.y, b.x, b.y, c.x, c.y);
}
// Returns twice the signed area of abc, but for rounding.
inline double turn(const Vec2d& a, const Vec2d& b, const Vec2d& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// A balanced tree of boxes over the points of an outline, halved along the longer side. Corners
// come and go; a box is that of the corners that are in, so that it shrinks with them.
class CornerTree {
public:
    // The points, no two of which are farther apart than 2 along an axis, stay where they are while
    // the tree is used. No corner is in yet.
    explicit CornerTree(const std::vector<Vec2d>& points)
        : points_(points), order_(points.size()), leaves_(points.size()), is_in_(points.size(), 0) {
        std::iota(order_.begin(), order_.end(), 0u);
        while (leaf_count_ * kLeafSize < points.size())
            leaf_count_ *= 2;
        boxes_.resize(2 * leaf_count_);
        split(0, leaf_count_);
        for (std::size_t leaf = 0; leaf < leaf_count_; ++leaf)
            for (std::size_t slot = first_slot(leaf); slot < first_slot(leaf + 1); ++slot)
                leaves_[order_[slot]] = static_cast<std::uint32_t>(leaf);
    }

    bool contains(std::uint32_t corner) const { return is_in_[corner] != 0; }

    void insert(std::uint32_t corner) {
        is_in_[corner] = 1;
        for (std::size_t node = leaf_count_ + leaves_[corner]; node > 0; node /= 2)
            boxes_[node].add(points_[corner]);
    }

    void erase(std::uint32_t corner) {
        is_in_[corner] = 0;
        const std::size_t leaf = leaves_[corner];
        Box box;
        for (std::size_t slot = first_slot(leaf); slot < first_slot(leaf + 1); ++slot)
            if (is_in_[order_[slot]]) box.add(points_[order_[slot]]);
        std::size_t node = leaf_count_ + leaf;
        boxes_[node] = box;
        for (node /= 2; node > 0; node /= 2) {
            boxes_[node] = boxes_[2 * node];
            boxes_[node].add(boxes_[2 * node + 1]);
        }
    }

    // True where accept(corner) is true for one that is in and may lie in abc, which turns left, on
    // its border, or no farther than tolerance to the right of a side. Calls it for no other; steps
    // counts the boxes and corners looked at.
    template <class Accept>
    bool any_in(const Vec2d& a, const Vec2d& b, const Vec2d& c, double tolerance,
                std::int64_t& steps, const Accept& accept) const {
        Box around;
        // What is that near to two sides may be farther from where they meet; then it is not asked.
        for (const Vec2d& p : {a, b, c}) {
            around.add(Vec2d{p.x - tolerance, p.y - tolerance});
            around.add(Vec2d{p.x + tolerance, p.y + tolerance});
        }
        std::size_t stack[64];  // one for each level, of which there are 31 at most
        int depth = 0;
        stack[depth++] = 1;
        while (depth > 0) {
            const std::size_t node = stack[--depth];
            ++steps;
            const Box& box = boxes_[node];
            if (!around.touches(box) || box.is_right_of(a, b, tolerance) ||
                box.is_right_of(b, c, tolerance) || box.is_right_of(c, a, tolerance))
                continue;
            if (node < leaf_count_) {
                stack[depth++] = 2 * node;
                stack[depth++] = 2 * node + 1;
                continue;
            }
            const std::size_t leaf = node - leaf_count_;
            for (std::size_t slot = first_slot(leaf); slot < first_slot(leaf + 1); ++slot) {
                ++steps;
                if (is_in_[order_[slot]] && accept(order_[slot])) return true;
            }
        }
        return false;
    }

private:
    static constexpr std::size_t kLeafSize = 8;
    static constexpr double kInfinity = std::numeric_limits<double>::infinity();

    struct Box {
        Vec2d low{kInfinity, kInfinity}, high{-kInfinity, -kInfinity};

        void add(const Vec2d& p) {
            low = {std::min(low.x, p.x), std::min(low.y, p.y)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y)};
        }
        void add(const Box& box) {
            low = {std::min(low.x, box.low.x), std::min(low.y, box.low.y)};
            high = {std::max(high.x, box.high.x), std::max(high.y, box.high.y)};
        }
        bool touches(const Box& box) const {
            return low.x <= box.high.x && box.low.x <= high.x && low.y <= box.high.y &&
                   box.low.y <= high.y;
        }
        // True where each point of the box is farther than tolerance to the right of the line from
        // a to b. Values are at most 8 and are rounded four times, which is far less than the
        // margin.
        bool is_right_of(const Vec2d& a, const Vec2d& b, double tolerance) const {
            constexpr double kMargin = 1e-14;
            const Vec2d leftmost{b.y > a.y ? low.x : high.x, b.x > a.x ? high.y : low.y};
            return turn(a, b, leftmost) <
                   -kMargin - tolerance * (std::fabs(b.x - a.x) + std::fabs(b.y - a.y));
        }
    };

    std::size_t first_slot(std::size_t leaf) const { return leaf * order_.size() / leaf_count_; }

    // Orders the corners of these leaves, a power of two.
    void split(std::size_t first_leaf, std::size_t last_leaf) {
        if (last_leaf - first_leaf < 2) return;
        const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(first_slot(first_leaf));
        const auto end = order_.begin() + static_cast<std::ptrdiff_t>(first_slot(last_leaf));
        const std::size_t middle_leaf = (first_leaf + last_leaf) / 2;
        const auto middle = order_.begin() + static_cast<std::ptrdiff_t>(first_slot(middle_leaf));
        Box box;
        for (auto i = begin; i != end; ++i)
            box.add(points_[*i]);
        const bool by_x = box.high.x - box.low.x >= box.high.y - box.low.y;
        std::nth_element(begin, middle, end, [&](std::uint32_t i, std::uint32_t k) {
            return by_x ? points_[i].x < points_[k].x : points_[i].y < points_[k].y;
        });
        split(first_leaf, middle_leaf);
        split(middle_leaf, last_leaf);
    }

    const std::vector<Vec2d>& points_;
    std::size_t leaf_count_ = 1;         // a power of two
    std::vector<std::uint32_t> order_;   // corners, those of a leaf together
    std::vector<std::uint32_t> leaves_;  // of each corner
    std::vector<std::uint8_t> is_in_;
    std::vector<Box> boxes_;  // of node i > 0, whose halves are 2i and 2i + 1; leaves come last
};

}  // namespace graze::io

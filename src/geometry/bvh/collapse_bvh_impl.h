// collapse_bvh: a binary tree becomes one with up to eight children a node, whatever its nodes look
// like in memory.
//
// The collapse goes level by level from the root: open_children() chooses the children of every
// node of a level, and a scan of their counts gives them their offsets, so that the same tree is
// always laid out alike.
//
// A layout says how nodes are stored. It has an array of nodes, level by level, and one of units,
// which hold what the children of a node need beside that. It is callable on both machines:
// - bool is_leaf(std::int32_t child) const: true where a child (as BvhNode::child) becomes a leaf;
// - static constexpr std::uint32_t kInnerUnits, kLeafUnits: how many units a child takes;
// - void store_children(std::int64_t node, const OpenedChildren& children) const: stores what is
//   known of a node before its children have offsets;
// - void link_children(std::int64_t node, const ChildOffsets& offsets) const: links the node with
//   its children, and writes the roots of those that are no leaves.
#pragma once

#include "geometry/bvh/collapse_bvh.h"

namespace graze {

// The children of a node, as BvhNode::child, and where their boxes are: 2 * binary node + side.
struct OpenedChildren {
    int count = 0, leaf_count = 0;
    std::int32_t child[kWideBvhWidth];
    std::int32_t source[kWideBvhWidth];
};

// Where the children of a node go.
struct ChildOffsets {
    std::int64_t first_node;   // the index of the first inner child; the others follow it
    std::uint32_t first_unit;  // the first unit of all children
    std::int32_t* roots;       // by inner child, out: the binary node that it comes from
};

// Nodes and units of a collapsed tree.
struct CollapsedSize {
    std::int64_t node_count;
    std::uint32_t unit_count;
};

// The box that a source stands for, and the child (as BvhNode::child) that has it.
GRAZE_INLINE const Aabb& source_box(const BvhNode* binary, std::int32_t source) {
    return binary[source / 2].box[source % 2];
}
GRAZE_INLINE std::int32_t source_child(const BvhNode* binary, std::int32_t source) {
    return binary[source / 2].child[source % 2];
}

namespace collapse_detail {

// Starts from the two children of a binary node and opens the largest one that is no leaf, until
// there are eight or nothing but leaves.
template <class Layout>
GRAZE_INLINE OpenedChildren open_children(const BvhNode* binary, std::int32_t root,
                                          const Layout& layout) {
    OpenedChildren opened;
    float areas[kWideBvhWidth];  // of children that may be opened; -1 for leaves
    const auto put = [&](int k, std::int32_t parent, int side) {
        opened.child[k] = binary[parent].child[side];
        opened.source[k] = 2 * parent + side;
        areas[k] = layout.is_leaf(opened.child[k]) ? -1.0f : half_area(binary[parent].box[side]);
    };
    put(opened.count++, root, 0);
    if (binary[root].count > 1) put(opened.count++, root, 1);
    while (opened.count < kWideBvhWidth) {
        int largest = 0;
        for (int k = 1; k < opened.count; ++k) {
            if (areas[k] > areas[largest]) largest = k;
        }
        if (areas[largest] < 0) break;
        const std::int32_t parent = opened.child[largest];
        put(largest, parent, 0);
        put(opened.count++, parent, 1);
    }
    for (int k = 0; k < opened.count; ++k)
        opened.leaf_count += areas[k] < 0 ? 1 : 0;
    return opened;
}

struct StartAtRoot {
    std::int32_t* roots;
    GRAZE_HD void operator()(std::int64_t) const { roots[0] = 0; }
};

template <class Layout>
struct OpenNode {
    const BvhNode* binary;
    Layout layout;
    std::int64_t begin;  // the first node of this level
    const std::int32_t* roots;
    std::uint64_t* child_counts;

    GRAZE_HD void operator()(std::int64_t i) const {
        const OpenedChildren children = open_children(binary, roots[i], layout);
        const auto leaf_count = static_cast<std::uint64_t>(children.leaf_count);
        const auto inner_count = static_cast<std::uint64_t>(children.count) - leaf_count;
        child_counts[i] =
            inner_count | (inner_count * Layout::kInnerUnits + leaf_count * Layout::kLeafUnits)
                              << 32;
        layout.store_children(begin + i, children);
    }
};

template <class Layout>
struct LinkNode {
    Layout layout;
    std::int64_t begin, next_begin;  // the first nodes of this level and of the next
    std::uint32_t next_unit;         // the first unit of this level's children
    const std::uint64_t* child_offsets;
    std::int32_t* next_roots;

    GRAZE_HD void operator()(std::int64_t i) const {
        const auto inner = static_cast<std::int64_t>(child_offsets[i] & 0xffffffffu);
        const auto unit = static_cast<std::uint32_t>(child_offsets[i] >> 32);
        layout.link_children(begin + i, {next_begin + inner, next_unit + unit, next_roots + inner});
    }
};

}  // namespace collapse_detail

// Collapses a tree that is not empty into a layout with room for most_nodes nodes. The units begin
// with first_unit. Waits once a level.
template <class Executor, class Layout>
CollapsedSize collapse_bvh(Executor& executor, const Bvh& bvh, const Layout& layout,
                           std::int64_t most_nodes, std::uint32_t first_unit,
                           CollapseWorkspace& workspace) {
    using namespace collapse_detail;
    for (Buffer<std::int32_t>& roots : workspace.roots)
        roots.resize(most_nodes);
    workspace.child_counts.resize(most_nodes);
    workspace.child_offsets.resize(most_nodes + 1);
    const BvhNode* binary = bvh.nodes.data();
    std::uint64_t* child_counts = workspace.child_counts.data();
    std::uint64_t* child_offsets = workspace.child_offsets.data();
    std::int32_t* roots = workspace.roots[0].data();
    std::int32_t* next_roots = workspace.roots[1].data();
    executor.for_each("collapse: start", 1, StartAtRoot{roots});
    std::int64_t begin = 0, count = 1;
    std::uint32_t next_unit = first_unit;
    while (count > 0) {
        executor.for_each("collapse: open nodes", count,
                          OpenNode<Layout>{binary, layout, begin, roots, child_counts}, 64);
        executor.exclusive_scan("collapse: offsets", child_counts, child_offsets, count);
        executor.for_each(
            "collapse: link nodes", count,
            LinkNode<Layout>{layout, begin, begin + count, next_unit, child_offsets, next_roots},
            64);
        const std::uint64_t children = executor.read(child_offsets + count);
        begin += count;
        count = static_cast<std::int64_t>(children & 0xffffffffu);
        next_unit += static_cast<std::uint32_t>(children >> 32);
        std::swap(roots, next_roots);
    }
    return {begin, next_unit};
}

}  // namespace graze

// A WideBvh as a layout of collapse_bvh(): a subtree of up to eight triangles becomes one leaf, a
// packet.
#pragma once

#include "geometry/bvh/collapse_bvh_impl.h"
#include "geometry/bvh/wide_bvh.h"

namespace graze {
namespace wide_detail {

GRAZE_INLINE void set_box(WideBvhNode& node, int lane, const Aabb& box) {
    for (int axis = 0; axis < 3; ++axis) {
        node.bounds[axis][lane] = box.min[axis];
        node.bounds[3 + axis][lane] = box.max[axis];
    }
}

struct WideLayout {
    // A unit is a packet.
    static constexpr std::uint32_t kInnerUnits = 0, kLeafUnits = 1;

    const BvhNode* binary;
    WideBvhNode* nodes;
    TrianglePacket* packets;

    GRAZE_INLINE bool is_leaf(std::int32_t child) const {
        return child < 0 || binary[child].count <= kWideBvhWidth;
    }

    GRAZE_INLINE void store_children(std::int64_t index, const OpenedChildren& children) const {
        WideBvhNode& node = nodes[index];
        for (int lane = 0; lane < kWideBvhWidth; ++lane) {
            node.child[lane] = lane < children.count ? children.child[lane] : ~0;
            node.source[lane] = lane < children.count ? children.source[lane] : -1;
        }
        for (int lane = 0; lane < children.count; ++lane)
            set_box(node, lane, source_box(binary, children.source[lane]));
        for (int lane = children.count; lane < kWideBvhWidth; ++lane)
            set_box(node, lane, Aabb::empty());
    }

    GRAZE_INLINE void link_children(std::int64_t index, const ChildOffsets& offsets) const {
        auto next_node = static_cast<std::int32_t>(offsets.first_node);
        auto next_packet = static_cast<std::int32_t>(offsets.first_unit);
        std::int32_t* root = offsets.roots;
        WideBvhNode& node = nodes[index];
        for (int lane = 0; lane < kWideBvhWidth && node.source[lane] >= 0; ++lane) {
            std::int32_t& child = node.child[lane];
            if (is_leaf(child)) {
                list_slots(child, packets[next_packet]);
                child = ~next_packet++;
            } else {
                *root++ = child;
                child = next_node++;
            }
        }
    }

    GRAZE_HD void list_slots(std::int32_t root, TrianglePacket& packet) const {
        std::int32_t stack[kWideBvhWidth];
        int top = 0, count = 0;
        stack[top++] = root;
        while (top > 0) {
            const std::int32_t child = stack[--top];
            if (child < 0) {
                packet.slot[count++] = static_cast<std::uint32_t>(~child);
            } else {
                stack[top++] = binary[child].child[1];
                stack[top++] = binary[child].child[0];
            }
        }
        for (; count < kWideBvhWidth; ++count)
            packet.slot[count] = packet.slot[0];
    }
};

struct TakeBoxes {
    const BvhNode* binary;
    WideBvhNode* nodes;
    GRAZE_HD void operator()(std::int64_t i) const {
        for (int lane = 0; lane < kWideBvhWidth; ++lane) {
            const std::int32_t source = nodes[i].source[lane];
            if (source >= 0) set_box(nodes[i], lane, source_box(binary, source));
        }
    }
};

struct TakeTriangles {
    const BvhTriangle* triangles;
    TrianglePacket* packets;
    GRAZE_HD void operator()(std::int64_t i) const {
        TrianglePacket& packet = packets[i];
        for (int lane = 0; lane < kWideBvhWidth; ++lane) {
            const BvhTriangle& triangle = triangles[packet.slot[lane]];
            const Vec3 corners[3] = {triangle.a, triangle.b, triangle.c};
            for (int corner = 0; corner < 3; ++corner) {
                for (int axis = 0; axis < 3; ++axis)
                    packet.corner[corner][axis][lane] = corners[corner][axis];
            }
            packet.index[lane] = triangle.index;
        }
    }
};

template <class Executor>
void take_triangles(Executor& executor, const TriangleBvh& bvh, WideBvh& wide) {
    executor.for_each("wide bvh: take triangles", wide.packets.size(),
                      TakeTriangles{bvh.triangles.data(), wide.packets.data()}, 64);
}

}  // namespace wide_detail

template <class Executor>
void build_wide_bvh(Executor& executor, const TriangleBvh& bvh, WideBvh& wide) {
    using namespace wide_detail;
    const Bvh& tree = bvh.tree;
    // There is room for the worst case, of which the end is cut: every wide node has two children,
    // every leaf one triangle.
    wide.nodes.resize(tree.nodes.size());
    wide.packets.resize(tree.primitives.size());
    if (tree.nodes.is_empty()) return;
    const WideLayout layout{tree.nodes.data(), wide.nodes.data(), wide.packets.data()};
    const CollapsedSize size =
        collapse_bvh(executor, tree, layout, tree.nodes.size(), 0, wide.workspace);
    wide.nodes.resize(size.node_count);
    wide.packets.resize(size.unit_count);
    take_triangles(executor, bvh, wide);
}

template <class Executor>
void refit_wide_bvh(Executor& executor, const TriangleBvh& bvh, WideBvh& wide) {
    using namespace wide_detail;
    executor.for_each("wide bvh: take boxes", wide.nodes.size(),
                      TakeBoxes{bvh.tree.nodes.data(), wide.nodes.data()}, 64);
    take_triangles(executor, bvh, wide);
}

}  // namespace graze

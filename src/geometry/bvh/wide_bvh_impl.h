// Level by level from the root: open_children() chooses a wide node's children, and the next
// level's nodes and leaves get their places by a scan, so the layout never varies.
#pragma once

#include "geometry/bvh/wide_bvh.h"

namespace graze {
namespace wide_detail {

// How many inner nodes (low half) and leaves (high half) a wide node has below it.
constexpr std::uint64_t kInner = 1, kLeaf = std::uint64_t{1} << 32;

GRAZE_INLINE bool is_leaf(const BvhNode* binary, std::int32_t ref) {
    return ref < 0 || binary[ref].count <= kWideBvhWidth;
}

GRAZE_INLINE void set_box(WideBvhNode& node, int lane, const Aabb& box) {
    for (int axis = 0; axis < 3; ++axis) {
        node.bounds[axis][lane] = box.min[axis];
        node.bounds[3 + axis][lane] = box.max[axis];
    }
}

struct StartAtRoot {
    std::int32_t* roots;
    GRAZE_HD void operator()(std::int64_t) const { roots[0] = 0; }
};

struct IsWideLeaf {
    const BvhNode* binary;
    GRAZE_HD bool operator()(std::int32_t ref) const { return is_leaf(binary, ref); }
};

struct OpenNode {
    const BvhNode* binary;
    const std::int32_t* roots;
    WideBvhNode* level;  // the first node of this level
    std::uint64_t* child_counts;

    GRAZE_HD void operator()(std::int64_t i) const {
        WideBvhNode& node = level[i];
        const int count =
            open_children(binary, roots[i], IsWideLeaf{binary}, node.child, node.source);
        child_counts[i] = 0;
        for (int lane = 0; lane < count; ++lane) {
            set_box(node, lane, source_box(binary, node.source[lane]));
            child_counts[i] += is_leaf(binary, node.child[lane]) ? kLeaf : kInner;
        }
        for (int lane = count; lane < kWideBvhWidth; ++lane) {
            node.child[lane] = ~0;
            node.source[lane] = -1;
            set_box(node, lane, Aabb::empty());
        }
    }
};

// Gives the children their final references, and fills the leaves.
struct LinkChildren {
    const BvhNode* binary;
    WideBvhNode* level;
    const std::uint64_t* child_offsets;
    std::int32_t next_level;   // index of its first node
    std::int32_t next_packet;  // index of the first packet below this level
    std::int32_t* next_roots;
    TrianglePacket* packets;

    GRAZE_HD void operator()(std::int64_t i) const {
        auto inner = static_cast<std::int32_t>(child_offsets[i] & 0xffffffffu);
        auto leaf = static_cast<std::int32_t>(child_offsets[i] >> 32);
        for (int lane = 0; lane < kWideBvhWidth && level[i].source[lane] >= 0; ++lane) {
            std::int32_t& child = level[i].child[lane];
            if (is_leaf(binary, child)) {
                list_slots(child, packets[next_packet + leaf]);
                child = ~(next_packet + leaf++);
            } else {
                next_roots[inner] = child;
                child = next_level + inner++;
            }
        }
    }

    GRAZE_HD void list_slots(std::int32_t ref, TrianglePacket& packet) const {
        std::int32_t stack[kWideBvhWidth];
        int top = 0, count = 0;
        stack[top++] = ref;
        while (top > 0) {
            const std::int32_t r = stack[--top];
            if (r < 0) {
                packet.slot[count++] = static_cast<std::uint32_t>(~r);
            } else {
                stack[top++] = binary[r].child[1];
                stack[top++] = binary[r].child[0];
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
    // Room for the worst case, of which the end is cut: every wide node has two children, every
    // leaf one triangle.
    wide.nodes.resize(tree.nodes.size());
    wide.packets.resize(tree.primitives.size());
    if (tree.nodes.is_empty()) return;
    for (Buffer<std::int32_t>& roots : wide.roots)
        roots.resize(tree.nodes.size());
    wide.child_counts.resize(tree.nodes.size());
    wide.child_offsets.resize(tree.nodes.size() + 1);
    int side = 0;
    executor.for_each("wide bvh: start", 1, StartAtRoot{wide.roots[side].data()});
    std::int32_t begin = 0, count = 1, packet_count = 0;
    while (count > 0) {
        WideBvhNode* level = wide.nodes.data() + begin;
        executor.for_each(
            "wide bvh: open nodes", count,
            OpenNode{tree.nodes.data(), wide.roots[side].data(), level, wide.child_counts.data()},
            64);
        executor.exclusive_scan("wide bvh: place children", wide.child_counts.data(),
                                wide.child_offsets.data(), count);
        executor.for_each(
            "wide bvh: link children", count,
            LinkChildren{tree.nodes.data(), level, wide.child_offsets.data(), begin + count,
                         packet_count, wide.roots[1 - side].data(), wide.packets.data()},
            64);
        const std::uint64_t children = executor.read(wide.child_offsets.data() + count);
        begin += count;
        count = static_cast<std::int32_t>(children & 0xffffffffu);
        packet_count += static_cast<std::int32_t>(children >> 32);
        side = 1 - side;
    }
    wide.nodes.resize(begin);
    wide.packets.resize(packet_count);
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

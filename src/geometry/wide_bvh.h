// WideBvh: a TriangleBvh with up to eight children a node and up to eight triangles a leaf, tested
// at once; for queries on the host. Queries and their answers are the same as for the TriangleBvh
// that it is made from.
#pragma once

#include <bit>

#include "core/lanes.h"
#include "geometry/triangle_bvh.h"
#include "parallel/cpu_executor.h"

namespace graze {

struct alignas(64) WideBvhNode {
    AabbT<Float8> box;       // [m] of the children; empty where there are fewer than eight
    std::int32_t child[8];   // a node where >= 0, else ~index of a packet
    std::int32_t source[8];  // where the box comes from: 2 * binary node + side; -1 for none
};

struct alignas(64) TrianglePacket {
    Float8 corner[3][3];     // [m] corner, axis, lane; unused lanes repeat the first triangle
    std::uint32_t index[8];  // the caller's
    std::uint32_t slot[8];   // where the triangle is in the TriangleBvh
};

struct WideBvh {
    Buffer<WideBvhNode> nodes{host_memory()};
    Buffer<TrianglePacket> packets{host_memory()};
    // For building; kept so that building again allocates nothing.
    Buffer<std::int32_t> roots[2] = {Buffer<std::int32_t>(host_memory()),
                                     Buffer<std::int32_t>(host_memory())};
    Buffer<std::uint64_t> child_counts{host_memory()}, child_offsets{host_memory()};
};

void build_wide_bvh(CpuExecutor& executor, const TriangleBvh& bvh, WideBvh& wide);
// Takes over the boxes and corners of a refitted TriangleBvh.
void refit_wide_bvh(CpuExecutor& executor, const TriangleBvh& bvh, WideBvh& wide);

namespace detail {

// Asks for all cache lines of an object that will be looked at soon.
template <class T>
GRAZE_INLINE void prefetch(const T* object) {
    for (std::size_t offset = 0; offset < sizeof(T); offset += 64) {
        __builtin_prefetch(reinterpret_cast<const char*>(object) + offset);
    }
}

template <class Query>
GRAZE_INLINE void visit_packet(const TrianglePacket& packet, Query& query) {
    const Float8 bounds = query.enter_triangles(packet.corner);
    for (std::uint32_t mask = mask_less_equal(bounds, spread<Float8>(query.limit())); mask != 0;
         mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        if (lane > 0 && packet.index[lane] == packet.index[0]) break;  // the rest is unused
        const auto corner = [&](int c) {
            return Vec3{packet.corner[c][0][lane], packet.corner[c][1][lane],
                        packet.corner[c][2][lane]};
        };
        query.look_at({corner(0), corner(1), corner(2), packet.index[lane], {0, 0}});
    }
}

}  // namespace detail

// As traverse(const BvhView&, Query&), for the queries of triangles: those have
//     template <class S> S enter_triangles(const S (&corner)[3][3]) const;   as enter(), for
//     several triangles void look_at(const BvhTriangle& triangle);                            as
//     visit(), with the triangle at hand
template <class Query>
void traverse(const WideBvh& wide, Query& query) {
    if (wide.nodes.is_empty()) return;
    struct Entry {
        std::int32_t ref;
        float bound;
    };
    Entry stack[kBvhMaxDepth * (kLaneCount - 1) + 1];
    Entry* top = stack;
    const WideBvhNode* nodes = wide.nodes.data();
    const TrianglePacket* packets = wide.packets.data();
    std::int32_t next = 0;
    for (;;) {
        const WideBvhNode& node = nodes[next];
        const Float8 bounds = query.enter(node.box);
        std::uint32_t mask = mask_less_equal(bounds, spread<Float8>(query.limit()));
        // Entered children go on the stack, farthest first, by insertion: there are rarely more
        // than three.
        Entry* const base = top;
        for (; mask != 0; mask &= mask - 1) {
            const int lane = std::countr_zero(mask);
            const Entry entry{node.child[lane], bounds[lane]};
            if (entry.ref >= 0) {
                detail::prefetch(nodes + entry.ref);
            } else {
                detail::prefetch(packets + ~entry.ref);
            }
            Entry* place = top++;
            for (; place > base && place[-1].bound < entry.bound; --place)
                *place = place[-1];
            *place = entry;
        }
        for (;;) {
            if (top == stack) return;
            const Entry entry = *--top;
            if (!(entry.bound <= query.limit())) continue;
            if (entry.ref >= 0) {
                next = entry.ref;
                break;
            }
            detail::visit_packet(packets[~entry.ref], query);
        }
    }
}

}  // namespace graze

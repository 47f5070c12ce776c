// Walking a WideBvh on the host, eight boxes or triangles at a time. The queries are those of
// triangles, which have, beside what bvh_traverse.h asks for,
// - template <class S> S enter_triangles(const S (&corner)[3][3]) const: enter() for triangles;
// - void look_at(const BvhTriangle& triangle): visit() with the triangle at hand.
#pragma once

#include <bit>

#include "core/lanes.h"
#include "geometry/bvh/wide_bvh.h"

namespace graze {
namespace detail {

static_assert(kWideBvhWidth == kLaneCount);

// Sees rows of eight floats as lanes; a vector may alias its elements.
GRAZE_INLINE const AabbT<Float8>& lanes_of(const float (&bounds)[6][kWideBvhWidth]) {
    static_assert(sizeof(AabbT<Float8>) == sizeof(bounds));
    return reinterpret_cast<const AabbT<Float8>&>(bounds);
}
GRAZE_INLINE const Float8 (&lanes_of(const float (&corner)[3][3][kWideBvhWidth]))[3][3] {
    return reinterpret_cast<const Float8(&)[3][3]>(corner);
}

// Asks for all cache lines of an object that will be looked at soon.
template <class T>
GRAZE_INLINE void prefetch(const T* object) {
    for (std::size_t offset = 0; offset < sizeof(T); offset += 64) {
        __builtin_prefetch(reinterpret_cast<const char*>(object) + offset);
    }
}

template <class Query>
GRAZE_INLINE void visit_packet(const TrianglePacket& packet, Query& query) {
    const Float8 bounds = query.enter_triangles(lanes_of(packet.corner));
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

template <class Query>
void traverse(const WideBvhView& wide, Query& query) {
    if (wide.node_count == 0) return;
    struct Entry {
        std::int32_t ref;
        float bound;
    };
    Entry stack[kBvhMaxDepth * (kWideBvhWidth - 1) + 1];
    Entry* top = stack;
    std::int32_t next = 0;
    for (;;) {
        const WideBvhNode& node = wide.nodes[next];
        const Float8 bounds = query.enter(detail::lanes_of(node.bounds));
        std::uint32_t mask = mask_less_equal(bounds, spread<Float8>(query.limit()));
        // Entered children go on the stack, farthest first, by insertion: there are rarely more
        // than three.
        Entry* const base = top;
        for (; mask != 0; mask &= mask - 1) {
            const int lane = std::countr_zero(mask);
            const Entry entry{node.child[lane], bounds[lane]};
            if (entry.ref >= 0) {
                detail::prefetch(wide.nodes + entry.ref);
            } else {
                detail::prefetch(wide.packets + ~entry.ref);
            }
            Entry* slot = top++;
            for (; slot > base && slot[-1].bound < entry.bound; --slot)
                *slot = slot[-1];
            *slot = entry;
        }
        for (;;) {
            if (top == stack) return;
            const Entry entry = *--top;
            if (!(entry.bound <= query.limit())) continue;
            if (entry.ref >= 0) {
                next = entry.ref;
                break;
            }
            detail::visit_packet(wide.packets[~entry.ref], query);
        }
    }
}

}  // namespace graze

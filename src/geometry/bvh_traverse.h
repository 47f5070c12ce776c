// Walking a Bvh, separate from what is asked of it. A query is a class with
//     template <class S> S enter(const AabbT<S>& box) const;   a lower bound of its measure over
//     all in the box float limit() const;                                     boxes whose bound is
//     larger (or NaN) are skipped void visit(std::uint32_t slot);                          looks at
//     one primitive, and may lower the limit
// and may have
//     bool skips(std::int32_t child, int side) const;          true for a child that is of no
//     interest at all
// Measures are distances, ray parameters or, for plain overlap, 0 against a limit of 0. S is float
// here and eight lanes in wide_bvh.h. Nearer boxes are visited first. A query ends early by
// lowering its limit below any measure.
#pragma once

#include "geometry/bvh.h"

namespace graze {

// A node as four 16-byte loads, which the device's compiler does not find by itself.
GRAZE_INLINE BvhNode load_node(const BvhNode* place) {
#if GRAZE_ON_DEVICE
    static_assert(sizeof(BvhNode) == 4 * sizeof(float4));
    BvhNode node;
    for (int i = 0; i < 4; ++i) {
        reinterpret_cast<float4*>(&node)[i] = __ldg(reinterpret_cast<const float4*>(place) + i);
    }
    return node;
#else
    return *place;
#endif
}

// A node's two children, the one with the smaller bound first.
struct ChildOrder {
    GRAZE_INLINE ChildOrder(float bound0, float bound1, const std::int32_t* child) {
        const bool swapped = bound1 < bound0;
        near_bound = swapped ? bound1 : bound0;
        far_bound = swapped ? bound0 : bound1;
        near_child = swapped ? child[1] : child[0];
        far_child = swapped ? child[0] : child[1];
    }
    float near_bound, far_bound;
    std::int32_t near_child, far_child;
};

template <class Query>
GRAZE_INLINE float enter_child(const Query& query, const BvhNode& node, int side) {
    if constexpr (requires { query.skips(node.child[side], side); }) {
        if (query.skips(node.child[side], side)) return std::numeric_limits<float>::quiet_NaN();
    }
    return query.enter(node.box[side]);
}

template <class Query>
GRAZE_HD void traverse(const BvhView& bvh, Query& query) {
    if (bvh.primitive_count == 0) return;
    constexpr std::int32_t kNone = -1;
    struct Entry {
        std::int32_t node;
        float bound;
    };
    Entry stack[kBvhMaxDepth];
    int top = 0;
    std::int32_t next = 0;
    for (;;) {
        const BvhNode node = load_node(bvh.nodes + next);
        const ChildOrder order(enter_child(query, node, 0), enter_child(query, node, 1),
                               node.child);
        next = kNone;
        if (order.near_bound <= query.limit()) {
            if (order.near_child < 0) {
                query.visit(static_cast<std::uint32_t>(~order.near_child));
            } else {
                next = order.near_child;
            }
        }
        if (order.far_bound <= query.limit()) {
            if (order.far_child < 0) {
                query.visit(static_cast<std::uint32_t>(~order.far_child));
            } else if (next == kNone) {
                next = order.far_child;
            } else {
                stack[top++] = {order.far_child, order.far_bound};
            }
        }
        while (next == kNone) {
            if (top == 0) return;
            const Entry entry = stack[--top];
            if (entry.bound <= query.limit()) next = entry.node;
        }
    }
}

// The same visits in the same order without a stack: on the way up a node is read again and the
// order of its children found anew (after Hapala et al., "Efficient Stack-less BVH Traversal for
// Ray Tracing", 2011).
template <class Query>
GRAZE_HD void traverse_stackless(const BvhView& bvh, Query& query) {
    if (bvh.primitive_count == 0) return;
    std::int32_t at = 0;
    std::int32_t from = 0;
    bool descending = true;
    while (at >= 0) {
        const BvhNode node = load_node(bvh.nodes + at);
        const ChildOrder order(enter_child(query, node, 0), enter_child(query, node, 1),
                               node.child);
        std::int32_t down = -1;
        if (descending) {
            if (order.near_bound <= query.limit()) {
                if (order.near_child < 0) {
                    query.visit(static_cast<std::uint32_t>(~order.near_child));
                } else {
                    down = order.near_child;
                }
            }
            if (order.far_bound <= query.limit()) {
                if (order.far_child < 0) {
                    query.visit(static_cast<std::uint32_t>(~order.far_child));
                } else if (down < 0) {
                    down = order.far_child;
                }
            }
        } else if (from == order.near_child && order.far_child >= 0 &&
                   order.far_bound <= query.limit()) {
            down = order.far_child;
        }
        descending = down >= 0;
        from = at;
        at = descending ? down : node.parent;
    }
}

}  // namespace graze

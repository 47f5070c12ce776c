// Walking a Bvh, separate from what is asked of it. A query is a class with
// - template <class S> S enter(const AabbT<S>& box) const: a lower bound of its measure in the box;
// - float limit() const: boxes whose bound is larger, or NaN, are skipped;
// - void visit(std::uint32_t slot): looks at one primitive, and may lower the limit;
// - static constexpr bool kVisitsInPassing: true where a visit costs less than to put it off;
// - optionally bool can_skip(std::int32_t child, int side) const: true for a child of no interest.
// Measures are distances, ray parameters or, for plain overlap, 0 against a limit of 0. S is float
// here and eight lanes in wide_traverse.h. Nearer boxes are visited first. A query ends early by
// lowering its limit below any measure.
#pragma once

#include "core/warp.h"
#include "geometry/bvh/bvh.h"

namespace graze {

// Reads a node by four 16-byte loads, put together in registers: the device's compiler finds
// neither by itself.
GRAZE_INLINE BvhNode load_node(const BvhNode* source) {
#if GRAZE_ON_DEVICE
    static_assert(sizeof(BvhNode) == 4 * sizeof(float4));
    const auto* words = reinterpret_cast<const float4*>(source);
    const float4 a = __ldg(words), b = __ldg(words + 1), c = __ldg(words + 2), d = __ldg(words + 3);
    return {{{{a.x, a.y, a.z}, {a.w, b.x, b.y}}, {{b.z, b.w, c.x}, {c.y, c.z, c.w}}},
            {__float_as_int(d.x), __float_as_int(d.y)},
            __float_as_int(d.z),
            __float_as_int(d.w)};
#else
    return *source;
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
    if constexpr (requires { query.can_skip(node.child[side], side); }) {
        if (query.can_skip(node.child[side], side)) return std::numeric_limits<float>::quiet_NaN();
    }
    return query.enter(node.box[side]);
}

// The children that a traversal has put off, with their bounds at that time.
class TraversalStack {
public:
    // A value that no child has.
    static constexpr std::int32_t kDone = std::numeric_limits<std::int32_t>::min();

    GRAZE_INLINE void push(std::int32_t child, float bound) { entries_[top_++] = {child, bound}; }
    // The last child that is still of interest.
    GRAZE_INLINE std::int32_t pop(float limit) {
        while (top_ > 0) {
            const Entry entry = entries_[--top_];
            if (entry.bound <= limit) return entry.child;
        }
        return kDone;
    }

private:
    struct Entry {
        std::int32_t child;
        float bound;
    };
    Entry entries_[kBvhMaxDepth];
    int top_ = 0;
};

// Visits the child and returns true where it is a primitive.
template <class Query>
GRAZE_INLINE bool visit_primitive(Query& query, std::int32_t child) {
    if (child < 0) query.visit(static_cast<std::uint32_t>(~child));
    return child < 0;
}

// Primitives go on the stack like nodes and are looked at outside the loop over nodes, so that on a
// GPU the threads of a warp look at primitives together (Aila and Laine, "Understanding the
// Efficiency of Ray Traversal on GPUs", 2009). Threads that have one wait for the others, but only
// until half are waiting. Where a visit is cheap, all this costs more than it gains.
template <class Query>
GRAZE_HD void traverse(const BvhView& bvh, Query& query) {
    if (bvh.primitive_count == 0) return;
    TraversalStack stack;
    std::int32_t next = 0;
    while (next != TraversalStack::kDone) {
        const int thread_count = active_thread_count();
        while (next >= 0) {
            const BvhNode node = load_node(bvh.nodes + next);
            const ChildOrder order(enter_child(query, node, 0), enter_child(query, node, 1),
                                   node.child);
            bool enters_near = order.near_bound <= query.limit();
            bool enters_far = order.far_bound <= query.limit();
            if constexpr (Query::kVisitsInPassing) {
                enters_near = enters_near && !visit_primitive(query, order.near_child);
                enters_far = enters_far && !visit_primitive(query, order.far_child);
            }
            if (enters_near && enters_far) stack.push(order.far_child, order.far_bound);
            next = enters_near ? order.near_child : order.far_child;
            if (!enters_near && !enters_far) next = stack.pop(query.limit());
            if (2 * active_thread_count() < thread_count) break;
        }
        if (next < 0 && next != TraversalStack::kDone) {
            query.visit(static_cast<std::uint32_t>(~next));
            next = stack.pop(query.limit());
        }
    }
}

// The same without a stack: on the way up a node is read again and the order of its children found
// anew (after Hapala et al., "Efficient Stack-less BVH Traversal for Ray Tracing", 2011).
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

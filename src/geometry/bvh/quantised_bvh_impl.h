// A QuantisedBvh as a layout of collapse_bvh(). Boxes and triangles are filled in at the end, which
// is also what refitting does.
//
// Where graze differs from the paper: a leaf is one triangle; children are chosen by area alone,
// not for least surface (docs/lab/bvh.md); and boxes are wider than the true ones by
// kQuantisedMargin of a step at least, which covers the rounding in quantised_traverse.h.
#pragma once

#include <cmath>

#include "geometry/bvh/collapse_bvh_impl.h"
#include "geometry/bvh/quantised_bvh.h"
#include "geometry/bvh/quantised_traverse.h"
#include "graze/error.h"

namespace graze {
namespace quantised_detail {

struct QuantisedLayout {
    static constexpr std::uint32_t kInnerUnits = kNodeUnits, kLeafUnits = kTriangleUnits;

    const BvhNode* binary;
    QuantisedUnit* units;
    std::uint32_t* unit_of_node;
    QuantisedBvh::Sources* sources;

    GRAZE_INLINE bool is_leaf(std::int32_t child) const { return child < 0; }

    // Gives every child a slot: of all children and slots that are left, the pair that lies best is
    // chosen again and again.
    GRAZE_INLINE void store_children(std::int64_t index, const OpenedChildren& children) const {
        const int count = children.count;
        Vec3 offset[kWideBvhWidth];
        Aabb all = Aabb::empty();
        for (int k = 0; k < count; ++k) {
            const Aabb box = source_box(binary, children.source[k]);
            offset[k] = centre(box);
            all = merge(all, box);
        }
        for (int k = 0; k < count; ++k)
            offset[k] = offset[k] - centre(all);
        std::int32_t(&of_slot)[kWideBvhWidth] = sources[index].of_slot;
        for (std::int32_t& source : of_slot)
            source = -1;
        unsigned free_slots = (1u << count) - 1, left = free_slots;
        while (left != 0) {
            float best = -std::numeric_limits<float>::infinity();
            int best_slot = -1, best_child = -1;
            for (int k = 0; k < count; ++k) {
                for (int slot = 0; slot < kWideBvhWidth; ++slot) {
                    if (!(left >> k & 1) || !(free_slots >> slot & 1)) continue;
                    const Vec3 d = offset[k];
                    const float along =
                        (slot & 1 ? d.x : -d.x) + (slot & 2 ? d.y : -d.y) + (slot & 4 ? d.z : -d.z);
                    if (best_slot < 0 || along > best) {
                        best = along;
                        best_slot = slot;
                        best_child = k;
                    }
                }
            }
            of_slot[best_slot] = children.source[best_child];
            left &= ~(1u << best_child);
            free_slots &= ~(1u << best_slot);
        }
        if (index == 0) unit_of_node[0] = 0;
    }

    // Nodes come first, then triangles, each in the order of slots.
    GRAZE_INLINE void link_children(std::int64_t index, const ChildOffsets& offsets) const {
        std::uint32_t inner = 0, inner_count = 0, count = 0;
        for (unsigned slot = 0; slot < kWideBvhWidth; ++slot) {
            const std::int32_t source = sources[index].of_slot[slot];
            if (source < 0) continue;
            ++count;
            const std::int32_t child = source_child(binary, source);
            if (is_leaf(child)) continue;
            offsets.roots[inner_count] = child;
            unit_of_node[offsets.first_node + inner_count] =
                offsets.first_unit + kNodeUnits * inner_count;
            ++inner_count;
            inner |= 1u << slot;
        }
        QuantisedNode& node = *reinterpret_cast<QuantisedNode*>(units + unit_of_node[index]);
        for (unsigned half = 0; half < 2; ++half) {
            node.half[half].inner = 0;
            for (unsigned k = 0; k < 4; ++k) {
                for (unsigned bit = 0; bit < kWideBvhWidth; ++bit) {
                    if (inner >> (bit ^ (4 * half + k)) & 1)
                        node.half[half].inner |= 1u << (8 * k + bit);
                }
            }
        }
        node.half[0].more = offsets.first_unit;
        node.half[1].more = count;
    }
};

// The exponent byte of the largest power of two that is not above a number.
GRAZE_INLINE std::uint32_t exponent_byte(float x) {
    return clamp<std::uint32_t>(std::bit_cast<std::uint32_t>(x) >> 23 & 0xff, 1, 254);
}

GRAZE_INLINE float largest_coordinate(const Aabb& box, int axis) {
    return max_of(std::fabs(box.min[axis]), std::fabs(box.max[axis]));
}

// Fills in the boxes and triangles of one node.
struct FillNode {
    const BvhNode* binary;
    const BvhTriangle* triangles;
    const std::uint32_t* unit_of_node;
    const QuantisedBvh::Sources* sources;
    QuantisedUnit* units;

    GRAZE_HD void operator()(std::int64_t i) const {
        QuantisedNode& node = *reinterpret_cast<QuantisedNode*>(units + unit_of_node[i]);
        Aabb all = Aabb::empty();
        for (const std::int32_t source : sources[i].of_slot) {
            if (source >= 0) all = merge(all, source_box(binary, source));
        }
        const Aabb whole = merge(binary[0].box[0], binary[0].box[1]);
        const std::uint32_t tree_exponent = exponent_byte(
            max_of(largest_coordinate(whole, 0),
                   max_of(largest_coordinate(whole, 1), largest_coordinate(whole, 2))));
        node.exponents = tree_exponent << 24;
        for (int axis = 0; axis < 3; ++axis) {
            // Steps are so long that all planes fit, that origin can be told from the lowest plane,
            // and that kQuantisedMargin of one is not lost beside the whole tree.
            const auto extent = double(all.max[axis]) - double(all.min[axis]);
            std::uint32_t exponent = exponent_byte(static_cast<float>(extent / 252)) + 1;
            const std::uint32_t coarsest = exponent_byte(largest_coordinate(all, axis));
            exponent = max_of(exponent, coarsest > 22 ? coarsest - 22 : 1);
            exponent = max_of(exponent, tree_exponent > 40 ? tree_exponent - 40 : 1);
            const float step = std::bit_cast<float>(exponent << 23);
            const float origin = all.min[axis] - step;
            node.origin[axis] = origin;
            node.exponents |= exponent << 8 * axis;
            for (int half = 0; half < 2; ++half) {
                std::uint32_t lower = 0, upper = 0;
                for (int k = 0; k < 4; ++k) {
                    const std::int32_t source = sources[i].of_slot[4 * half + k];
                    std::uint32_t low = 255, high = 0;
                    if (source >= 0) {
                        const Aabb& box = source_box(binary, source);
                        low = round_out((double(box.min[axis]) - double(origin)) / step, false);
                        high = round_out((double(box.max[axis]) - double(origin)) / step, true);
                    }
                    lower |= low << 8 * k;
                    upper |= high << 8 * k;
                }
                node.half[half].lower[axis] = lower;
                node.half[half].upper[axis] = upper;
            }
        }
        std::uint32_t inner_count = 0, leaf_count = 0;
        for (unsigned slot = 0; slot < kWideBvhWidth; ++slot)
            inner_count += node.half[0].inner >> slot & 1;
        const std::uint32_t first_triangle = node.half[0].more + kNodeUnits * inner_count;
        for (const std::int32_t source : sources[i].of_slot) {
            if (source < 0) continue;
            const std::int32_t child = source_child(binary, source);
            if (child >= 0) continue;
            const std::uint32_t unit = first_triangle + kTriangleUnits * leaf_count++;
            *reinterpret_cast<BvhTriangle*>(units + unit) = triangles[~child];
        }
    }

    GRAZE_HD static std::uint32_t round_out(double q, bool up) {
        const double rounded =
            up ? std::ceil(q + kQuantisedMargin) : std::floor(q - kQuantisedMargin);
        return static_cast<std::uint32_t>(clamp(rounded, 0.0, 255.0));
    }
};

}  // namespace quantised_detail

template <class Executor>
void refit_quantised_bvh(Executor& executor, const TriangleBvh& bvh, QuantisedBvh& quantised) {
    using namespace quantised_detail;
    executor.for_each(
        "quantised bvh: fill nodes", quantised.unit_of_node.size(),
        FillNode{bvh.tree.nodes.data(), bvh.triangles.data(), quantised.unit_of_node.data(),
                 quantised.sources.data(), quantised.units.data()},
        64);
}

template <class Executor>
void build_quantised_bvh(Executor& executor, const TriangleBvh& bvh, QuantisedBvh& quantised) {
    using namespace quantised_detail;
    const Bvh& tree = bvh.tree;
    const std::int64_t triangle_count = tree.primitives.size();
    if (triangle_count > kQuantisedBvhMaxPrimitives) {
        throw Error("a quantised tree takes at most 2^28 triangles; use the binary one");
    }
    // There is room for the worst case, of which the end is cut. Nodes with an empty slot have two
    // triangles or more and nothing else, so there are at most n / 2; the others have eight
    // children, so there are at most n / 7.
    const std::int64_t most_nodes = triangle_count / 2 + triangle_count / 7 + 1;
    quantised.unit_of_node.resize(most_nodes);
    quantised.sources.resize(most_nodes);
    quantised.units.resize(kNodeUnits * most_nodes + kTriangleUnits * triangle_count);
    CollapsedSize size{0, 0};
    if (triangle_count > 0) {
        const QuantisedLayout layout{tree.nodes.data(), quantised.units.data(),
                                     quantised.unit_of_node.data(), quantised.sources.data()};
        // The root takes the first units.
        size = collapse_bvh(executor, tree, layout, most_nodes, kNodeUnits, quantised.workspace);
    }
    quantised.unit_of_node.resize(size.node_count);
    quantised.sources.resize(size.node_count);
    quantised.units.resize(size.unit_count);
    refit_quantised_bvh(executor, bvh, quantised);
}

}  // namespace graze

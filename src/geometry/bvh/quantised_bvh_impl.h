// Level by level from the root, as the wide tree of the host is built: open_children() chooses a
// node's children, a scan gives them their places, so the layout never varies; boxes and triangles
// are filled in at the end, which is also what refitting does.
//
// Where graze differs from the paper: a leaf is one triangle; children are chosen by area alone
// (choosing them for least surface, as the paper does, saved 6% of the visits on a scan of 100K
// triangles, counted on the host, and needs another pass); and boxes are wider than the true ones
// by kQuantisedMargin of a step at least, which covers the rounding in quantised_traverse.h.
#pragma once

#include <cmath>

#include "geometry/bvh/open_children.h"
#include "geometry/bvh/quantised_bvh.h"
#include "geometry/bvh/quantised_traverse.h"
#include "graze/error.h"

namespace graze {
namespace quantised_detail {

// What a level's nodes have below them: nodes (low half) and units (high half).
constexpr std::uint64_t kInner = 1 + (std::uint64_t{kNodeUnits} << 32);
constexpr std::uint64_t kLeaf = std::uint64_t{kTriangleUnits} << 32;

struct IsPrimitive {
    GRAZE_HD bool operator()(std::int32_t child) const { return child < 0; }
};

struct StartAtRoot {
    std::int32_t* roots;
    std::uint32_t* places;
    GRAZE_HD void operator()(std::int64_t) const {
        roots[0] = 0;
        places[0] = 0;
    }
};

struct OpenNode {
    const BvhNode* binary;
    const std::int32_t* roots;
    QuantisedBvh::Sources* sources;  // of this level's first node
    std::uint64_t* child_counts;

    GRAZE_HD void operator()(std::int64_t i) const {
        std::int32_t child[kWideBvhWidth], source[kWideBvhWidth];
        const int count = open_children(binary, roots[i], IsPrimitive{}, child, source);
        child_counts[i] = 0;
        Vec3 offset[kWideBvhWidth];
        Aabb all = Aabb::empty();
        for (int k = 0; k < count; ++k) {
            const Aabb box = source_box(binary, source[k]);
            child_counts[i] += child[k] < 0 ? kLeaf : kInner;
            offset[k] = centre(box);
            all = merge(all, box);
        }
        for (int k = 0; k < count; ++k)
            offset[k] = offset[k] - centre(all);
        // Of all children and slots that are left, the pair that lies best, again and again.
        for (int slot = 0; slot < kWideBvhWidth; ++slot)
            sources[i].of_slot[slot] = -1;
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
            sources[i].of_slot[best_slot] = source[best_child];
            left &= ~(1u << best_child);
            free_slots &= ~(1u << best_slot);
        }
    }
};

// Gives the children their places: nodes first, then triangles, each in the order of slots.
struct LinkChildren {
    const BvhNode* binary;
    const QuantisedBvh::Sources* sources;
    const std::uint64_t* child_offsets;
    const std::uint32_t* places;
    std::uint32_t next_unit;  // where the next level begins
    std::int32_t* next_roots;
    std::uint32_t* next_places;
    QuantisedUnit* units;

    GRAZE_HD void operator()(std::int64_t i) const {
        auto next_node = static_cast<std::uint32_t>(child_offsets[i] & 0xffffffffu);
        const std::uint32_t first_unit =
            next_unit + static_cast<std::uint32_t>(child_offsets[i] >> 32);
        std::uint32_t inner = 0, inner_count = 0, count = 0;
        for (unsigned slot = 0; slot < kWideBvhWidth; ++slot) {
            const std::int32_t source = sources[i].of_slot[slot];
            if (source < 0) continue;
            ++count;
            const std::int32_t ref = binary[source / 2].child[source % 2];
            if (ref < 0) continue;
            next_roots[next_node] = ref;
            next_places[next_node++] = first_unit + kNodeUnits * inner_count++;
            inner |= 1u << slot;
        }
        QuantisedNode& node = *reinterpret_cast<QuantisedNode*>(units + places[i]);
        for (unsigned half = 0; half < 2; ++half) {
            node.half[half].inner = 0;
            for (unsigned k = 0; k < 4; ++k) {
                for (unsigned bit = 0; bit < kWideBvhWidth; ++bit) {
                    if (inner >> (bit ^ (4 * half + k)) & 1)
                        node.half[half].inner |= 1u << (8 * k + bit);
                }
            }
        }
        node.half[0].more = first_unit;
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

// Boxes and triangles of one node.
struct FillNode {
    const BvhNode* binary;
    const BvhTriangle* triangles;
    const std::uint32_t* places;
    const QuantisedBvh::Sources* sources;
    QuantisedUnit* units;

    GRAZE_HD void operator()(std::int64_t i) const {
        QuantisedNode& node = *reinterpret_cast<QuantisedNode*>(units + places[i]);
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
            // Steps so long that all planes fit, that origin can be told from the lowest plane, and
            // that kQuantisedMargin of one is not lost beside the whole tree.
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
            const std::int32_t ref = binary[source / 2].child[source % 2];
            if (ref >= 0) continue;
            const std::uint32_t unit = first_triangle + kTriangleUnits * leaf_count++;
            *reinterpret_cast<BvhTriangle*>(units + unit) = triangles[~ref];
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
    executor.for_each("quantised bvh: fill nodes", quantised.places.size(),
                      FillNode{bvh.tree.nodes.data(), bvh.triangles.data(), quantised.places.data(),
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
    // Room for the worst case, of which the end is cut. Nodes with an empty slot have two triangles
    // or more and nothing else, so there are at most n / 2; the others have eight children, so
    // there are at most n / 7.
    const std::int64_t most_nodes = triangle_count / 2 + triangle_count / 7 + 1;
    quantised.places.resize(most_nodes);
    quantised.sources.resize(most_nodes);
    quantised.units.resize(kNodeUnits * most_nodes + kTriangleUnits * triangle_count);
    for (Buffer<std::int32_t>& roots : quantised.roots)
        roots.resize(most_nodes);
    quantised.child_counts.resize(most_nodes);
    quantised.child_offsets.resize(most_nodes + 1);
    std::int64_t begin = 0, count = triangle_count > 0 ? 1 : 0;
    std::uint32_t next_unit = kNodeUnits;
    int side = 0;
    if (count > 0) {
        executor.for_each("quantised bvh: start", 1,
                          StartAtRoot{quantised.roots[side].data(), quantised.places.data()});
    }
    while (count > 0) {
        executor.for_each("quantised bvh: open nodes", count,
                          OpenNode{tree.nodes.data(), quantised.roots[side].data(),
                                   quantised.sources.data() + begin, quantised.child_counts.data()},
                          64);
        executor.exclusive_scan("quantised bvh: place children", quantised.child_counts.data(),
                                quantised.child_offsets.data(), count);
        executor.for_each(
            "quantised bvh: link children", count,
            LinkChildren{tree.nodes.data(), quantised.sources.data() + begin,
                         quantised.child_offsets.data(), quantised.places.data() + begin, next_unit,
                         quantised.roots[1 - side].data(), quantised.places.data() + begin + count,
                         quantised.units.data()},
            64);
        const std::uint64_t children = executor.read(quantised.child_offsets.data() + count);
        begin += count;
        count = static_cast<std::int64_t>(children & 0xffffffffu);
        next_unit += static_cast<std::uint32_t>(children >> 32);
        side = 1 - side;
    }
    quantised.places.resize(begin);
    quantised.sources.resize(begin);
    quantised.units.resize(triangle_count > 0 ? next_unit : 0);
    refit_quantised_bvh(executor, bvh, quantised);
}

}  // namespace graze

// Building and refitting a Bvh, once for both machines.
//
// fast: LBVH after Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d
// Trees" (2012): each inner node finds its range of the sorted Morton codes by itself. Codes have
// 63 bits and equal codes are told apart by their index (at most 32 bits), so no path is longer
// than 95.
//
// high: PLOC after Meister and Bittner, "Parallel Locally-Ordered Clustering for Bounding Volume
// Hierarchy Construction" (2018): clusters in Morton order look at kRadius others on each side for
// the partner with the smallest common box, and mutual choices merge. Where graze differs:
// - Equal areas are ordered by i ^ j: equal boxes then pair up (2k, 2k + 1) and do not all choose
//   the same one.
// - After kChoosingRounds rounds neighbours are paired without choice. Choosing alone could merge
//   one pair a round (boxes in geometric progression); pairing halves the clusters, so at most
//   kChoosingRounds + 31 rounds are needed. A round adds at most one level: that bounds the depth.
#pragma once

#include "core/atomics.h"
#include "core/bits.h"
#include "core/morton.h"
#include "geometry/bvh/bvh.h"
#include "parallel/fill.h"
#include "parallel/reductions.h"

namespace graze {
namespace bvh_detail {

constexpr int kMortonBits = 21;
// Tuned on scans of 86K and 100K triangles with rays from their vertices: with 2 to 8 they visit
// the same number of nodes within 2%, with 1 and 16 4% more; building takes 34 ms with 2 and 3, 46
// with 4, 79 with 8 and 118 with 16 (one thread).
constexpr int kRadius = 3;
constexpr int kChoosingRounds = 60;

struct CentreBox {
    const Aabb* boxes;
    GRAZE_HD Aabb operator()(std::int64_t i) const {
        const Vec3 c = centre(boxes[i]);
        return {c, c};
    }
};

struct ComputeCode {
    const Aabb* boxes;
    const Aabb* bounds;
    std::uint64_t* codes;
    std::uint32_t* indices;
    GRAZE_HD void operator()(std::int64_t i) const {
        codes[i] = MortonGrid::over(*bounds, kMortonBits).code(centre(boxes[i]));
        indices[i] = static_cast<std::uint32_t>(i);
    }
};

// The whole tree over a single primitive.
struct SingleNode {
    const Aabb* boxes;
    BvhNode* nodes;
    std::int32_t* leaf_parents;
    GRAZE_HD void operator()(std::int64_t) const {
        nodes[0] = {{boxes[0], Aabb::empty()}, {~0, ~0}, -1, 1};
        leaf_parents[0] = 0;
    }
};

// ---- fast: each work item makes one node of the LBVH, without its boxes.

struct SplitRange {
    const std::uint64_t* codes;  // sorted
    std::int32_t count;
    BvhNode* nodes;
    std::int32_t* leaf_parents;

    // The length of the common prefix of codes i and j; -1 where j is none. Equal codes go on with
    // the bits of their indices.
    GRAZE_HD int prefix(std::int32_t i, std::int32_t j) const {
        if (j < 0 || j >= count) return -1;
        const std::uint64_t difference = codes[i] ^ codes[j];
        if (difference != 0) return leading_zeros(difference);
        return 64 + leading_zeros(static_cast<std::uint32_t>(i ^ j));
    }

    GRAZE_HD void operator()(std::int64_t index) const {
        const auto i = static_cast<std::int32_t>(index);
        // The range grows towards the neighbour with the longer common prefix.
        const int direction = prefix(i, i + 1) > prefix(i, i - 1) ? 1 : -1;
        const int shortest = prefix(i, i - direction);
        std::int64_t reach = 2;
        while (prefix(i, clamp_index(i + reach * direction)) > shortest)
            reach *= 2;
        std::int64_t length = 0;
        for (std::int64_t step = reach / 2; step > 0; step /= 2) {
            if (prefix(i, clamp_index(i + (length + step) * direction)) > shortest) length += step;
        }
        const auto j = static_cast<std::int32_t>(i + length * direction);
        // The split is where the prefix of the whole range ends.
        const int common = prefix(i, j);
        std::int64_t offset = 0;
        for (std::int64_t step = length; step > 1;) {
            step = (step + 1) / 2;
            if (prefix(i, clamp_index(i + (offset + step) * direction)) > common) offset += step;
        }
        const auto split = static_cast<std::int32_t>(i + offset * direction + min_of(direction, 0));
        const std::int32_t first = min_of(i, j), last = max_of(i, j);
        link(i, 0, split, first == split);
        link(i, 1, split + 1, last == split + 1);
        nodes[i].count = last - first + 1;
        if (i == 0) nodes[0].parent = -1;
    }

    // All indices beyond the ends mean "no code"; this keeps them in the range of an int.
    GRAZE_HD std::int32_t clamp_index(std::int64_t index) const {
        return static_cast<std::int32_t>(
            clamp<std::int64_t>(index, -1, static_cast<std::int64_t>(count)));
    }
    GRAZE_HD void link(std::int32_t parent, int side, std::int32_t child, bool is_leaf) const {
        nodes[parent].child[side] = is_leaf ? ~child : child;
        if (is_leaf) {
            leaf_parents[child] = parent;
        } else {
            nodes[child].parent = parent;
        }
    }
};

// ---- high: these make one round of PLOC.

struct StartCluster {
    const Aabb* boxes;
    const std::uint32_t* primitives;
    Aabb* cluster_boxes;
    std::int32_t* cluster_refs;
    GRAZE_HD void operator()(std::int64_t slot) const {
        cluster_boxes[slot] = boxes[primitives[slot]];
        cluster_refs[slot] = ~static_cast<std::int32_t>(slot);
    }
};

struct ChooseNeighbour {
    const Aabb* cluster_boxes;
    std::int32_t count;
    std::int32_t* neighbours;
    GRAZE_HD void operator()(std::int64_t index) const {
        const auto i = static_cast<std::int32_t>(index);
        const Aabb box = cluster_boxes[i];
        const std::int32_t first = max_of(i - kRadius, 0);
        const std::int32_t last = min_of(i + kRadius, count - 1);
        float best_area = std::numeric_limits<float>::infinity();
        std::int32_t best = -1;
        for (std::int32_t j = first; j <= last; ++j) {
            if (j == i) continue;
            const float area = half_area(merge(box, cluster_boxes[j]));
            if (best < 0 || area < best_area || (area == best_area && (i ^ j) < (i ^ best))) {
                best_area = area;
                best = j;
            }
        }
        neighbours[i] = best;
    }
};

struct PairNeighbour {
    std::int32_t count;
    std::int32_t* neighbours;
    GRAZE_HD void operator()(std::int64_t index) const {
        const auto partner = static_cast<std::int32_t>(index ^ 1);
        neighbours[index] = partner < count ? partner : -1;
    }
};

// A pair merges at its lower index. The low half of a step counts the clusters kept, the high half
// the nodes made.
constexpr std::uint64_t kKept = 1, kMade = std::uint64_t{1} << 32;

struct CountStep {
    const std::int32_t* neighbours;
    std::uint64_t* steps;
    GRAZE_HD void operator()(std::int64_t i) const {
        const std::int32_t partner = neighbours[i];
        const bool mutual = partner >= 0 && neighbours[partner] == i;
        steps[i] = !mutual ? kKept : (i < partner ? kKept + kMade : 0);
    }
};

struct MakeNodes {
    const std::int32_t* neighbours;
    const std::uint64_t* steps;
    const std::uint64_t* step_sums;
    const Aabb* boxes_in;
    const std::int32_t* refs_in;
    Aabb* boxes_out;
    std::int32_t* refs_out;
    BvhNode* nodes;
    std::int32_t* leaf_parents;
    // Nodes are given out from the back, so that the root, made last, is the first.
    std::int32_t nodes_left;

    GRAZE_HD void operator()(std::int64_t i) const {
        const std::uint64_t step = steps[i];
        if (step == 0) return;
        const auto index = static_cast<std::uint32_t>(step_sums[i]);
        Aabb box = boxes_in[i];
        std::int32_t ref = refs_in[i];
        if (step != kKept) {
            const std::int32_t partner = neighbours[i];
            const auto node = static_cast<std::int32_t>(
                nodes_left - 1 - static_cast<std::int32_t>(step_sums[i] >> 32));
            const Aabb other = boxes_in[partner];
            const std::int32_t other_ref = refs_in[partner];
            nodes[node].box[0] = box;
            nodes[node].box[1] = other;
            nodes[node].child[0] = ref;
            nodes[node].child[1] = other_ref;
            nodes[node].count = adopt(ref, node) + adopt(other_ref, node);
            nodes[node].parent = -1;
            box = merge(box, other);
            ref = node;
        }
        boxes_out[index] = box;
        refs_out[index] = ref;
    }
    // Makes node the parent of ref and returns how many primitives that brings.
    GRAZE_HD std::int32_t adopt(std::int32_t ref, std::int32_t node) const {
        if (ref < 0) {
            leaf_parents[~ref] = node;
            return 1;
        }
        nodes[ref].parent = node;
        return nodes[ref].count;
    }
};

// ---- refit: each primitive climbs; the second to reach a node goes on with both boxes merged.

struct ClimbFromLeaf {
    const Aabb* boxes;
    const std::uint32_t* primitives;
    const std::int32_t* leaf_parents;
    BvhNode* nodes;
    std::uint32_t* arrivals;
    GRAZE_HD void operator()(std::int64_t slot) const {
        Aabb box = boxes[primitives[slot]];
        std::int32_t from = ~static_cast<std::int32_t>(slot);
        std::int32_t node = leaf_parents[slot];
        while (node >= 0) {
            const int side = nodes[node].child[0] == from ? 0 : 1;
            nodes[node].box[side] = box;
            if (atomic_fetch_add(arrivals + node, 1u) == 0) return;
            box = merge(box, load_coherent(nodes[node].box + (1 - side)));
            from = node;
            node = nodes[node].parent;
        }
    }
};

template <class Executor>
void build_by_clustering(Executor& executor, const Aabb* boxes, std::int32_t count, Bvh& bvh,
                         BvhWorkspace& workspace) {
    for (int side = 0; side < 2; ++side) {
        workspace.cluster_boxes[side].resize(count);
        workspace.cluster_refs[side].resize(count);
    }
    workspace.neighbours.resize(count);
    workspace.steps.resize(count);
    workspace.step_sums.resize(count + 1);
    executor.for_each("bvh: start clusters", count,
                      StartCluster{boxes, bvh.primitives.data(), workspace.cluster_boxes[0].data(),
                                   workspace.cluster_refs[0].data()});
    int side = 0;
    std::int32_t cluster_count = count;
    for (int round = 0; cluster_count > 1; ++round) {
        if (round < kChoosingRounds) {
            executor.for_each("bvh: choose neighbours", cluster_count,
                              ChooseNeighbour{workspace.cluster_boxes[side].data(), cluster_count,
                                              workspace.neighbours.data()});
        } else {
            executor.for_each("bvh: pair neighbours", cluster_count,
                              PairNeighbour{cluster_count, workspace.neighbours.data()});
        }
        executor.for_each("bvh: count merges", cluster_count,
                          CountStep{workspace.neighbours.data(), workspace.steps.data()});
        executor.exclusive_scan("bvh: offsets of merges", workspace.steps.data(),
                                workspace.step_sums.data(), cluster_count);
        // Every cluster still to be merged stands for one node fewer than there are clusters.
        executor.for_each(
            "bvh: make nodes", cluster_count,
            MakeNodes{workspace.neighbours.data(), workspace.steps.data(),
                      workspace.step_sums.data(), workspace.cluster_boxes[side].data(),
                      workspace.cluster_refs[side].data(), workspace.cluster_boxes[1 - side].data(),
                      workspace.cluster_refs[1 - side].data(), bvh.nodes.data(),
                      bvh.leaf_parents.data(), cluster_count - 1});
        cluster_count = static_cast<std::int32_t>(
            executor.read(workspace.step_sums.data() + cluster_count) & 0xffffffffu);
        side = 1 - side;
    }
}

}  // namespace bvh_detail

template <class Executor>
void refit_bvh(Executor& executor, const Aabb* boxes, Bvh& bvh, BvhWorkspace& workspace) {
    using namespace bvh_detail;
    const std::int64_t count = bvh.primitives.size();
    if (count == 0) return;
    if (count == 1) {
        executor.for_each("bvh: single node", 1,
                          SingleNode{boxes, bvh.nodes.data(), bvh.leaf_parents.data()});
        return;
    }
    workspace.arrivals.resize(count - 1);
    executor.for_each("bvh: clear arrivals", count - 1,
                      Fill<std::uint32_t>{workspace.arrivals.data(), 0});
    executor.for_each("bvh: climb from leaves", count,
                      ClimbFromLeaf{boxes, bvh.primitives.data(), bvh.leaf_parents.data(),
                                    bvh.nodes.data(), workspace.arrivals.data()});
}

template <class Executor>
void build_bvh(Executor& executor, const Aabb* boxes, std::int64_t count, BvhQuality quality,
               Bvh& bvh, BvhWorkspace& workspace) {
    using namespace bvh_detail;
    if (count > kBvhMaxPrimitives) {
        throw Error("a tree over " + std::to_string(count) +
                    " primitives is too large: 2^30 is the most");
    }
    bvh.nodes.resize(count > 1 ? count - 1 : count);
    bvh.primitives.resize(count);
    bvh.leaf_parents.resize(count);
    bvh.is_ordered = quality == BvhQuality::fast;
    if (count == 0) return;
    workspace.codes.resize(count);
    workspace.sorted_codes.resize(count);
    workspace.indices.resize(count);
    workspace.bounds.resize(1);
    executor.reduce("bvh: bound centres", count, CentreBox{boxes}, MergeBoxes{}, Aabb::empty(),
                    workspace.bounds.data());
    executor.for_each("bvh: compute codes", count,
                      ComputeCode{boxes, workspace.bounds.data(), workspace.codes.data(),
                                  workspace.indices.data()});
    executor.sort_by_key("bvh: sort codes", workspace.codes.data(), workspace.sorted_codes.data(),
                         workspace.indices.data(), bvh.primitives.data(), count, 3 * kMortonBits);
    if (count == 1) {
        executor.for_each("bvh: single node", 1,
                          SingleNode{boxes, bvh.nodes.data(), bvh.leaf_parents.data()});
    } else if (quality == BvhQuality::fast) {
        executor.for_each(
            "bvh: split ranges", count - 1,
            SplitRange{workspace.sorted_codes.data(), static_cast<std::int32_t>(count),
                       bvh.nodes.data(), bvh.leaf_parents.data()});
        refit_bvh(executor, boxes, bvh, workspace);
    } else {
        build_by_clustering(executor, boxes, static_cast<std::int32_t>(count), bvh, workspace);
    }
}

}  // namespace graze

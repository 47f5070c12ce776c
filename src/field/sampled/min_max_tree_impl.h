// The min/max tree is built by one work item a cube, first the leaves from samples, then level by
// level from eight children (after Xu and Barbic, "Continuous Collision Detection Between Points
// and Signed Distance Fields", 2014, who take the samples' range; here it is the range of what the
// samples are blended to).
//
// Order 0. A trilinear blend lies between its samples, so the cube's samples, those of its far
// faces included, bound it, and tightly.
//
// Order 1, in one cell. The value is sum w_i (f_i + a_i . (x - x_i)). Along x, with u the
// coordinate between the two ends of an edge, (1 - u) a0 u + u a1 (u - 1) = u (1 - u) (a0 - a1):
// what the slopes add to the blend of the values is a blend over the four edges of that, hence
// between 0 and a quarter of the least and the largest difference. Likewise along y and z.
//
// In a block without a brick the value is what evaluate_in_grid() makes of the coarse level: the
// root of a blend of the corners' squares, less at most 3/4 of the square of the block's side.
//
// Rounding, with e = 2^-24. In blend_values() each of three steps a + (b - a) t adds at most 5 e M,
// where M is the largest magnitude of a sample. In blend_samples() a weight is off by 5 e, a step's
// scalar product by 4 e A (A: the largest sum of a sample's slopes), and the sums add 10 e (M + A).
// All this, dividing by the spacing, and the operations of this file stay below kRounding (M + A).
#pragma once

#include "field/sampled/min_max_leaves.h"

namespace graze {
namespace min_max_detail {

// Which functors bound the leaves; an executor may have faster ones.
template <class Executor>
struct LeafWork {
    using Values = BoundValues;
    using Samples = BoundSamples;
};

GRAZE_INLINE MinMax merge(const MinMax& a, const MinMax& b) {
    return {float_from_half(b.min) < float_from_half(a.min) ? b.min : a.min,
            float_from_half(b.max) > float_from_half(a.max) ? b.max : a.max};
}

// A node of level 1 of a sparse field comes from its brick's eight cubes, or from the coarse level.
struct BoundBlocks {
    SampledFieldView field;
    MinMax* nodes;
    std::int64_t offset;  // of level 1
    GRAZE_HD void operator()(std::int64_t block) const {
        const std::int32_t brick = field.brick_of_block[block];
        MinMax result;
        if (brick < 0) {
            result = bound_coarse(block);
        } else {
            result = nodes[std::int64_t{brick} * 8];
            for (int child = 1; child < 8; ++child)
                result = merge(result, nodes[std::int64_t{brick} * 8 + child]);
        }
        nodes[offset + block] = result;
    }

    GRAZE_INLINE MinMax bound_coarse(std::int64_t block) const {
        const std::int64_t size_x = block_count(field.grid, 0), size_y = block_count(field.grid, 1);
        const std::int64_t stride_y = size_x + 1, stride_z = stride_y * (size_y + 1);
        const GridCoordinates at = coordinates_of(block, size_x, size_y);
        const float* corner = field.coarse + at.x + at.y * stride_y + at.z * stride_z;
        Range metres = Range::empty(), magnitudes = Range::empty();
        for (int c = 0; c < 8; ++c) {
            const float d = corner[(c & 1) + (c >> 1 & 1) * stride_y + (c >> 2) * stride_z];
            metres.add(d);
            magnitudes.add(std::fabs(d));
        }
        const float spacing = field.grid.spacing, band = field.band / spacing;
        const float near = magnitudes.min / spacing, far = magnitudes.max / spacing;
        const float square =
            near * near * (1 - kRounding) - 0.75f * kBrickCells * kBrickCells * (1 + kRounding);
        const float least = max_of(std::sqrt(max_of(square, 0.0f)), band);
        const float greatest = max_of(far, band);
        // The sign is that of the blend, which may leave the corners' range by its rounding.
        const float slack = magnitudes.max * kRounding;
        const Range range{metres.min - slack < 0 ? -greatest : least,
                          metres.max + slack >= 0 ? greatest : -least};
        return round_outward(range, range.magnitude() * kRounding);
    }
};

struct MergeChildren {
    MinMax* nodes;
    std::int64_t child_offset, offset;
    std::int64_t child_size[3], size[2];
    GRAZE_HD void operator()(std::int64_t node) const {
        const GridCoordinates at = coordinates_of(node, size[0], size[1]);
        const std::int64_t begin[3] = {2 * at.x, 2 * at.y, 2 * at.z};
        std::int64_t end[3];
        for (int axis = 0; axis < 3; ++axis)
            end[axis] = min_of(begin[axis] + 2, child_size[axis]);
        const MinMax* children = nodes + child_offset;
        MinMax result = children[begin[0] + child_size[0] * (begin[1] + child_size[1] * begin[2])];
        for (std::int64_t z = begin[2]; z < end[2]; ++z) {
            for (std::int64_t y = begin[1]; y < end[1]; ++y) {
                for (std::int64_t x = begin[0]; x < end[0]; ++x)
                    result = merge(result, children[x + child_size[0] * (y + child_size[1] * z)]);
            }
        }
        nodes[offset + node] = result;
    }
};

// Sets the level count and the offsets, and makes room for the nodes.
inline void lay_out(const SampledField& field, MinMaxTree& tree) {
    int level = field.is_sparse ? 1 : 0;
    std::int64_t total = field.is_sparse ? field.brick_count() * 8 : 0;
    tree.offsets[0] = 0;
    for (;; ++level) {
        if (level == kMinMaxMaxLevels) {
            throw Error("a grid may have up to 33 million cells along an axis; choose fewer");
        }
        tree.offsets[level] = total;
        total += min_max_size(field.grid, level);
        if (min_max_size(field.grid, level) == 1) break;
    }
    tree.level_count = level + 1;
    tree.nodes.resize(total);
}

}  // namespace min_max_detail

template <class Executor>
void build_min_max_tree(Executor& executor, SampledField& field) {
    using namespace min_max_detail;
    MinMaxTree& tree = field.tree;
    lay_out(field, tree);
    const SampledFieldView view = field.view();
    MinMax* nodes = tree.nodes.data();
    const std::int64_t leaf_count =
        field.is_sparse ? field.brick_count() * 8 : min_max_size(field.grid, 0);
    constexpr std::int64_t kGrain = 64;  // leaves, each of 64 cells
    if (field.order == FieldOrder::zero) {
        executor.for_each("min/max tree: values", leaf_count,
                          typename LeafWork<Executor>::Values{view, nodes}, kGrain);
    } else {
        executor.for_each("min/max tree: samples", leaf_count,
                          typename LeafWork<Executor>::Samples{view, nodes}, kGrain);
    }
    if (field.is_sparse) {
        executor.for_each("min/max tree: blocks", min_max_size(field.grid, 1),
                          BoundBlocks{view, nodes, tree.offsets[1]});
    }
    for (int level = field.is_sparse ? 2 : 1; level < tree.level_count; ++level) {
        MergeChildren work{nodes, tree.offsets[level - 1], tree.offsets[level], {}, {}};
        for (int axis = 0; axis < 3; ++axis)
            work.child_size[axis] = min_max_size(field.grid, level - 1, axis);
        for (int axis = 0; axis < 2; ++axis)
            work.size[axis] = min_max_size(field.grid, level, axis);
        executor.for_each("min/max tree: merge", min_max_size(field.grid, level), work);
    }
}

}  // namespace graze

// The rays of a step: which vertices cast one, and each ray as its target sees it.
//
// Each side of a pair has the blocks of its source's vertices. A block's mask says which of its
// vertices are in the pair's region; the rays are those vertices, side by side without a hole.
#pragma once

#include "core/bits.h"
#include "core/segment_of.h"
#include "narrow_phase/rays/ray_pairs.h"

namespace graze {

struct RayItem {
    std::uint32_t block;
    std::uint32_t vertex;  // in its block
};

// The blocks and rays of a step as all that works on them sees them. What is beyond a stage's room
// is not there.
struct RayItems {
    PairStep step;
    const RayPlan* plans;                // by pair
    const std::uint64_t* block_offsets;  // by side
    const std::uint32_t* block_sides;    // by block
    const std::uint32_t* masks;          // by block
    const std::uint64_t* ray_offsets;    // by block
    const RayItem* items;                // by ray
    std::uint64_t block_room, ray_room;

    GRAZE_INLINE std::uint64_t ray_count() const {
        return min_of(ray_offsets[block_room], ray_room);
    }
    // Where the rays of a side begin.
    GRAZE_INLINE std::uint64_t first_ray(std::int64_t side) const {
        return min_of(ray_offsets[min_of(block_offsets[side], block_room)], ray_room);
    }
    GRAZE_INLINE std::uint32_t source_body(std::uint32_t side) const {
        const IndexPair& pair = step.pairs[side / 2];
        return side % 2 == 0 ? pair.a : pair.b;
    }
    GRAZE_INLINE std::uint32_t target_body(std::uint32_t side) const {
        return source_body(side ^ 1u);
    }
    GRAZE_INLINE const ShapeRays& shape(std::uint32_t body) const {
        return step.shapes.rays[step.shape_of_body[body]];
    }
    // Of its source.
    GRAZE_INLINE std::int64_t vertex_of(const RayItem& item) const {
        const std::uint64_t first = block_offsets[block_sides[item.block]];
        return static_cast<std::int64_t>(item.block - first) * ShapeRays::kBlockVertices +
               item.vertex;
    }
    GRAZE_INLINE VertexRay ray_of(std::uint32_t side, const RayVertex& vertex) const {
        const RayPlan& plan = plans[side / 2];
        const Transformd& target_from_source = plan.target_from_source[side % 2];
        const float scale = static_cast<float>(target_from_source.scale);
        const float look_ahead = plan.look_ahead / step.poses_t0[target_body(side)].scale;
        return {static_cast<Vec3>(
                    transform_point(target_from_source, static_cast<Vec3d>(vertex.position))),
                static_cast<Vec3>(
                    -transform_direction(target_from_source, static_cast<Vec3d>(vertex.normal))),
                vertex.inner_reach * scale, min_of(vertex.outer_reach * scale, look_ahead),
                look_ahead};
    }
};

struct MarkRayBlock {
    RayItems items;
    std::int64_t side_count;
    std::uint32_t* sides;   // out, by block
    std::uint32_t* masks;   // out, by block
    std::uint64_t* counts;  // out, by block

    GRAZE_HD void operator()(std::int64_t block) const {
        const auto index = static_cast<std::uint64_t>(block);
        masks[block] = 0;
        counts[block] = 0;
        if (index >= items.block_offsets[side_count]) return;
        const auto side =
            static_cast<std::uint32_t>(segment_of(items.block_offsets, side_count, index));
        sides[block] = side;
        const std::uint32_t body = items.source_body(side);
        const ShapeRays& shape = items.shape(body);
        const Transform& pose = items.step.poses_t0[body];
        const Aabb region = items.plans[side / 2].region;
        const auto local = static_cast<std::int64_t>(index - items.block_offsets[side]);
        const Aabb& block_box = shape.block_boxes[local];
        if (!overlap(block_box, items.plans[side / 2].source_region[side % 2])) return;
        const Aabb box = pose_box(pose, block_box, 0);
        if (!overlap(box, region)) return;
        const std::int64_t first = local * ShapeRays::kBlockVertices;
        const std::int64_t count = min_of(ShapeRays::kBlockVertices, shape.vertex_count - first);
        std::uint32_t mask = 0;
        if (contains(region, box.min) && contains(region, box.max)) {
            mask = ~0u >> (ShapeRays::kBlockVertices - count);
        } else {
            const Mat3 rotation = to_matrix(pose.rotation) * pose.scale;
            for (std::int64_t k = 0; k < count; ++k) {
                const Vec3 position =
                    rotation * shape.vertices[first + k].position + pose.translation;
                if (contains(region, position)) mask |= 1u << k;
            }
        }
        masks[block] = mask;
        counts[block] = count_ones(mask);
    }
};

struct ListRays {
    const std::uint32_t* masks;
    const std::uint64_t* offsets;
    std::uint64_t room;
    RayItem* items;  // out

    GRAZE_HD void operator()(std::int64_t block) const {
        std::uint64_t at = offsets[block];
        for (std::uint32_t mask = masks[block]; mask != 0 && at < room; mask &= mask - 1)
            items[at++] = {static_cast<std::uint32_t>(block), trailing_zeros(mask)};
    }
};

// Follows the rays that the last step knows, and marks those that are to be cast.
struct FollowRay {
    RayItems items;
    LastRays last;
    int max_iterations;
    RayOutcome* outcomes;  // out, by ray

    GRAZE_HD void operator()(std::int64_t i) const {
        if (static_cast<std::uint64_t>(i) >= items.ray_count()) return;
        outcomes[i] = follow(items.items[i]);
    }

private:
    GRAZE_INLINE RayOutcome follow(const RayItem& item) const {
        const std::uint32_t side = items.block_sides[item.block];
        const std::uint32_t last_pair = items.plans[side / 2].last_pair;
        if (last_pair == kNoIndex) return RayOutcome::unknown();
        const std::uint64_t local = item.block - items.block_offsets[side];
        const std::uint64_t block =
            last.block_offsets[2 * std::uint64_t{last_pair} + side % 2] + local;
        const std::uint32_t mask = last.masks[block], bit = 1u << item.vertex;
        if (!(mask & bit)) return RayOutcome::unknown();
        const RayOutcome before =
            last.outcomes[last.ray_offsets[block] + count_ones(mask & (bit - 1))];
        if (items.plans[side / 2].rests) return before;
        if (before.is_unsteady()) return RayOutcome::unknown(true);
        if (!before.is_met()) return before;
        const RayVertex vertex =
            items.shape(items.source_body(side)).vertices[items.vertex_of(item)];
        const RayOutcome outcome =
            walk_to_hit(items.shape(items.target_body(side)), items.ray_of(side, vertex),
                        before.triangle(), max_iterations);
        return outcome.is_met() ? outcome : RayOutcome::unknown();
    }
};

struct IsRayToCast {
    RayItems items;
    const RayOutcome* outcomes;
    GRAZE_HD bool operator()(std::int64_t i) const {
        return static_cast<std::uint64_t>(i) < items.ray_count() && outcomes[i].is_unknown();
    }
};

template <class Caster>
struct CastRayAnew {
    RayItems items;
    const std::uint64_t* rays;  // that are to be cast
    const std::uint64_t* count;
    bool is_cautious;
    RayOutcome* outcomes;  // out, by ray

    GRAZE_HD void operator()(std::int64_t i) const {
        if (static_cast<std::uint64_t>(i) >= *count) return;
        const std::uint64_t ray = rays[i];
        const RayItem item = items.items[ray];
        const std::uint32_t side = items.block_sides[item.block];
        const RayVertex vertex =
            items.shape(items.source_body(side)).vertices[items.vertex_of(item)];
        const std::uint32_t target = items.target_body(side);
        const ShapeRays& shape = items.shape(target);
        const VertexRay cast = items.ray_of(side, vertex);
        const RayOutcome outcome = cast_vertex_ray<Caster>(shape, cast);
        // What was unsteady stays so until the whole pair is cast anew.
        const bool is_unsteady =
            is_cautious && (outcomes[ray].was_unsteady() || !can_follow(shape, cast, outcome));
        outcomes[ray] = is_unsteady ? outcome.as_unsteady() : outcome;
    }
};

}  // namespace graze

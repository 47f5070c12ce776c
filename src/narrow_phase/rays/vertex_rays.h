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

// Marks which vertices cast rays. With caution it also puts those to sleep that are outside of the
// region, which are not nearer to the other body than to that: a vertex outside the intersection of
// the boxes is outside the box of the other body, and as far from it.
struct MarkRayBlock {
    RayItems items;
    LastRays last;
    std::int64_t side_count;
    std::uint32_t* sides;    // out, by block
    std::uint32_t* masks;    // out, by block
    SleepingRays* sleeping;  // out, by block
    std::uint64_t* counts;   // out, by block

    GRAZE_HD void operator()(std::int64_t block) const {
        const auto index = static_cast<std::uint64_t>(block);
        if (index >= items.block_offsets[side_count]) {
            leave_empty(block);
        } else {
            mark(block,
                 static_cast<std::uint32_t>(segment_of(items.block_offsets, side_count, index)));
        }
    }

    GRAZE_INLINE void leave_empty(std::int64_t block) const {
        masks[block] = 0;
        counts[block] = 0;
        sleeping[block] = SleepingRays::none();
    }
    GRAZE_INLINE void mark(std::int64_t block, std::uint32_t side) const {
        sides[block] = side;
        const RayPlan& plan = items.plans[side / 2];
        const std::uint64_t local = static_cast<std::uint64_t>(block) - items.block_offsets[side];
        const bool is_known = plan.last_pair != kNoIndex && plan.clear_limit > 0;
        SleepingRays asleep = SleepingRays::none();
        if (is_known) asleep = last.sleeping[last.block_of(plan, side, local)];
        if (is_known && plan.is_anew) asleep.spend(units_moved(plan, side, local) + 1);
        const std::uint32_t mask = mark_awake(plan, side, local, asleep);
        masks[block] = mask;
        counts[block] = count_ones(mask);
        sleeping[block] = asleep;
    }

private:
    // Since the base pose that the last step knew.
    GRAZE_INLINE std::int32_t units_moved(const RayPlan& plan, std::uint32_t side,
                                          std::uint64_t local) const {
        const Aabb& box = items.shape(items.source_body(side)).block_boxes[local];
        return plan.whole_units(
            plan.motion[side % 2].distance(centre(box), 0.5f * length(extent(box))));
    }

    GRAZE_INLINE std::uint32_t mark_awake(const RayPlan& plan, std::uint32_t side,
                                          std::uint64_t local, SleepingRays& asleep) const {
        const ShapeRays& shape = items.shape(items.source_body(side));
        if (!overlap(shape.block_boxes[local], plan.source_region[side % 2])) return 0;
        const std::int64_t first = static_cast<std::int64_t>(local) * ShapeRays::kBlockVertices;
        const std::int64_t count = min_of(ShapeRays::kBlockVertices, shape.vertex_count - first);
        const std::uint32_t all = ~0u >> (ShapeRays::kBlockVertices - count);
        if (!(plan.clear_limit > 0)) return mark_asked(plan, side, first, all, 0, asleep);
        // Of a base pose that is new, or of a pair that is, nothing has moved yet.
        const bool has_moved = plan.last_pair != kNoIndex && !plan.is_anew;
        const std::int32_t moved = has_moved ? units_moved(plan, side, local) : 0;
        const std::uint32_t asked = all & ~asleep.mask(moved);
        return asked == 0 ? 0 : mark_asked(plan, side, first, asked, moved, asleep);
    }
    GRAZE_INLINE std::uint32_t mark_asked(const RayPlan& plan, std::uint32_t side,
                                          std::int64_t first, std::uint32_t asked,
                                          std::int32_t moved, SleepingRays& asleep) const {
        const std::uint32_t body = items.source_body(side);
        const RayVertex* vertices = items.shape(body).vertices + first;
        const Transform& pose = items.step.poses_t0[body];
        const Mat3 rotation = to_matrix(pose.rotation) * pose.scale;
        std::uint32_t mask = 0;
        for (; asked != 0; asked &= asked - 1) {
            const std::uint32_t k = trailing_zeros(asked);
            const Vec3 position = rotation * vertices[k].position + pose.translation;
            const float away_sq = distance_sq(plan.region, position);
            if (away_sq == 0) mask |= 1u << k;
            if (!(plan.clear_limit > 0)) continue;
            // Those in the region are awake.
            const float rounding =
                0x1p-18f * (std::fabs(position.x) + std::fabs(position.y) + std::fabs(position.z));
            asleep.set(k, plan.whole_units(std::sqrt(away_sq) - rounding) - moved - 1);
        }
        return mask;
    }
};

// The same for all blocks of a side, by which the host does it.
struct MarkRaySide {
    MarkRayBlock blocks;

    GRAZE_HD void operator()(std::int64_t side) const {
        const std::uint64_t* offsets = blocks.items.block_offsets;
        const std::uint64_t room = blocks.items.block_room;
        std::uint64_t block = min_of(offsets[side], room);
        for (const std::uint64_t end = min_of(offsets[side + 1], room); block < end; ++block)
            blocks.mark(static_cast<std::int64_t>(block), static_cast<std::uint32_t>(side));
        if (side + 1 < blocks.side_count) return;
        for (; block < room; ++block)
            blocks.leave_empty(static_cast<std::int64_t>(block));
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
//
// With caution, a vertex that has passed no surface since its ray was cast is where it was, inside
// or outside. Outside nothing is met, and that holds over new base poses, too, where the other body
// is closed. Without it, rays are followed as the paper has it, but for those that are lost, which
// are cast at once where they need not wait.
struct FollowRay {
    RayItems items;
    LastRays last;
    int max_iterations;
    bool is_cautious;
    bool waits;            // as in RaysOptions; never with caution
    bool predicts;         // where it waits: what a vertex has left behind is followed on
    RayOutcome* outcomes;  // out, by ray

    GRAZE_HD void operator()(std::int64_t i) const {
        if (static_cast<std::uint64_t>(i) >= items.ray_count()) return;
        outcomes[i] = follow(items.items[i]);
    }

private:
    GRAZE_INLINE RayOutcome follow(const RayItem& item) const {
        const std::uint32_t side = items.block_sides[item.block];
        const RayPlan& plan = items.plans[side / 2];
        if (plan.last_pair == kNoIndex) return RayOutcome::unknown();
        const std::uint64_t block =
            last.block_of(plan, side, item.block - items.block_offsets[side]);
        const std::uint32_t mask = last.masks[block], bit = 1u << item.vertex;
        if (!(mask & bit)) return lost();
        const RayOutcome before =
            last.outcomes[last.ray_offsets[block] + count_ones(mask & (bit - 1))];
        if (plan.rests) return before;
        const RayVertex vertex =
            items.shape(items.source_body(side)).vertices[items.vertex_of(item)];
        const float moved = is_cautious ? plan.motion[side % 2].distance(vertex.position) : 0.0f;
        if (is_cautious && !(moved < before.clear)) return RayOutcome::unknown();
        const ShapeRays& target = items.shape(items.target_body(side));
        const bool is_anew = plan.is_anew && (before.is_met() || !target.is_closed);
        if (is_anew) return RayOutcome::unknown();
        const float clear = plan.is_anew ? before.clear - moved : before.clear;
        if (!before.is_met()) return before.with_clear(clear);
        const VertexRay ray = items.ray_of(side, vertex);
        const RayOutcome outcome = walk_to_hit(target, ray, before.triangle(), max_iterations);
        // Beyond its end a ray may meet a nearer surface at any time and become a contact.
        const bool is_beyond = is_cautious && outcome.depth > ray.inner_reach;
        const bool is_left = waits && !predicts && outcome.depth < -ray.outer_reach;
        const bool is_known = outcome.is_met() && !is_beyond && !is_left;
        return is_known ? outcome.with_clear(clear) : lost();
    }
    GRAZE_INLINE RayOutcome lost() const {
        return waits ? RayOutcome::none() : RayOutcome::unknown();
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
    float gap;             // [m]
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
        // What a ray meets farther away than it counts tells whether its vertex is inside.
        const bool is_endless = is_cautious && shape.is_closed;
        const RayOutcome outcome =
            cast_vertex_ray<Caster>(shape, cast,
                                    is_endless ? std::numeric_limits<float>::infinity()
                                               : cast.inner_reach + cast.look_ahead);
        if (!is_cautious) {
            outcomes[ray] = outcome;
            return;
        }
        const RayPlan& plan = items.plans[side / 2];
        const float scale = items.step.poses_t0[target].scale;
        float clear = clearance<Caster>(shape, cast.origin, plan.clear_reach / scale);
        // Positions and distances are rounded by less than this.
        clear = (clear - 0x1p-18f * (shape.size + clear)) * scale;
        // What is within the gap is a contact.
        if (!outcome.is_met()) clear -= gap;
        if (!plan.is_anew) clear -= plan.motion[side % 2].distance(vertex.position);
        outcomes[ray] = outcome.with_clear(clear);
    }
};

// Adds to the sleeping vertices of a block those that were found to be far enough outside of a
// closed body.
struct PutRaysToSleep {
    RayItems items;
    const RayOutcome* outcomes;  // by ray
    SleepingRays* sleeping;      // in and out, by block

    GRAZE_HD void operator()(std::int64_t block) const {
        std::uint32_t mask = items.masks[block];
        if (mask == 0) return;
        const std::uint32_t side = items.block_sides[block];
        const RayPlan& plan = items.plans[side / 2];
        if (!items.shape(items.target_body(side)).is_closed || !(plan.clear_limit > 0)) return;
        std::uint64_t ray = items.ray_offsets[block];
        for (; mask != 0 && ray < items.ray_room; mask &= mask - 1, ++ray) {
            const RayOutcome outcome = outcomes[ray];
            if (!outcome.is_met())
                sleeping[block].set(trailing_zeros(mask), plan.whole_units(outcome.clear));
        }
    }
};

struct CountSleeping {
    const SleepingRays* sleeping;
    GRAZE_HD std::uint64_t operator()(std::int64_t block) const { return sleeping[block].count(); }
};

}  // namespace graze

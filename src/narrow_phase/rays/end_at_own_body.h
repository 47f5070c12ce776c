// Rays from bodies that deform end at their own body, too. Where that is not known beforehand, a
// ray is cast as if it never left its body, and what it met is looked at again here.
#pragma once

#include "narrow_phase/rays/own_hit.h"
#include "narrow_phase/rays/vertex_rays.h"

namespace graze {

template <class Caster>
struct EndAtOwnBody {
    RayItems items;
    const std::uint64_t* rays;  // that were cast
    const std::uint64_t* count;
    bool is_cautious;
    RayOutcome* outcomes;  // in and out, by ray

    GRAZE_HD void operator()(std::int64_t i) const {
        if (static_cast<std::uint64_t>(i) >= *count) return;
        const std::uint64_t ray = rays[i];
        const RayOutcome before = outcomes[ray];
        if (!before.is_met() || before.depth == 0) return;
        const RayItem item = items.items[ray];
        const std::uint32_t side = items.block_sides[item.block];
        const ShapeRays& source = items.shape(items.source_body(side));
        if (!source.deforms()) return;
        const ShapeRays& target = items.shape(items.target_body(side));
        // There what a ray meets tells that its vertex is inside, however far away it is, and
        // CountRayContacts looks at its own body.
        if (is_cautious && target.is_closed) return;
        const RayOutcome outcome = cast_to_own_body(source, target, side, item, before);
        outcomes[ray] = outcome.with_clear(before.clear);
    }

private:
    // What the ray meets first, in the order of cast_vertex_ray().
    GRAZE_INLINE RayOutcome cast_to_own_body(const ShapeRays& source, const ShapeRays& target,
                                             std::uint32_t side, const RayItem& item,
                                             RayOutcome outcome) const {
        const std::int64_t index = items.vertex_of(item);
        const auto scale =
            static_cast<float>(items.plans[side / 2].target_from_source[side % 2].scale);
        RayVertex vertex = source.vertices[index];
        if (outcome.depth > 0) {
            const RayVertex known =
                with_own_reach<Caster>(source, index, outcome.depth, outcome.depth / scale);
            const VertexRay ray = items.ray_of(side, known);
            if (outcome.depth <= ray.inner_reach + ray.look_ahead) return outcome;
            vertex.inner_reach = known.inner_reach;
            outcome = cast_vertex_ray<Caster>(target, items.ray_of(side, vertex));
        }
        if (!outcome.is_met()) return outcome;
        vertex = with_own_reach<Caster>(source, index, -1.0f, -outcome.depth / scale);
        const VertexRay ray = items.ray_of(side, vertex);
        return -outcome.depth <= ray.outer_reach ? outcome : RayOutcome::none();
    }
};

}  // namespace graze

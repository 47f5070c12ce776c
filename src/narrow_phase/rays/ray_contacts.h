// From rays to contacts; docs/concepts/contacts.md defines their members.
#pragma once

#include "graze/contact.h"
#include "narrow_phase/rays/own_hit.h"
#include "narrow_phase/rays/vertex_rays.h"

namespace graze {
namespace rays_detail {

// A contact of a vertex of the side's source. towards: the world direction in which the source
// should go; it has the length 1.
GRAZE_INLINE Contact make_ray_contact(const RayItems& items, std::uint32_t side,
                                      std::int64_t vertex, std::uint32_t triangle,
                                      const Vec3d& towards, double distance) {
    const std::uint32_t source = items.source_body(side);
    const ShapeRays& of_source = items.shape(source);
    const ShapeRays& of_target = items.shape(items.target_body(side));
    const Feature on_source{FeatureKind::vertex, of_source.vertex_index[vertex]};
    const Feature on_target{FeatureKind::face, of_target.triangle_index[triangle]};
    const bool is_of_a = side % 2 == 0;
    const IndexPair& pair = items.step.pairs[side / 2];
    Contact contact;
    contact.body_a = pair.a;
    contact.body_b = pair.b;
    contact.feature_a = is_of_a ? on_source : on_target;
    contact.feature_b = is_of_a ? on_target : on_source;
    contact.position =
        static_cast<Vec3>(transform_point(in_double(items.step.poses_t0[source]),
                                          static_cast<Vec3d>(of_source.vertices[vertex].position)));
    contact.distance = static_cast<float>(distance);
    contact.normal = static_cast<Vec3>(is_of_a ? towards : -towards);
    contact.time = 0;
    return contact;
}

GRAZE_INLINE Vec3d unit_normal(const WalkTriangle& triangle) {
    const auto a = static_cast<Vec3d>(triangle.corners[0]);
    return normalized(cross(static_cast<Vec3d>(triangle.corners[1]) - a,
                            static_cast<Vec3d>(triangle.corners[2]) - a));
}

}  // namespace rays_detail

// Which rays are contacts: those that meet the other body from inside before they leave their own,
// and those in front of it within the gap.
template <class Caster>
struct CountRayContacts {
    RayItems items;
    const RayOutcome* outcomes;
    float gap;  // [m]
    bool confirms_inside;
    std::uint64_t* counts;  // out, by ray

    GRAZE_HD void operator()(std::int64_t i) const {
        counts[i] = 0;
        if (static_cast<std::uint64_t>(i) >= items.ray_count()) return;
        const RayOutcome outcome = outcomes[i];
        if (!outcome.is_met() || (outcome.depth < 0 && gap == 0)) return;
        const RayItem item = items.items[i];
        const std::uint32_t side = items.block_sides[item.block];
        const std::uint32_t source = items.source_body(side);
        const ShapeRays& of_source = items.shape(source);
        const std::int64_t index = items.vertex_of(item);
        if (!contains(
                items.plans[side / 2].inner_region,
                transform_point(items.step.poses_t0[source], of_source.vertices[index].position))) {
            return;
        }
        // Lengths are of the target's frame.
        const std::uint32_t target = items.target_body(side);
        const auto scale =
            static_cast<float>(items.plans[side / 2].target_from_source[side % 2].scale);
        const RayVertex vertex = with_own_reach<Caster>(of_source, index, outcome.depth,
                                                        std::fabs(outcome.depth) / scale);
        bool touches = outcome.depth <= vertex.inner_reach * scale;
        if (outcome.depth < 0) {
            const float reach = gap / items.step.poses_t0[target].scale;
            touches = -outcome.depth <= min_of(vertex.outer_reach * scale, reach);
        } else if (touches && confirms_inside) {
            const ShapeRays& shape = items.shape(target);
            touches = is_inside(shape.tree, shape.moments, items.ray_of(side, vertex).origin);
        }
        counts[i] = touches ? 1 : 0;
    }
};

// A body that is wholly inside the other and whose rays all leave it before they meet the other's
// surface: all vertices are in the region, the pair has no contact, and the ray along the first
// one's normal meets the other body from inside. Its contact is from that vertex to the closest
// point of the surface.
template <class Caster>
struct FindContained {
    RayItems items;
    const std::uint64_t* contact_offsets;  // by ray
    bool confirms_inside;
    std::uint64_t* counts;  // out, by side
    Contact* contacts;      // out, by side

    GRAZE_HD void operator()(std::int64_t i) const {
        counts[i] = 0;
        const auto side = static_cast<std::uint32_t>(i);
        if (static_cast<std::uint64_t>(side / 2) >= *items.step.pair_count) return;
        const std::uint64_t begin = items.first_ray(side), end = items.first_ray(side + 1);
        const ShapeRays& source = items.shape(items.source_body(side));
        if (begin == end || static_cast<std::int64_t>(end - begin) != source.vertex_count) return;
        const std::int64_t pair_side = i & ~std::int64_t{1};
        if (contact_offsets[items.first_ray(pair_side)] !=
            contact_offsets[items.first_ray(pair_side + 2)]) {
            return;
        }
        const std::uint32_t target = items.target_body(side);
        const ShapeRays& shape = items.shape(target);
        const VertexRay vertex = items.ray_of(side, source.vertices[0]);
        if (!contains_point(shape, vertex)) return;
        ClosestPoint query(vertex.origin, shape.tree.triangles);
        traverse(shape.tree.tree, query);
        if (!query.is_found()) return;
        const auto way = static_cast<Vec3d>(query.closest().point - vertex.origin);
        const double distance = length(way);
        const Vec3d direction = distance > 0
                                    ? way / distance
                                    : rays_detail::unit_normal(shape.triangles[query.triangle()]);
        const Transform& pose = items.step.poses_t0[target];
        counts[i] = 1;
        contacts[i] = rays_detail::make_ray_contact(
            items, side, 0, query.triangle(),
            transform_direction(rays_detail::in_double(pose), direction),
            -distance * static_cast<double>(pose.scale));
    }

private:
    GRAZE_INLINE bool contains_point(const ShapeRays& shape, const VertexRay& vertex) const {
        if (confirms_inside) return is_inside(shape.tree, shape.moments, vertex.origin);
        const Ray outward{vertex.origin, -vertex.direction};
        FirstVertexHit query(outward, shape.tree.triangles, false);
        Caster::cast(shape, outward, query);
        return query.triangle() != kNoTriangle;
    }
};

// Where contacts go: by pair, first those of its rays, then those of bodies that are contained.
struct RayContactOffsets {
    RayItems items;
    const std::uint64_t* contact_offsets;    // by ray
    const std::uint64_t* contained_offsets;  // by side

    GRAZE_INLINE std::uint64_t of_pair(std::int64_t pair) const {
        return contact_offsets[items.first_ray(2 * pair)] + contained_offsets[2 * pair];
    }
    GRAZE_INLINE std::uint64_t of_ray(std::int64_t ray, std::uint32_t side) const {
        return contact_offsets[ray] + contained_offsets[side & ~1u];
    }
    GRAZE_INLINE std::uint64_t of_contained(std::int64_t side) const {
        return contact_offsets[items.first_ray((side | 1) + 1)] + contained_offsets[side];
    }
};

struct OffsetOfRayPair {
    RayContactOffsets from;
    std::uint64_t* offsets;  // out, by pair
    GRAZE_HD void operator()(std::int64_t pair) const { offsets[pair] = from.of_pair(pair); }
};

struct StoreRayContact {
    RayContactOffsets offsets;
    const std::uint64_t* counts;
    const RayOutcome* outcomes;
    RayResponse response;
    std::uint64_t room;
    Contact* contacts;  // out

    GRAZE_HD void operator()(std::int64_t i) const {
        if (counts[i] == 0) return;
        const RayItems& items = offsets.items;
        const RayItem item = items.items[i];
        const std::uint32_t side = items.block_sides[item.block];
        const std::uint64_t at = offsets.of_ray(i, side);
        if (at >= room) return;
        const std::int64_t vertex = items.vertex_of(item);
        const std::uint32_t target = items.target_body(side);
        const ShapeRays& shape = items.shape(target);
        const Transformd pose = rays_detail::in_double(items.step.poses_t0[target]);
        const Vec3d direction = normalized(-transform_direction(
            items.plans[side / 2].target_from_source[side % 2],
            static_cast<Vec3d>(items.shape(items.source_body(side)).vertices[vertex].normal)));
        const RayOutcome outcome = outcomes[i];
        Vec3d normal = rays_detail::unit_normal(shape.triangles[outcome.triangle()]);
        if (!(length_sq(normal) > 0)) normal = direction;
        const double depth = static_cast<double>(outcome.depth) * pose.scale;
        const bool is_shortened = response != RayResponse::ray;
        contacts[at] = rays_detail::make_ray_contact(
            items, side, vertex, outcome.triangle(),
            transform_direction(pose, response == RayResponse::reprojected ? normal : direction),
            is_shortened ? -depth * dot(direction, normal) : -depth);
    }
};

struct StoreContained {
    RayContactOffsets offsets;
    const std::uint64_t* counts;
    const Contact* found;  // by side
    std::uint64_t room;
    Contact* contacts;  // out

    GRAZE_HD void operator()(std::int64_t side) const {
        if (counts[side] == 0) return;
        const std::uint64_t at = offsets.of_contained(side);
        if (at < room) contacts[at] = found[side];
    }
};

}  // namespace graze

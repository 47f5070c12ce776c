// PairRegion: where the particles of a pair are, and what they go by.
#pragma once

#include "narrow_phase/method.h"
#include "narrow_phase/particles/particle_grid.h"
#include "narrow_phase/particles/project_particle.h"

namespace graze {

// The bodies of a step as particles see them, in the executor's memory.
struct ParticleBodies {
    const ShapeField* shapes;
    const std::uint32_t* shape_of_body;  // by body
    const Transform* poses;              // by body; world from body
    const Aabb* boxes;                   // [m] by body, in the world, grown by half the gap
};

// Items of one pair that are worked on together; on the device a warp.
constexpr int kChunkSize = 32;
// What stands for the number of chunks of a pair whose region no grid can fill.
constexpr std::uint64_t kWithoutEnd = std::uint64_t{1} << 40;

struct PairRegion {
    std::uint32_t body_a, body_b;
    Aabb box;           // [m] the intersection of the bodies' boxes, which holds that of the bodies
    ParticleGrid grid;  // without cells where the box is empty or has no end
    float tolerance;    // [m]
    float error_a, error_b;  // [m] see ShapeField::error
    int levels;              // cells come in blocks of 2^levels along a side
    // How many cells particles begin in: of all blocks, or of those that are left (live_blocks.h).
    std::uint64_t cell_count;
    // Of the last step's contacts of this pair: where they are, how many there are, and how many of
    // them begin as particles again.
    std::uint64_t last_begin, last_count, seed_count;
};

namespace detail {

// The tolerance where the user gives none, and what rounding costs at these coordinates.
GRAZE_INLINE float choose_tolerance(const ShapeField& a, float scale_a, const ShapeField& b,
                                    float scale_b, float given, float region_size, float rounding) {
    const float sampled = max_of(a.tolerance * scale_a, b.tolerance * scale_b);
    const float smaller = min_of(a.size * scale_a, b.size * scale_b);
    // Where both have no end, what they share has one.
    const float formula = (is_finite(Vec3{smaller, 0, 0}) ? smaller : region_size) * 1e-4f;
    // A coarse terrain must not make a pebble touch it from afar.
    const float chosen =
        given > 0 ? given : (sampled > 0 ? min_of(sampled, formula * 100) : formula);
    return max_of(chosen, rounding);
}

GRAZE_INLINE float farthest_coordinate(const Aabb& box) {
    float farthest = 0;
    for (int axis = 0; axis < 3; ++axis)
        farthest = max_of(farthest, max_of(std::fabs(box.min[axis]), std::fabs(box.max[axis])));
    return farthest;
}

// The pair's contacts in the last step, by bisection.
GRAZE_INLINE void find_seeds(const LastContacts& last, const IndexPair& pair, std::uint64_t most,
                             PairRegion& region) {
    if (!last.contacts || pair.b >= last.body_count) return;
    std::uint64_t low = 0, high = *last.pair_count;
    while (low < high) {
        const std::uint64_t middle = (low + high) / 2;
        const IndexPair at = last.pairs[middle];
        const bool is_before = at.a < pair.a || (at.a == pair.a && at.b < pair.b);
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    if (low == *last.pair_count || last.pairs[low].a != pair.a || last.pairs[low].b != pair.b)
        return;
    region.last_begin = last.offsets[low];
    region.last_count = last.offsets[low + 1] - last.offsets[low];
    // Not all: each would come to be two contacts, and those four in the next step.
    region.seed_count = min_of(region.last_count, most);
}

}  // namespace detail

// How many chunks the particles of a region take.
GRAZE_INLINE std::uint64_t chunk_count(const PairRegion& region) {
    return (region.cell_count + region.seed_count + kChunkSize - 1) / kChunkSize;
}

struct MakePairRegion {
    ParticleBodies bodies;
    const IndexPair* pairs;
    const std::uint64_t* pair_count;
    LastContacts last;
    int resolution;
    float tolerance;              // [m] 0: chosen
    int levels;                   // of the blocks that cells are looked at in, at least
    std::int64_t most_blocks;     // a pair with more of them has larger ones
    PairRegion* regions;          // out
    std::uint64_t* chunk_counts;  // out: of 32 items, or kWithoutEnd

    GRAZE_HD void operator()(std::int64_t p) const {
        chunk_counts[p] = 0;
        if (static_cast<std::uint64_t>(p) >= *pair_count) return;
        PairRegion region;
        chunk_counts[p] = describe(p, region) ? chunk_count(region) : kWithoutEnd;
        regions[p] = region;
    }

    // False where the region has no end.
    GRAZE_HD bool describe(std::int64_t p, PairRegion& region) const {
        const IndexPair pair = pairs[p];
        const ShapeField& a = bodies.shapes[bodies.shape_of_body[pair.a]];
        const ShapeField& b = bodies.shapes[bodies.shape_of_body[pair.b]];
        const float scale_a = bodies.poses[pair.a].scale, scale_b = bodies.poses[pair.b].scale;
        region = {};
        region.body_a = pair.a;
        region.body_b = pair.b;
        region.box = intersect(bodies.boxes[pair.a], bodies.boxes[pair.b]);
        if (region.box.is_empty()) return true;  // given by the user, who may know no better
        if (!is_finite(extent(region.box))) return false;
        // Of a point's position in a body's frame, and of what a formula makes of it.
        const float farthest = detail::farthest_coordinate(region.box);
        const float rounding_a = 0x1p-20f * (farthest + length(bodies.poses[pair.a].translation) +
                                             a.magnitude * scale_a);
        const float rounding_b = 0x1p-20f * (farthest + length(bodies.poses[pair.b].translation) +
                                             b.magnitude * scale_b);
        const Vec3 sides = extent(region.box);
        region.tolerance = detail::choose_tolerance(a, scale_a, b, scale_b, tolerance,
                                                    max_of(max_of(sides.x, sides.y), sides.z),
                                                    max_of(rounding_a, rounding_b));
        region.grid = make_particle_grid(region.box, resolution, region.tolerance);
        region.error_a = a.error * scale_a + rounding_a;
        region.error_b = b.error * scale_b + rounding_b;
        region.levels = levels;
        while (block_count(region.grid, region.levels) > most_blocks)
            ++region.levels;
        region.cell_count = static_cast<std::uint64_t>(blockwise_count(region.grid, region.levels));
        detail::find_seeds(last, pair, static_cast<std::uint64_t>(resolution) * resolution, region);
        return true;
    }
};

// Where a contact of the last step would be now: between where either body took it.
GRAZE_INLINE Vec3 moved_contact(const LastContacts& last, const ParticleBodies& bodies,
                                const PairRegion& region, std::uint64_t seed) {
    const Vec3 point =
        last.contacts[region.last_begin + seed * region.last_count / region.seed_count].position;
    const Vec3 by_a = transform_point(bodies.poses[region.body_a],
                                      transform_point(inverse(last.poses[region.body_a]), point));
    const Vec3 by_b = transform_point(bodies.poses[region.body_b],
                                      transform_point(inverse(last.poses[region.body_b]), point));
    const Vec3 middle = (by_a + by_b) * 0.5f;
    return min_of(max_of(middle, region.box.min), region.box.max);
}

// [m] Inside both it is the deeper one's depth. Elsewhere the ways to both surfaces add up, which
// is the gap between them where the point is on the shortest way.
GRAZE_INLINE float contact_distance(const PairValue& value) {
    const float a = value.a.distance, b = value.b.distance;
    return max_of(a, b) <= 0 ? min_of(a, b) : a + b;
}

namespace detail {

// Where the gradients do not oppose each other, one of the surfaces at least bends there: it has an
// edge, of which any face's normal may be met. The other one knows better. So each is weighed by
// how much the other turns from one side of the point to the other, in the direction of their
// disagreement; both are taken as means of the two sides, which for crossing edges is right too.
template <class Look>
GRAZE_HD Vec3 smoother_normal(const Look& look, const PairValue& value, const Vec3& point,
                              const Vec3& given, float reach) {
    constexpr float kOpposed = -0.95f;
    constexpr float kBends = 1e-5f;  // what rounding does not make
    if (dot(value.a.gradient, value.b.gradient) < kOpposed) return given;
    const Vec3 sideways = normalized(value.a.gradient + value.b.gradient) * reach;
    const PairValue one = look(point + sideways), other = look(point - sideways);
    const float bend_a = 1 - dot(one.a.gradient, other.a.gradient);
    const float bend_b = 1 - dot(one.b.gradient, other.b.gradient);
    if (!(max_of(bend_a, bend_b) > kBends)) return given;
    const Vec3 from_a = -normalized(one.a.gradient + other.a.gradient);
    const Vec3 from_b = normalized(one.b.gradient + other.b.gradient);
    const Vec3 normal = normalized(from_a * bend_b + from_b * bend_a);
    return length_sq(normal) > 0 ? normal : given;
}

}  // namespace detail

// The contact of two bodies at a point where both fields are known. offset [m] is half of the gap.
template <class Look>
GRAZE_HD Contact make_contact(const Look& look, const PairRegion& region, const PairValue& value,
                              const Vec3& point, const Vec3& between, float offset,
                              NormalRule rule) {
    const float a = value.a.distance, b = value.b.distance;
    Contact contact{};
    contact.body_a = region.body_a;
    contact.body_b = region.body_b;
    contact.position = point;
    contact.distance = contact_distance(value);
    // The farther surface says best which way it is to it, and where both are as far, as on the rim
    // of an intersection, both do: in between one goes over into the other, so that rounding
    // decides nothing and neither body is preferred.
    const Vec3 from_a = -value.a.gradient;
    const bool by_b = rule == NormalRule::gradient_b;
    const float lead = by_b ? 1.0f : (std::fabs(b) - std::fabs(a)) / (2 * region.tolerance);
    const float share_a = clamp(0.5f - lead, 0.0f, 1.0f), share_b = clamp(0.5f + lead, 0.0f, 1.0f);
    Vec3 normal = normalized(value.b.gradient * share_b + from_a * share_a);
    if (length_sq(normal) == 0) normal = lead > 0 ? from_a : value.b.gradient;
    if (length_sq(normal) == 0) normal = normalized(between);
    if (rule == NormalRule::smoother) {
        // Deep inside, so far that other faces do not count.
        const float near = max_of(offset, 4 * region.tolerance);
        const float reach = 2 * clamp(max_of(std::fabs(a), std::fabs(b)), near, 2 * near);
        normal = detail::smoother_normal(look, value, point, normal, reach);
    }
    contact.normal = normal;
    return contact;
}

}  // namespace graze

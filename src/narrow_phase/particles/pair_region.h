// PairRegion: where the particles of a pair are, and what they go by.
#pragma once

#include "broad_phase/body_boxes.h"
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

    // [m] The box of a body itself.
    GRAZE_INLINE Aabb own_box(std::uint32_t body) const {
        return pose_box(poses[body], shapes[shape_of_body[body]].bounds, 0);
    }
    GRAZE_INLINE bool is_in_bounds(std::uint32_t body, const Vec3& point) const {
        const Transform& pose = poses[body];
        const Vec3 local = rotate(conjugate(pose.rotation), point - pose.translation);
        return contains(shapes[shape_of_body[body]].bounds, local * (1 / pose.scale));
    }
};

// Items of one pair that are worked on together; on the device a warp.
constexpr int kChunkSize = 32;
// What stands for the number of chunks of a pair whose region no grid can fill.
constexpr std::uint64_t kWithoutEnd = std::uint64_t{1} << 40;

struct PairRegion {
    std::uint32_t body_a, body_b;
    // [m] Holds the intersection of the bodies and, with a gap, what is midway between any two
    // points of them that are no farther apart than that.
    Aabb box;
    ParticleGrid grid;       // without cells where the box is empty or has no end
    float tolerance;         // [m]
    float error_a, error_b;  // [m] see ShapeField::error
    bool has_bounds_only;    // see ShapeField::exact_reach: it is less than half the gap
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

// Holds what is midway between any point of one box and any of the other. Where one has no end,
// neither has this.
GRAZE_INLINE Aabb middle_box(const Aabb& a, const Aabb& b) {
    return {(a.min * 0.5f) + (b.min * 0.5f), (a.max * 0.5f) + (b.max * 0.5f)};
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
    float offset;                 // [m] half of the gap
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
        if (offset > 0 && !region.box.is_empty()) {
            // Where the gap is large, this is what keeps particles near each other.
            region.box = intersect(
                region.box, detail::middle_box(bodies.own_box(pair.a), bodies.own_box(pair.b)));
        }
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
        region.has_bounds_only =
            !(offset < a.exact_reach * scale_a && offset < b.exact_reach * scale_b);
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

}  // namespace graze

// What is decided for each pair of bodies before its rays are cast: which vertices cast any,
// whether they are cast anew or follow from the last step, and what is kept of the pair for the
// next one.
//
// A pair's state belongs to two shapes in a position to each other: where both are still the same
// and have moved less than the threshold since the rays were last cast anew, it holds, whatever has
// become of the order of bodies and pairs. It is found by the indices that the bodies had in the
// last step (PairStep::last_body); a pair may have been the other way around then. Where these mean
// other bodies, shapes or positions differ, and the rays are cast anew.
#pragma once

#include "broad_phase/body_boxes.h"
#include "narrow_phase/method.h"
#include "narrow_phase/rays/cast_vertex_ray.h"
#include "narrow_phase/rays/sleeping_rays.h"

namespace graze {

struct RayPose {
    Transform a, b;             // world from body
    std::uint64_t revision[2];  // of their shapes, and
    double travel[2];           // [m] how far their vertices have gone by then, as in ShapeRays

    GRAZE_INLINE RayPose turned() const {
        return {b, a, {revision[1], revision[0]}, {travel[1], travel[0]}};
    }
};

// What a step keeps of a pair.
struct RayPairState {
    IndexPair bodies;
    std::uint64_t serials[2];  // of the meshes of a and b
    RayPose base_pose;         // when its rays were last cast anew
    RayPose last_pose;         // in this step
    float threshold;           // [m] how far it may move from base_pose
    float clear_limit;         // [m] as in RayPlan; 0 where no vertex sleeps

    // The same with a and b exchanged.
    GRAZE_INLINE RayPairState turned() const {
        return {{bodies.b, bodies.a},
                {serials[1], serials[0]},
                base_pose.turned(),
                last_pose.turned(),
                threshold,
                clear_limit};
    }
};

// How the vertices of a side have moved as the other body sees them.
struct RayMotion {
    Mat3 matrix;   // from a position in the source's frame [m] to its displacement [m, world]
    Vec3 shift;    // [m, world]
    float spin;    // how much displacements differ for positions 1 m apart, at most
    float travel;  // [m, world] how far vertices of bodies that deform went besides, at most

    GRAZE_INLINE static RayMotion none() { return {{}, {0, 0, 0}, 0, 0}; }
    // [m] How far points within a radius of a position have moved at most.
    GRAZE_INLINE float distance(const Vec3& position, float radius = 0) const {
        return bound(length(matrix * position + shift), radius);
    }
    // [m] How far points among eight corners have moved at most. Displacements are linear in
    // positions, so that one of the corners has moved farthest.
    GRAZE_INLINE float farthest(const Vec3 (&corners)[8]) const {
        float farthest_sq = 0;
        for (const Vec3& corner : corners)
            farthest_sq = max_of(farthest_sq, length_sq(matrix * corner + shift));
        return bound(std::sqrt(farthest_sq), 0);
    }

private:
    GRAZE_INLINE float bound(float displacement, float radius) const {
        // More than what is lost by rounding.
        constexpr float kMore = 1 + 0x1p-16f;
        return (displacement + spin * radius + travel) * kMore;
    }
};

// What a step knows of a pair. Side 0 casts rays from a against b, side 1 from b against a.
struct RayPlan {
    Transformd target_from_source[2];  // by side
    Aabb region;                       // [m] world: vertices in it cast rays
    Aabb inner_region;                 // [m] and of these, those in it can be contacts
    Aabb source_region[2];    // [m] by side: a box around the region, in the source's frame
    RayMotion motion[2];      // by side: since the base pose that the last step knew
    float look_ahead;         // [m] world: how far rays along normals go
    std::uint32_t last_pair;  // of the last step; kNoIndex where nothing is known of it
    bool was_turned;          // a of the last step's pair is b of this one
    bool rests;               // both bodies are where and what they were in the last step
    bool is_anew;             // this is the new base pose: what rays meet is found anew
    float clear_reach;        // [m] world: how far around a vertex surfaces are looked for
    float clear_limit;        // [m] world: the farthest that counts; 0 where no vertex sleeps

    // Of SleepingRays.
    GRAZE_INLINE float unit() const { return clear_limit / SleepingRays::kMost; }
    GRAZE_INLINE std::int32_t whole_units(float distance) const {
        const float most = static_cast<float>(SleepingRays::kMost);
        return static_cast<std::int32_t>(clamp(distance / unit(), 0.0f, most));
    }
};

// The state that the last step left, in the executor's memory.
struct LastRays {
    const RayPairState* pairs;           // ascending
    const std::uint64_t* pair_count;     // null where there is no last step
    const std::uint64_t* block_offsets;  // by side
    const std::uint32_t* masks;          // by block: which of its vertices cast a ray
    const std::uint64_t* ray_offsets;    // by block
    const RayOutcome* outcomes;          // by ray
    const SleepingRays* sleeping;        // by block

    GRAZE_INLINE bool has_blocks(std::uint32_t last_pair) const {
        const std::uint64_t side = 2 * std::uint64_t{last_pair};
        return block_offsets[side] < block_offsets[side + 2];
    }
    // Of the same block of a pair that the last step knew.
    GRAZE_INLINE std::uint64_t block_of(const RayPlan& plan, std::uint32_t side,
                                        std::uint64_t local) const {
        const std::uint32_t last_side = plan.was_turned ? (side + 1) % 2 : side % 2;
        return block_offsets[2 * std::uint64_t{plan.last_pair} + last_side] + local;
    }
};

namespace rays_detail {

GRAZE_INLINE Transformd in_double(const Transform& t) {
    return {static_cast<Vec3d>(t.translation),
            {t.rotation.w, t.rotation.x, t.rotation.y, t.rotation.z},
            static_cast<double>(t.scale)};
}

// now, then: the target's frame from the source's; scale: the world's from the target's; travel: as
// in RayMotion.
GRAZE_INLINE RayMotion make_motion(const Transformd& then, const Transformd& now, double scale,
                                   float travel) {
    const Mat3d rotation_now = to_matrix(now.rotation), rotation_then = to_matrix(then.rotation);
    RayMotion motion;
    double sum_sq = 0;
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            const double difference =
                (rotation_now(row, column) * now.scale - rotation_then(row, column) * then.scale) *
                scale;
            sum_sq += difference * difference;
            motion.matrix(row, column) = static_cast<float>(difference);
        }
    }
    motion.shift = static_cast<Vec3>((now.translation - then.translation) * scale);
    motion.spin = static_cast<float>(std::sqrt(sum_sq));
    motion.travel = travel;
    return motion;
}

// [m, world] How far vertices of both bodies went besides, where they deform.
GRAZE_INLINE float travel_between(const RayPose& then, const RayPose& now) {
    return static_cast<float>((now.travel[0] - then.travel[0]) * static_cast<double>(now.a.scale) +
                              (now.travel[1] - then.travel[1]) * static_cast<double>(now.b.scale));
}

// A box in the body's frame around a box of the world, larger by more than what positions of floats
// are rounded by.
GRAZE_INLINE Aabb box_in_frame(const Transformd& world_from_body, const Transformd& body_from_world,
                               const Aabb& box) {
    const Aabbd in_world{static_cast<Vec3d>(box.min), static_cast<Vec3d>(box.max)};
    const Aabbd in_body = transform_box(body_from_world, in_world);
    double largest = 0;
    for (int axis = 0; axis < 3; ++axis) {
        largest =
            max_of(largest, max_of(std::fabs(in_body.min[axis]), std::fabs(in_body.max[axis])));
        largest =
            max_of(largest, std::fabs(world_from_body.translation[axis]) / world_from_body.scale);
    }
    const Aabbd grown = inflate(in_body, largest * 0x1p-16);
    return {static_cast<Vec3>(grown.min), static_cast<Vec3>(grown.max)};
}

GRAZE_INLINE std::uint32_t find_last_pair(const LastRays& last, const IndexPair& pair) {
    if (!last.pair_count) return kNoIndex;
    std::uint64_t low = 0, beyond = *last.pair_count;
    const auto is_before = [](const IndexPair& x, const IndexPair& y) {
        return x.a < y.a || (x.a == y.a && x.b < y.b);
    };
    while (low < beyond) {
        const std::uint64_t middle = low + (beyond - low) / 2;
        if (is_before(last.pairs[middle].bodies, pair)) {
            low = middle + 1;
        } else {
            beyond = middle;
        }
    }
    if (low == *last.pair_count || is_before(pair, last.pairs[low].bodies)) return kNoIndex;
    return static_cast<std::uint32_t>(low);
}

}  // namespace rays_detail

// How far a pair may move until its rays are cast anew, and how far rays look ahead meanwhile.
struct RayThresholds {
    RaysOptions options;
    float gap;  // [m]

    // [m] speed: how far the pair moved in the last step; negative where that is not known. sizes
    // and edges: [m] of both bodies, in the world.
    //
    // Adaptive: so far that kSteps steps at this speed are made of one cast, but neither farther
    // than a walk of max_iterations triangles reaches nor than a part of the smaller body. A pair
    // that would not even make two steps is cast anew each time. One at rest may still tremble, and
    // one whose speed is not known yet begins in between. On spheres and tori that sink into the
    // ground and each other, slide and turn, 6 steps take fewest casts of 6, 8 and 10, and a
    // quarter takes fewer than the whole; wrong rays are as many as for the best fixed threshold.
    GRAZE_INLINE float threshold(float speed, float smaller_size, float shorter_edge) const {
        if (!options.is_iterative) return 0;
        if (!options.adapts) return options.displacement_threshold;
        constexpr float kSteps = 6, kOfNewPair = 0.25f;
        const float most = this->most(smaller_size, shorter_edge);
        if (speed < 0) return kOfNewPair * most;
        if (2 * speed > most) return 0;
        return clamp(kSteps * speed, kTremble * most, most);
    }
    // A pair that has become slow looks too far ahead: to cast it anew once makes all steps after
    // that cheaper.
    GRAZE_INLINE bool is_too_much(float threshold, float wanted) const {
        return options.adapts && !is_cautious() && wanted > 0 && threshold > 4 * wanted;
    }
    GRAZE_INLINE bool is_cautious() const { return options.is_iterative && options.is_cautious; }
    // [m] The farthest that a vertex can be known to be from a surface.
    GRAZE_INLINE float clear_limit(float smaller_size) const {
        constexpr float kPartOfSize = 0.25f;
        return is_cautious() ? kPartOfSize * smaller_size : 0.0f;
    }
    // [m] How far around a vertex surfaces are looked for: as far as the pair moves in kSteps,
    // since until then the vertex is not asked again.
    GRAZE_INLINE float clear_reach(float speed, float clear_limit) const {
        constexpr float kSteps = 60, kLeast = 0.1f;
        if (speed < 0) return 0.5f * clear_limit;
        return clamp(kSteps * speed, kLeast * clear_limit, clear_limit);
    }
    // [m] How far rays along normals go. Where surfaces around vertices are known, nothing comes
    // unforeseen.
    GRAZE_INLINE float look_ahead(float threshold) const {
        const bool predicts = options.is_iterative && options.predicts && !options.is_cautious;
        return max_of(gap, predicts ? options.confidence * threshold : 0.0f);
    }
    // [m] By how much the intersection of boxes is grown.
    GRAZE_INLINE float extension(float look_ahead) const {
        return max_of(look_ahead, options.is_iterative ? options.distance_extension : 0.0f);
    }

private:
    static constexpr float kTremble = 0.05f;

    GRAZE_INLINE float most(float smaller_size, float shorter_edge) const {
        constexpr float kPartOfSize = 0.1f;
        const float walk = 0.5f * static_cast<float>(options.max_iterations) * shorter_edge;
        return min_of(walk, kPartOfSize * smaller_size);
    }
};

struct PlanRayPair {
    PairStep step;
    LastRays last;
    RayThresholds thresholds;
    RayPlan* plans;               // out, by pair
    RayPairState* states;         // out, by pair
    std::uint64_t* block_counts;  // out, by side

    GRAZE_HD void operator()(std::int64_t i) const {
        block_counts[2 * i] = 0;
        block_counts[2 * i + 1] = 0;
        if (static_cast<std::uint64_t>(i) >= *step.pair_count) return;
        const IndexPair pair = step.pairs[i];
        const ShapeRays& a = step.shapes.rays[step.shape_of_body[pair.a]];
        const ShapeRays& b = step.shapes.rays[step.shape_of_body[pair.b]];
        const RayPose pose{step.poses_t0[pair.a],
                           step.poses_t0[pair.b],
                           {a.revision, b.revision},
                           {a.travel, b.travel}};
        const Aabb common = intersect(step.boxes[pair.a], step.boxes[pair.b]);

        const float size = min_of(a.size * pose.a.scale, b.size * pose.b.scale);
        const float edge = min_of(a.mean_edge * pose.a.scale, b.mean_edge * pose.b.scale);
        RayPairState state{pair, {a.serial, b.serial}, pose, pose, 0, thresholds.clear_limit(size)};
        RayPlan plan;
        RayPairState before = state;  // in the last step, where that is known
        find_last_pair(state, plan, before);
        // Units stay what they were, though bodies may change their size.
        if (plan.last_pair != kNoIndex) state.clear_limit = before.clear_limit;
        const float clear_limit = state.clear_limit;
        plan.rests = false;
        plan.is_anew = false;
        plan.clear_limit = clear_limit;
        const Transformd world_from_a = rays_detail::in_double(pose.a);
        const Transformd world_from_b = rays_detail::in_double(pose.b);
        const Transformd a_from_world = inverse(world_from_a), b_from_world = inverse(world_from_b);
        plan.target_from_source[0] = b_from_world * world_from_a;
        plan.target_from_source[1] = a_from_world * world_from_b;
        plan.motion[0] = plan.motion[1] = RayMotion::none();
        float speed = -1, moved = 0;  // [m] not known
        if (plan.last_pair != kNoIndex) {
            plan.rests = is_same(before.last_pose, pose);
            plan.motion[0] = motion_since(before.base_pose, pose, plan, 0);
            Vec3 corners[8];
            corners_in_frame(common, pose.a, corners);
            moved = plan.motion[0].farthest(corners);
            speed =
                plan.rests ? 0.0f : motion_since(before.last_pose, pose, plan, 0).farthest(corners);
        }
        state.threshold = thresholds.threshold(speed, size, edge);
        plan.clear_reach = thresholds.clear_reach(speed, clear_limit);
        if (plan.last_pair != kNoIndex) {
            const bool is_too_much = thresholds.is_too_much(before.threshold, state.threshold);
            const bool holds = moved < before.threshold && (plan.rests || !is_too_much);
            if (holds || (plan.rests && thresholds.is_cautious())) {
                state.base_pose = before.base_pose;
                state.threshold = before.threshold;
            } else if (thresholds.is_cautious()) {
                plan.is_anew = true;
            } else {
                plan.last_pair = kNoIndex;
            }
        }
        plan.look_ahead = thresholds.look_ahead(state.threshold);
        plan.inner_region = inflate(common, thresholds.gap);
        plan.region = inflate(common, thresholds.extension(plan.look_ahead));
        plan.source_region[0] = rays_detail::box_in_frame(world_from_a, a_from_world, plan.region);
        plan.source_region[1] = rays_detail::box_in_frame(world_from_b, b_from_world, plan.region);
        if (plan.last_pair != kNoIndex && thresholds.is_cautious())
            plan.motion[1] = motion_since(before.base_pose, pose, plan, 1);
        plans[i] = plan;
        states[i] = state;
        // Pairs that were given, not found, may be apart.
        if (plan.region.is_empty()) return;
        block_counts[2 * i] = static_cast<std::uint64_t>(a.block_count());
        block_counts[2 * i + 1] = static_cast<std::uint64_t>(b.block_count());
    }

private:
    // Of the vertices of a side, as the other body sees them.
    GRAZE_INLINE static RayMotion motion_since(const RayPose& then, const RayPose& now,
                                               const RayPlan& plan, int side) {
        const Transform &source = side == 0 ? then.a : then.b,
                        &target = side == 0 ? then.b : then.a;
        return rays_detail::make_motion(
            inverse(rays_detail::in_double(target)) * rays_detail::in_double(source),
            plan.target_from_source[side], static_cast<double>((side == 0 ? now.b : now.a).scale),
            rays_detail::travel_between(then, now));
    }
    // Of a box of the world.
    GRAZE_INLINE static void corners_in_frame(const Aabb& box, const Transform& world_from_body,
                                              Vec3 (&corners)[8]) {
        const Transform body_from_world = inverse(world_from_body);
        for (int corner = 0; corner < 8; ++corner) {
            const Vec3 x{corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y,
                         corner & 4 ? box.max.z : box.min.z};
            corners[corner] = transform_point(body_from_world, x);
        }
    }
    GRAZE_INLINE static bool is_same(const RayPose& x, const RayPose& y) {
        return is_same(x.a, y.a) && is_same(x.b, y.b) && x.revision[0] == y.revision[0] &&
               x.revision[1] == y.revision[1];
    }
    GRAZE_INLINE static bool is_same(const Transform& a, const Transform& b) {
        return a.translation == b.translation && a.rotation.w == b.rotation.w &&
               a.rotation.x == b.rotation.x && a.rotation.y == b.rotation.y &&
               a.rotation.z == b.rotation.z && a.scale == b.scale;
    }
    // The same pair of shapes in the last step, where it had blocks then: one that was apart has
    // none.
    GRAZE_INLINE void find_last_pair(const RayPairState& state, RayPlan& plan,
                                     RayPairState& before) const {
        plan.last_pair = kNoIndex;
        IndexPair bodies = state.bodies;
        if (step.last_body) bodies = {step.last_body[bodies.a], step.last_body[bodies.b]};
        plan.was_turned = bodies.b < bodies.a;
        if (plan.was_turned) bodies = {bodies.b, bodies.a};
        if (bodies.b == kNoIndex) return;
        const std::uint32_t found = rays_detail::find_last_pair(last, bodies);
        if (found == kNoIndex || !last.has_blocks(found)) return;
        before = plan.was_turned ? last.pairs[found].turned() : last.pairs[found];
        const bool is_same_pair =
            before.serials[0] == state.serials[0] && before.serials[1] == state.serials[1];
        if (is_same_pair) plan.last_pair = found;
    }
};

// The list of pairs is as long as the room where there are more.
struct KeepPairCount {
    const std::uint64_t* pair_count;
    std::uint64_t room;
    std::uint64_t* kept;  // out, one
    GRAZE_HD void operator()(std::int64_t) const { *kept = min_of(*pair_count, room); }
};

}  // namespace graze

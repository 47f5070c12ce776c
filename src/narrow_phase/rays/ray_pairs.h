// What is decided for each pair of bodies before its rays are cast: which vertices cast any,
// whether they are cast anew or follow from the last step, and what is kept of the pair for the
// next one.
//
// A pair's state belongs to two shapes in a position to each other: where both are still the same
// and have moved less than the threshold since the rays were last cast anew, it holds, whatever has
// become of the order of bodies and pairs. It is found by the pair's indices; where these now mean
// other bodies, shapes or positions differ, and the rays are cast anew.
#pragma once

#include "broad_phase/body_boxes.h"
#include "narrow_phase/method.h"
#include "narrow_phase/rays/cast_vertex_ray.h"

namespace graze {

struct RayPose {
    Transform a, b;  // world from body
};

// What a step keeps of a pair.
struct RayPairState {
    IndexPair bodies;
    std::uint64_t serials[2];  // of the meshes of a and b
    RayPose cast_pose;         // when all rays were last cast anew
    RayPose last_pose;         // in this step
    float threshold;           // [m] how far it may move from cast_pose
};

// What a step knows of a pair. Side 0 casts rays from a against b, side 1 from b against a.
struct RayPlan {
    Transformd target_from_source[2];  // by side
    Aabb region;                       // [m] world: vertices in it cast rays
    Aabb inner_region;                 // [m] and of these, those in it can be contacts
    Aabb source_region[2];    // [m] by side: a box around the region, in the source's frame
    float look_ahead;         // [m] world: how far rays along normals go
    std::uint32_t last_pair;  // of the last step; kNoIndex where all rays are cast anew
    bool rests;               // both bodies are where they were in the last step
};

// The state that the last step left, in the executor's memory.
struct LastRays {
    const RayPairState* pairs;           // ascending
    const std::uint64_t* pair_count;     // null where there is no last step
    const std::uint64_t* block_offsets;  // by side
    const std::uint32_t* masks;          // by block: which of its vertices cast a ray
    const std::uint64_t* ray_offsets;    // by block
    const RayOutcome* outcomes;          // by ray
};

namespace rays_detail {

GRAZE_INLINE Transformd in_double(const Transform& t) {
    return {static_cast<Vec3d>(t.translation),
            {t.rotation.w, t.rotation.x, t.rotation.y, t.rotation.z},
            static_cast<double>(t.scale)};
}

// [m] How far any point of the box [m, world] has moved since, as a point of a seen from b. The
// motion of points is linear in their position, so that it is largest at one of the corners.
GRAZE_INLINE double displacement(const RayPose& then, const RayPose& now, const Aabb& box) {
    const Transformd a_from_world = inverse(in_double(now.a)),
                     b_from_world = inverse(in_double(now.b));
    const Transformd b_from_a_then = inverse(in_double(then.b)) * in_double(then.a);
    double largest_sq = 0;
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3d x{static_cast<double>(corner & 1 ? box.max.x : box.min.x),
                      static_cast<double>(corner & 2 ? box.max.y : box.min.y),
                      static_cast<double>(corner & 4 ? box.max.z : box.min.z)};
        const Vec3d before = transform_point(b_from_a_then, transform_point(a_from_world, x));
        largest_sq = max_of(largest_sq, length_sq(before - transform_point(b_from_world, x)));
    }
    return std::sqrt(largest_sq) * static_cast<double>(now.b.scale);
}

// A box in the body's frame around a box of the world, larger by more than what positions of floats
// are rounded by.
GRAZE_INLINE Aabb box_in_frame(const Transformd& world_from_body, const Aabb& box) {
    const Aabbd in_world{static_cast<Vec3d>(box.min), static_cast<Vec3d>(box.max)};
    const Aabbd in_body = transform_box(inverse(world_from_body), in_world);
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
        constexpr float kSteps = 6, kPartOfSize = 0.1f, kTremble = 0.05f, kOfNewPair = 0.25f;
        const float walk = 0.5f * static_cast<float>(options.max_iterations) * shorter_edge;
        const float most = min_of(walk, kPartOfSize * smaller_size);
        if (speed < 0) return kOfNewPair * most;
        if (2 * speed > most) return 0;
        return clamp(kSteps * speed, kTremble * most, most);
    }
    // A pair that has become slow looks too far ahead: to cast it anew once makes all steps after
    // that cheaper.
    GRAZE_INLINE bool is_too_much(float threshold, float wanted) const {
        return options.adapts && wanted > 0 && threshold > 4 * wanted;
    }
    // [m] How far rays along normals go.
    GRAZE_INLINE float look_ahead(float threshold) const {
        const bool predicts = options.is_iterative && options.predicts;
        return max_of(gap, predicts ? options.confidence * threshold : 0.0f);
    }
    // [m] By how much the intersection of boxes is grown.
    GRAZE_INLINE float extension(float look_ahead) const {
        return max_of(look_ahead, options.is_iterative ? options.distance_extension : 0.0f);
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
        const RayPose pose{step.poses_t0[pair.a], step.poses_t0[pair.b]};
        const Aabb common = intersect(step.boxes[pair.a], step.boxes[pair.b]);

        RayPairState state{pair, {a.serial, b.serial}, pose, pose, 0};
        RayPlan plan;
        plan.last_pair = find_last_pair(state);
        plan.rests = false;
        double speed = -1, moved = 0;  // not known
        if (plan.last_pair != kNoIndex) {
            const RayPairState& before = last.pairs[plan.last_pair];
            plan.rests = is_same(before.last_pose.a, pose.a) && is_same(before.last_pose.b, pose.b);
            speed = rays_detail::displacement(before.last_pose, pose, common);
            moved = rays_detail::displacement(before.cast_pose, pose, common);
        }
        state.threshold = thresholds.threshold(
            static_cast<float>(speed), min_of(a.size * pose.a.scale, b.size * pose.b.scale),
            min_of(a.mean_edge * pose.a.scale, b.mean_edge * pose.b.scale));
        if (plan.last_pair != kNoIndex) {
            const RayPairState& before = last.pairs[plan.last_pair];
            const bool is_too_much = thresholds.is_too_much(before.threshold, state.threshold);
            if (moved < static_cast<double>(before.threshold) && (plan.rests || !is_too_much)) {
                state.cast_pose = before.cast_pose;
                state.threshold = before.threshold;
            } else {
                plan.last_pair = kNoIndex;
            }
        }
        plan.look_ahead = thresholds.look_ahead(state.threshold);
        plan.inner_region = inflate(common, thresholds.gap);
        plan.region = inflate(common, thresholds.extension(plan.look_ahead));
        const Transformd world_from_a = rays_detail::in_double(pose.a);
        const Transformd world_from_b = rays_detail::in_double(pose.b);
        plan.target_from_source[0] = inverse(world_from_b) * world_from_a;
        plan.target_from_source[1] = inverse(world_from_a) * world_from_b;
        plan.source_region[0] = rays_detail::box_in_frame(world_from_a, plan.region);
        plan.source_region[1] = rays_detail::box_in_frame(world_from_b, plan.region);
        plans[i] = plan;
        states[i] = state;
        // Pairs that were given, not found, may be apart.
        if (plan.region.is_empty()) return;
        block_counts[2 * i] = static_cast<std::uint64_t>(a.block_count());
        block_counts[2 * i + 1] = static_cast<std::uint64_t>(b.block_count());
    }

private:
    GRAZE_INLINE static bool is_same(const Transform& a, const Transform& b) {
        return a.translation == b.translation && a.rotation.w == b.rotation.w &&
               a.rotation.x == b.rotation.x && a.rotation.y == b.rotation.y &&
               a.rotation.z == b.rotation.z && a.scale == b.scale;
    }
    // The same pair of shapes in the last step.
    GRAZE_INLINE std::uint32_t find_last_pair(const RayPairState& state) const {
        const std::uint32_t found = rays_detail::find_last_pair(last, state.bodies);
        if (found == kNoIndex) return kNoIndex;
        const RayPairState& before = last.pairs[found];
        const bool is_same_pair =
            before.serials[0] == state.serials[0] && before.serials[1] == state.serials[1];
        return is_same_pair ? found : kNoIndex;
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

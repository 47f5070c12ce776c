// What each side of a pair does in a step of the solver penalty: how its two bodies move, the
// impulse of each of its points, and their sums.
//
// Sums are taken in a fixed order, the same for any number of threads and on both machines: points
// of a side in blocks of 32, then the blocks of the side, then the sides of each body by pair.
#pragma once

#include "geometry/bvh/bvh_pairs.h"
#include "narrow_phase/particles/body_field.h"
#include "narrow_phase/sweep/shape_points.h"
#include "narrow_phase/sweep/sweep_search.h"
#include "response/penalty_integrals.h"

namespace graze {

// A step as the response sees it, in the executor's memory.
struct PenaltyStep {
    PairStep pairs;
    const RigidState* states_t0;  // by body
    const RigidState* states_t1;
    const RigidProperties* bodies;
    std::int64_t body_count;
    float duration;  // [s]
};

struct SideSum {
    Vec3d impulse;        // [N s] on the body of the points
    Vec3d moment_points;  // [N m s] on it
    Vec3d moment_field;   // [N m s] on the body of the field
    float depth;          // [m] of the deepest point
};

namespace penalty_detail {

constexpr std::uint64_t kSumBlock = 32;
// A path has at most so many straight pieces.
constexpr float kMostPieces = 64;

GRAZE_HD inline SideSum no_sum() {
    const Vec3d none{0, 0, 0};
    return {none, none, none, 0.0f};
}

struct SideBodies {
    std::uint32_t points, field;
};
GRAZE_HD inline SideBodies bodies_of_side(const IndexPair* pairs, std::int64_t side) {
    const IndexPair pair = pairs[side / 2];
    return side % 2 == 0 ? SideBodies{pair.a, pair.b} : SideBodies{pair.b, pair.a};
}

GRAZE_HD inline Quat in_float(const Quatd& q) {
    return {static_cast<float>(q.w), static_cast<float>(q.x), static_cast<float>(q.y),
            static_cast<float>(q.z)};
}

struct PrepareSide {
    PenaltyStep step;
    bool is_curved;      // points move as their bodies do, not straight
    float tolerance;     // [m] how far a straight piece may be from such a path; 0: by the field
    PenaltySide* sides;  // out

    GRAZE_HD void operator()(std::int64_t i) const {
        if (static_cast<std::uint64_t>(i) >= 2 * *step.pairs.pair_count) return;
        const SideBodies side = bodies_of_side(step.pairs.pairs, i);
        const RigidState &p_t0 = step.states_t0[side.points], &p_t1 = step.states_t1[side.points];
        const RigidState &f_t0 = step.states_t0[side.field], &f_t1 = step.states_t1[side.field];
        const RigidProperties &p = step.bodies[side.points], &f = step.bodies[side.field];
        PenaltySide motion;
        motion.points_t0 = in_float(p_t0.rotation);
        motion.points_t1 = in_float(p_t1.rotation);
        motion.field_t0 = in_float(f_t0.rotation);
        motion.field_t1 = in_float(f_t1.rotation);
        motion.points_centre = static_cast<Vec3>(p.local_centre);
        motion.field_centre = static_cast<Vec3>(f.local_centre);
        motion.points_scale = static_cast<float>(p.scale);
        motion.field_scale = static_cast<float>(f.scale);
        motion.offset_t0 = static_cast<Vec3>(p_t0.centre - f_t0.centre);
        motion.offset_t1 = static_cast<Vec3>(p_t1.centre - f_t1.centre);
        motion.velocity_t0 = static_cast<Vec3>(p_t0.velocity - f_t0.velocity);
        motion.velocity_t1 = static_cast<Vec3>(p_t1.velocity - f_t1.velocity);
        motion.points_turn_t0 = static_cast<Vec3>(p_t0.angular_velocity);
        motion.points_turn_t1 = static_cast<Vec3>(p_t1.angular_velocity);
        motion.field_turn_t0 = static_cast<Vec3>(f_t0.angular_velocity);
        motion.field_turn_t1 = static_cast<Vec3>(f_t1.angular_velocity);
        motion.field_turns = length_sq(motion.field_turn_t0) + length_sq(motion.field_turn_t1) > 0;
        motion.duration = step.duration;
        motion.friction = std::sqrt(p.friction * f.friction);
        motion.piece_count = is_curved ? pieces_of(motion, side) : 1;
        sides[i] = motion;
    }

private:
    // In the field's frame a point goes along x(t) = R(t) (o(t) + r(t)), with R turning by F's
    // angle a, o moving straight by s, r of length r turning by P's angle b. So |x''| is at most
    // a^2 (|o| + r) + 2 a (s + b r) + b^2 r, and a straight piece of 1/n of the step is no farther
    // from the path than |x''| / (8 n^2).
    GRAZE_HD std::int32_t pieces_of(const PenaltySide& motion, const SideBodies& side) const {
        const float a = length(motion.field_turn_t1) * motion.duration;
        const float b = length(motion.points_turn_t1) * motion.duration;
        if (a == 0 && b == 0) return 1;
        const ShapePoints& points = step.pairs.shapes.points[step.pairs.shape_of_body[side.points]];
        if (points.tree.node_count == 0) return 1;
        const SphereNode& root = points.tree.nodes[0];
        const float r =
            (length(root.centre - motion.points_centre) + root.radius) * motion.points_scale;
        const float s = length(motion.offset_t1 - motion.offset_t0);
        const float o = max_of(length(motion.offset_t0), length(motion.offset_t1));
        const float bend = a * a * (o + r) + 2 * a * (s + b * r) + b * b * r;
        float least = tolerance;
        if (!(least > 0)) {
            // A hundredth of a voxel, or of the points' body where nothing is sampled 1e-5.
            const ShapeField& field =
                step.pairs.shapes.fields[step.pairs.shape_of_body[side.field]];
            least = field.tolerance > 0 ? 0.1f * field.tolerance * motion.field_scale : 1e-5f * r;
        }
        const float pieces = std::sqrt(bend / (8 * least));
        return static_cast<std::int32_t>(std::ceil(clamp(pieces, 1.0f, kMostPieces)));
    }
};

struct ImpulseOfPoint {
    ShapeLists shapes;
    const std::uint32_t* shape_of_body;
    const IndexPair* pairs;
    const PenaltySide* sides;
    PenaltyLaw law;
    bool is_continuous;
    const SweptPoint* points;
    const std::uint64_t* point_count;
    PointImpulse* impulses;  // out

    GRAZE_HD void operator()(std::int64_t i) const {
        if (static_cast<std::uint64_t>(i) >= *point_count) return;
        const SweptPoint swept = points[i];
        const SideBodies side = bodies_of_side(pairs, swept.side);
        const FieldView& field = shapes.fields[shape_of_body[side.field]].field;
        const Vec3 point = shapes.points[shape_of_body[side.points]].tree.points[swept.point];
        impulses[i] = is_continuous ? integrate_penalty(field, sides[swept.side], law, point)
                                    : sample_penalty(field, sides[swept.side], law, point);
    }
};

// Sums 32 points of a side, for each point that is the first of so many.
struct SumBlockOfPoints {
    const SweptPoint* points;
    const std::uint64_t* offsets;  // by side
    const std::uint64_t* point_count;
    std::uint64_t room;
    const PointImpulse* impulses;
    SideSum* blocks;  // out, by first point

    GRAZE_HD void operator()(std::int64_t i) const {
        const auto first = static_cast<std::uint64_t>(i);
        if (first >= *point_count) return;
        const std::uint32_t side = points[i].side;
        if ((first - offsets[side]) % kSumBlock != 0) return;
        const std::uint64_t end = min_of(min_of(offsets[side + 1], first + kSumBlock), room);
        SideSum sum = no_sum();
        for (std::uint64_t j = first; j < end; ++j) {
            const PointImpulse& one = impulses[j];
            sum.impulse += static_cast<Vec3d>(one.impulse);
            sum.moment_points += static_cast<Vec3d>(one.moment_points);
            sum.moment_field += static_cast<Vec3d>(one.moment_field);
            sum.depth = max_of(sum.depth, one.depth);
        }
        blocks[i] = sum;
    }
};

struct SumSide {
    const std::uint64_t* pair_count;
    const std::uint64_t* offsets;
    std::uint64_t room;
    const SideSum* blocks;
    SideSum* sums;  // out, by side

    GRAZE_HD void operator()(std::int64_t side) const {
        SideSum sum = no_sum();
        if (static_cast<std::uint64_t>(side) < 2 * *pair_count) {
            const std::uint64_t end = min_of(offsets[side + 1], room);
            for (std::uint64_t i = offsets[side]; i < end; i += kSumBlock) {
                sum.impulse += blocks[i].impulse;
                sum.moment_points += blocks[i].moment_points;
                sum.moment_field += blocks[i].moment_field;
                sum.depth = max_of(sum.depth, blocks[i].depth);
            }
        }
        sums[side] = sum;
    }
};

// Each pair has two entries, of its body a and of its body b.
struct BodyOfEntry {
    const IndexPair* pairs;
    const std::uint64_t* pair_count;
    std::uint32_t body_count;
    std::uint32_t* bodies;   // out; body_count where there is no such pair
    std::uint32_t* entries;  // out

    GRAZE_HD void operator()(std::int64_t entry) const {
        const bool is_there = static_cast<std::uint64_t>(entry / 2) < *pair_count;
        const IndexPair pair = is_there ? pairs[entry / 2] : IndexPair{body_count, body_count};
        bodies[entry] = entry % 2 == 0 ? pair.a : pair.b;
        entries[entry] = static_cast<std::uint32_t>(entry);
    }
};

struct SumBody {
    const std::uint32_t* bodies;  // of entries, ascending
    const std::uint32_t* entries;
    std::int64_t entry_count;
    const SideSum* sums;
    const RigidProperties* properties;
    double duration;
    BodyForce* forces;  // out

    GRAZE_HD void operator()(std::int64_t body) const {
        BodyForce force{{0, 0, 0}, {0, 0, 0}};
        if (!properties[body].is_fixed) {
            for (std::int64_t i = first_entry(static_cast<std::uint32_t>(body));
                 i < entry_count && bodies[i] == body; ++i) {
                // The body gives the points of one of the pair's sides and the field of the other.
                const std::uint32_t own = entries[i], other = own ^ 1u;
                force.force += sums[own].impulse - sums[other].impulse;
                force.torque += sums[own].moment_points + sums[other].moment_field;
            }
        }
        forces[body] = {force.force / duration, force.torque / duration};
    }

private:
    GRAZE_HD std::int64_t first_entry(std::uint32_t body) const {
        std::int64_t low = 0, high = entry_count;
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            if (bodies[middle] < body) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
};

struct DepthOfSide {
    const SideSum* sums;
    GRAZE_HD float operator()(std::int64_t side) const { return sums[side].depth; }
};

}  // namespace penalty_detail
}  // namespace graze

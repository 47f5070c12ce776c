// The impulse of a point in another body's field over a step: forces proportional to the depth,
// and damping, integrated over the times when the point is inside (Xu and Barbic, Continuous
// Collision Detection Between Points and Signed Distance Fields, 2014, section 4).
//
// A body P gives the point p, a body F the field. In the field's frame the point goes along x(t),
// straight in each of a few pieces of the step; the search for the times inside walks the same
// path. At time t there acts on P, at the point, and on F against it
//
//     force = stiffness depth(t) N(t) - damping u(t),    depth(t) = level - d(x(t)),
//     u(t) = vP + wP x rP(t) - vF - wF x rF(t)
//
// where it is inside, with d the distance in metres of the world, N the gradient in the world and
// rP, rF the handles, from the centres of mass to the point. Integrals are sums by the midpoint
// rule with 20 parts for each interval:
//
//     impulse = int force dt,   moment on P = int rP x force dt,   moment on F = int rF x -force dt
//
// Both handles end at the same place, rF = rP + (centre of P - centre of F), so that forces of a
// pair neither push nor turn the two together. Where graze differs: damping never pulls and holds
// along the surface no more than Coulomb's friction, unless it is asked to be as in the paper; the
// depth is measured from any level; and the path may be curved.
#pragma once

#include "field/field_view.h"
#include "field/segments/level_times.h"
#include "graze/scene_description.h"
#include "response/rigid_state.h"

namespace graze {

struct PenaltyLaw {
    float stiffness;  // [N/m] of a point
    float damping;    // [N s/m] of a point
    float level;      // [m] forces act where the distance is below this
    bool limits_damping;
    PenaltyInterpolation interpolation;
};

constexpr int kPenaltyParts = 20;

// How the two bodies of a side move in the step: P gives the points, F the field. Lengths are
// between the two, never from the world's origin, which may be far away.
struct PenaltySide {
    Quat points_t0, points_t1;         // world from P
    Quat field_t0, field_t1;           // world from F
    Vec3 points_centre, field_centre;  // [m] of mass, in the shapes' frames
    float points_scale, field_scale;
    Vec3 offset_t0, offset_t1;            // [m] from the centre of F to that of P, world
    Vec3 velocity_t0, velocity_t1;        // [m/s] of P's centre less that of F's
    Vec3 points_turn_t0, points_turn_t1;  // [rad/s] of P, before the step and in it
    Vec3 field_turn_t0, field_turn_t1;    // [rad/s] of F
    float duration;                       // [s]
    float friction;                       // Coulomb's, of the two together
    bool field_turns;                     // F turns, before the step or in it
    std::int32_t piece_count;             // straight pieces of a point's path
};

// What a point's contact does in a step.
struct PointImpulse {
    Vec3 impulse;        // [N s] on P; F gets the opposite
    Vec3 moment_points;  // [N m s] on P about its centre
    Vec3 moment_field;   // [N m s] on F about its centre
    float depth;         // [m] the deepest that was met, below the level; 0 where there is none
};

namespace penalty_detail {

// Both bodies at a time of the step.
struct Placed {
    Vec3 points_handle, field_handle;  // [m] rP and rF, world
    Quat field;                        // world from F
};

// `arm`: from the centre of P to the point, in P's axes and metres of the world.
GRAZE_HD inline Placed placed_at_t0(const PenaltySide& side, const Vec3& arm) {
    const Vec3 handle = rotate(side.points_t0, arm);
    return {handle, handle + side.offset_t0, side.field_t0};
}
GRAZE_HD inline Placed placed_at_t1(const PenaltySide& side, const Vec3& arm) {
    const Vec3 handle = rotate(side.points_t1, arm);
    return {handle, handle + side.offset_t1, side.field_t1};
}
// With the velocities of the step all along: the path that is searched.
GRAZE_HD inline Placed placed_between(const PenaltySide& side, const Vec3& arm, float t) {
    const float time = t * side.duration;
    const Vec3 handle = rotate(rotation_by(side.points_turn_t1 * time) * side.points_t0, arm);
    return {handle, handle + side.offset_t0 + (side.offset_t1 - side.offset_t0) * t,
            rotation_by(side.field_turn_t1 * time) * side.field_t0};
}
// In the field's frame.
GRAZE_HD inline Vec3 in_field(const PenaltySide& side, const Placed& placed) {
    return side.field_centre +
           rotate(conjugate(placed.field), placed.field_handle) * (1.0f / side.field_scale);
}

GRAZE_HD inline Vec3 mix(const Vec3& from, const Vec3& to, float t) {
    return from + (to - from) * t;
}

// The force on P of a point at a depth; normal: away from F, of unit length or, interpolated,
// shorter; velocity: of the point against F.
GRAZE_HD inline Vec3 contact_force(const PenaltyLaw& law, float friction, float depth,
                                   const Vec3& normal, const Vec3& velocity) {
    const Vec3 push = normal * (law.stiffness * depth);
    if (!law.limits_damping) return push - velocity * law.damping;
    const Vec3 direction = normalized(normal);
    const float leaving = dot(velocity, direction);
    const float pressing = max_of(0.0f, dot(push, direction) - law.damping * leaving);
    const Vec3 sliding = velocity - direction * leaving;
    const float speed = length(sliding);
    const float holding = min_of(law.damping * speed, friction * pressing);
    const Vec3 held = speed > 0 ? sliding * (holding / speed) : Vec3{0, 0, 0};
    return direction * pressing - held;
}

GRAZE_HD inline void add_force(const Placed& placed, const Vec3& force, float seconds,
                               PointImpulse& sum) {
    const Vec3 impulse = force * seconds;
    sum.impulse += impulse;
    sum.moment_points += cross(placed.points_handle, impulse);
    sum.moment_field -= cross(placed.field_handle, impulse);
}

// Adds up the intervals of one straight piece of a path.
struct IntegrateInside {
    const FieldView& field;
    const PenaltySide& side;
    const PenaltyLaw& law;
    Vec3 arm;
    Placed placed_t0, placed_t1;  // at the step's ends
    Vec3 normal_t0, normal_t1;    // likewise, world; only where they are interpolated
    Vec3 from, to;                // [m] the piece, in the field's frame
    float begin_of_piece, end_of_piece;
    PointImpulse sum;

    GRAZE_HD bool operator()(float begin, float end) {
        const float piece = end_of_piece - begin_of_piece;
        const float part = (end - begin) / static_cast<float>(kPenaltyParts);
        const float seconds = part * piece * side.duration;
        for (int i = 0; i < kPenaltyParts; ++i) {
            const float u = begin + part * (static_cast<float>(i) + 0.5f);
            const FieldValue value = evaluate(field, mix(from, to, u));
            const float depth = law.level - value.distance * side.field_scale;
            // Rounding may find the ends of an interval outside.
            if (!(depth > 0)) continue;
            sum.depth = max_of(sum.depth, depth);
            add(begin_of_piece + u * piece, depth, value.gradient, seconds);
        }
        return true;
    }

    GRAZE_HD void add(float t, float depth, const Vec3& gradient, float seconds) {
        Placed now;
        Vec3 normal, velocity, points_turn = side.points_turn_t1, field_turn = side.field_turn_t1;
        if (law.interpolation == PenaltyInterpolation::linear) {
            now = {mix(placed_t0.points_handle, placed_t1.points_handle, t),
                   mix(placed_t0.field_handle, placed_t1.field_handle, t), side.field_t0};
            normal = mix(normal_t0, normal_t1, t);
            velocity = side.velocity_t1;
        } else {
            // An Euler step of both bodies from the step's beginning up to this time.
            const float time = t * side.duration;
            velocity = mix(side.velocity_t0, side.velocity_t1, t);
            points_turn = mix(side.points_turn_t0, side.points_turn_t1, t);
            field_turn = mix(side.field_turn_t0, side.field_turn_t1, t);
            const Vec3 handle = rotate(rotation_by(points_turn * time) * side.points_t0, arm);
            now = {handle, handle + side.offset_t0 + velocity * time, side.field_t0};
            if (side.field_turns) now.field = rotation_by(field_turn * time) * side.field_t0;
            normal = rotate(now.field, gradient);
        }
        velocity += cross(points_turn, now.points_handle) - cross(field_turn, now.field_handle);
        add_force(now, contact_force(law, side.friction, depth, normal, velocity), seconds, sum);
    }
};

GRAZE_HD inline Vec3 arm_of(const PenaltySide& side, const Vec3& point) {
    return (point - side.points_centre) * side.points_scale;
}

}  // namespace penalty_detail

// The continuous impulse of a point of P, given in P's frame.
GRAZE_HD inline PointImpulse integrate_penalty(const FieldView& field, const PenaltySide& side,
                                               const PenaltyLaw& law, const Vec3& point) {
    namespace pd = penalty_detail;
    const Vec3 arm = pd::arm_of(side, point), none{0, 0, 0};
    const pd::Placed placed_t0 = pd::placed_at_t0(side, arm);
    const pd::Placed placed_t1 = pd::placed_at_t1(side, arm);
    const Vec3 x_t0 = pd::in_field(side, placed_t0), x_t1 = pd::in_field(side, placed_t1);
    pd::IntegrateInside inside{field,
                               side,
                               law,
                               arm,
                               placed_t0,
                               placed_t1,
                               none,
                               none,
                               x_t0,
                               x_t1,
                               0.0f,
                               1.0f,
                               {none, none, none, 0.0f}};
    if (law.interpolation == PenaltyInterpolation::linear) {
        inside.normal_t0 = rotate(side.field_t0, evaluate(field, x_t0).gradient);
        inside.normal_t1 = rotate(side.field_t1, evaluate(field, x_t1).gradient);
    }
    const float level = law.level / side.field_scale;
    const float piece = 1.0f / static_cast<float>(side.piece_count);
    for (std::int32_t i = 0; i < side.piece_count; ++i) {
        inside.begin_of_piece = inside.end_of_piece = static_cast<float>(i) * piece;
        if (i > 0) inside.from = inside.to;
        if (i + 1 < side.piece_count) {
            inside.end_of_piece = static_cast<float>(i + 1) * piece;
            inside.to = pd::in_field(side, pd::placed_between(side, arm, inside.end_of_piece));
        } else {
            inside.end_of_piece = 1.0f;
            inside.to = x_t1;
        }
        visit_times_inside(field, inside.from, inside.to, level, inside);
    }
    return inside.sum;
}

// The discrete impulse, for comparison: the force at the step's end, for as long as the step.
GRAZE_HD inline PointImpulse sample_penalty(const FieldView& field, const PenaltySide& side,
                                            const PenaltyLaw& law, const Vec3& point) {
    namespace pd = penalty_detail;
    const Vec3 none{0, 0, 0};
    PointImpulse sum{none, none, none, 0.0f};
    const pd::Placed now = pd::placed_at_t1(side, pd::arm_of(side, point));
    const FieldValue value = evaluate(field, pd::in_field(side, now));
    sum.depth = max_of(0.0f, law.level - value.distance * side.field_scale);
    if (!(sum.depth > 0)) return sum;
    const Vec3 velocity = side.velocity_t1 + cross(side.points_turn_t1, now.points_handle) -
                          cross(side.field_turn_t1, now.field_handle);
    const Vec3 normal = rotate(side.field_t1, value.gradient);
    pd::add_force(now, pd::contact_force(law, side.friction, sum.depth, normal, velocity),
                  side.duration, sum);
    return sum;
}

}  // namespace graze
